// From the text of --device to an open device.
#ifndef AGT_RUNTIME_DEVICE_SELECT_H
#define AGT_RUNTIME_DEVICE_SELECT_H

#include "runtime/Device/Device.h"

#include <string>

namespace agt::rt {

/// What a device text asks for.
struct DeviceChoice {
  enum Kind { Auto, Cpu, Vulkan, Null } kind = Auto;
  int index = -1; // vulkan:N, or -1
};

/// Parses "auto", "cpu", "vulkan", "vulkan:N", "null". Fails with
/// AGT_BAD_INPUT on other texts.
DeviceChoice parseDevice(const std::string &text);

/// Opens it; "auto" is a GPU if there is one, else the CPU, else any Vulkan
/// device. Fails with AGT_MISSING when it is not there.
std::unique_ptr<Device> openDevice(const DeviceChoice &choice);

} // namespace agt::rt

#endif // AGT_RUNTIME_DEVICE_SELECT_H
