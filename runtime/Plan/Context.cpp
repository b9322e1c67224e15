// See Context.h.
#include "runtime/Plan/Context.h"

#include "runtime/Plan/Execute.h"

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

agt::rt::Device &agt_context::deviceFor(const agt_run &plan) {
  uint32_t isa = device().properties().isa;
  if (choice.kind == agt::rt::DeviceChoice::Auto && isa &&
      !agt::rt::runsNatively(plan, isa)) {
    // Any Vulkan device, then.
    kernels.clear();
    opened.reset();
    choice.kind = agt::rt::DeviceChoice::Vulkan;
  }
  return device();
}

agt::rt::Kernel &agt_context::kernel(const agt_kernel &kernel, uint32_t variant,
                                     uint32_t pushConstants) {
  auto &entry = kernels[{&kernel, variant, pushConstants}];
  if (!entry)
    entry = device().load(kernel, variant, pushConstants);
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
