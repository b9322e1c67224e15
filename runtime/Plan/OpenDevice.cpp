// See OpenDevice.h.
#include "runtime/Plan/OpenDevice.h"

#include "runtime/Plan/Execute.h"

namespace agt::rt {

Device &OpenDevice::get() {
  if (!device)
    device = openDevice(choice);
  return *device;
}

void OpenDevice::openFor(const agt_run &plan) {
  uint32_t isa = get().properties().isa;
  if (choice.kind != DeviceChoice::Auto || !isa || runsNatively(plan, isa))
    return;
  // Any Vulkan device, then.
  kernels.clear();
  device.reset();
  choice.kind = DeviceChoice::Vulkan;
  get();
}

Kernel &OpenDevice::kernel(const agt_kernel &kernel, uint32_t variant,
                           uint32_t pushConstants) {
  auto &entry = kernels[{&kernel, variant, pushConstants}];
  if (!entry)
    entry = get().load(kernel, variant, pushConstants);
  return *entry;
}

} // namespace agt::rt
