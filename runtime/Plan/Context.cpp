// See Context.h.
#include "runtime/Plan/Context.h"

#include <algorithm>
#include <chrono>

double agt::rt::monotonicSeconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

agt::rt::Device &agt_context::device() {
  if (!opened)
    step("open the device", [&] { opened = agt::rt::openDevice(choice); });
  return *opened;
}

agt::rt::Kernel &agt_context::kernel(const agt_kernel &kernel, uint32_t variant,
                                     uint32_t pushConstants) {
  const agt_kernel_variant &code = kernel.variants[variant];
  auto &entry = kernels[{&code, pushConstants}];
  if (!entry)
    entry = device().load(kernel.name, code, pushConstants);
  return *entry;
}

double agt_context::now() const { return agt::rt::monotonicSeconds() - start; }

void agt_context::drop(agt_run *plan) {
  plans.erase(
      std::remove_if(plans.begin(), plans.end(),
                     [&](const auto &entry) { return entry.get() == plan; }),
      plans.end());
}

void agt_context::dropFailed() {
  plans.erase(std::remove_if(plans.begin(), plans.end(),
                             [](const auto &plan) { return plan->failed; }),
              plans.end());
}
