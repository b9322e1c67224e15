// A device that is opened when it is first needed, and the kernels built on it.
#ifndef AGT_RUNTIME_PLAN_OPENDEVICE_H
#define AGT_RUNTIME_PLAN_OPENDEVICE_H

#include "runtime/Device/Device.h"
#include "runtime/Device/Select.h"
#include "runtime/Plan/Plan.h"

#include <map>
#include <tuple>

namespace agt::rt {

class OpenDevice {
public:
  explicit OpenDevice(DeviceChoice choice) : choice(choice) {}
  explicit OpenDevice(std::unique_ptr<Device> device)
      : device(std::move(device)) {}

  bool isOpen() const { return device != nullptr; }
  /// Opens the device at the first call.
  Device &get();
  /// Opens the device that runs `plan`: the same, unless it was chosen for
  /// programs in general and this plan has a kernel it has no code for.
  void openFor(const agt_run &plan);
  /// The kernel, built at the first call with these arguments.
  Kernel &kernel(const agt_kernel &kernel, uint32_t variant,
                 uint32_t pushConstants);

  DeviceChoice choice;

private:
  std::unique_ptr<Device> device;
  // After the device: kernels go before it.
  std::map<std::tuple<const agt_kernel *, uint32_t, uint32_t>,
           std::unique_ptr<Kernel>>
      kernels;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_OPENDEVICE_H
