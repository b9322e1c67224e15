// See Select.h. AGT_STAGING=1 makes devices hide their memory from the host,
// so that tests reach the staging copies on machines without a GPU.
#include "runtime/Device/Select.h"

#include "runtime/Cpu/CpuDevice.h"
#include "runtime/Null/NullDevice.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Vulkan/VulkanDevice.h"

#include <cstdlib>
#include <unistd.h>

namespace agt::rt {

static bool forceStaging() {
  const char *value = std::getenv("AGT_STAGING");
  return value && std::string(value) == "1";
}

DeviceChoice parseDevice(const std::string &text) {
  if (text == "auto")
    return {DeviceChoice::Auto, -1};
  if (text == "null")
    return {DeviceChoice::Null, -1};
  if (text == "vulkan")
    return {DeviceChoice::Vulkan, -1};
  if (text == "cpu")
    return {DeviceChoice::Cpu, -1};
  const std::string prefix = "vulkan:";
  if (text.compare(0, prefix.size(), prefix) == 0) {
    std::string digits = text.substr(prefix.size());
    bool number = !digits.empty() && digits.size() <= 6 &&
                  digits.find_first_not_of("0123456789") == std::string::npos;
    if (number)
      return {DeviceChoice::Vulkan, std::stoi(digits)};
  }
  fail(AGT_BAD_INPUT, "expected auto, cpu, vulkan, vulkan:N or null as the "
                      "device, got '" +
                          text + "'");
}

static std::string describe(const VulkanInstance &instance) {
  std::vector<std::string> names;
  for (size_t i = 0; i < instance.devices.size(); ++i) {
    PhysicalDevice device(instance, instance.devices[i]);
    names.push_back("vulkan:" + std::to_string(i) + " '" +
                    device.properties.name + "'");
  }
  return listText(names);
}

// The best of all devices that have what is needed: a discrete GPU first, a
// driver on the CPU last, among equals the loader's first.
static size_t bestDevice(const VulkanInstance &instance) {
  int best = -1;
  size_t bestIndex = 0;
  std::string reasons;
  for (size_t i = 0; i < instance.devices.size(); ++i) {
    PhysicalDevice device(instance, instance.devices[i]);
    std::vector<std::string> missing = device.missing();
    if (!missing.empty()) {
      reasons += "; the device '" + device.properties.name + "' lacks " +
                 listText(missing);
    } else if (device.rank() > best) {
      best = device.rank();
      bestIndex = i;
    }
  }
  if (best < 0)
    fail(AGT_MISSING, "no Vulkan device can run this program" + reasons);
  return bestIndex;
}

static std::unique_ptr<Device> openVulkan(int index) {
  std::shared_ptr<VulkanInstance> instance = VulkanInstance::get();
  size_t count = instance->devices.size();
  if (count == 0)
    fail(AGT_MISSING, "no Vulkan device was found: install the package "
                      "mesa-vulkan-drivers");
  if (index >= 0 && size_t(index) >= count)
    fail(AGT_MISSING, "no device 'vulkan:" + std::to_string(index) +
                          "', there is " + describe(*instance));
  VulkanOptions options;
  options.forceStaging = forceStaging();
  size_t chosen = index >= 0 ? size_t(index) : bestDevice(*instance);
  return std::make_unique<VulkanDevice>(instance, chosen, options);
}

// Whether the system has anything that a driver of a GPU talks to. Where it
// has not, the Vulkan loader and its drivers, which take a tenth of a second,
// need not be looked at.
static bool hasGpuNode() {
  for (const char *path : {"/dev/dri", "/dev/nvidiactl", "/dev/dxg",
                           "/dev/kgsl-3d0", "/dev/mali0"})
    if (access(path, F_OK) == 0)
      return true;
  return false;
}

static std::unique_ptr<Device> openAuto() {
  if (!hasCpuDevice())
    return openVulkan(-1);
  if (hasGpuNode()) {
    try {
      std::unique_ptr<Device> device = openVulkan(-1);
      if (!device->properties().cpuDriver)
        return device;
    } catch (const Failure &) {
      // No loader, no driver or no fitting device: the CPU is there.
    }
  }
  return makeCpuDevice();
}

std::unique_ptr<Device> openDevice(const DeviceChoice &choice) {
  if (choice.kind == DeviceChoice::Auto)
    return openAuto();
  if (choice.kind == DeviceChoice::Cpu)
    return makeCpuDevice();
  if (choice.kind == DeviceChoice::Null) {
    NullOptions options;
    options.hostVisible = !forceStaging();
    return makeNullDevice(options);
  }
  return openVulkan(choice.index);
}

} // namespace agt::rt
