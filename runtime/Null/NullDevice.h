// The null device: the smallest implementation of the device interface, for
// tests, for programs that only want the plan checked, and to copy from when a
// new kind of device is written.
#ifndef AGT_RUNTIME_NULL_NULLDEVICE_H
#define AGT_RUNTIME_NULL_NULLDEVICE_H

#include "runtime/Device/Device.h"

namespace agt::rt {

struct NullOptions {
  bool hostVisible = true; // false: device memory needs staging
  uint64_t memory = 0;     // bytes it pretends to have; 0: the system's
  uint64_t maxAllocation = uint64_t(1) << 40;
  uint64_t maxBuffer = uint64_t(1) << 40;
};

/// A device that copies but runs no kernel: memory that only kernels would
/// write holds zeros.
std::unique_ptr<Device> makeNullDevice(const NullOptions &options = {});

} // namespace agt::rt

#endif // AGT_RUNTIME_NULL_NULLDEVICE_H
