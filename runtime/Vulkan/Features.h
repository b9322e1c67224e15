// What a Vulkan device has, in the runtime's terms, and the chain of features
// to switch on when it is opened.
#ifndef AGT_RUNTIME_VULKAN_FEATURES_H
#define AGT_RUNTIME_VULKAN_FEATURES_H

#include "runtime/Device/Device.h"
#include "runtime/Vulkan/Instance.h"

#include <string>
#include <vector>

namespace agt::rt {

/// Facts about one physical device, read without opening it. It must not move:
/// the feature structs point at each other.
class PhysicalDevice {
public:
  PhysicalDevice(const VulkanInstance &instance, VkPhysicalDevice handle);
  PhysicalDevice(const PhysicalDevice &) = delete;

  /// Names of what the runtime needs and the device lacks.
  std::vector<std::string> missing() const;
  /// 4 for a discrete GPU down to 0 for a driver on the CPU.
  int rank() const;
  bool hasExtension(const char *name) const;
  /// The features to enable: those the runtime or kernels may use, and the
  /// device has. Valid while this object lives.
  const void *featureChain();
  std::vector<const char *> extensions() const;

  VkPhysicalDevice handle;
  VkPhysicalDeviceProperties base{};
  VkPhysicalDeviceVulkan11Properties v11{};
  VkPhysicalDeviceVulkan12Properties v12{};
  VkPhysicalDeviceSubgroupSizeControlProperties subgroupSizes{};
  VkPhysicalDeviceMaintenance4Properties maintenance4{};
  uint32_t queueFamily = ~0u;
  uint32_t timestampBits = 0;
  bool canRequireSubgroupSize = false;
  DeviceProperties properties;

private:
  void readFeatures(const VulkanInstance &instance);
  void chooseQueue(const VulkanInstance &instance);
  uint32_t featureBits() const;

  std::vector<VkExtensionProperties> available;
  VkPhysicalDeviceFeatures features{};
  VkPhysicalDeviceVulkan11Features features11{};
  VkPhysicalDeviceVulkan12Features features12{};
  VkPhysicalDeviceVulkan13Features features13{};
  VkPhysicalDeviceFeatures2 wanted{};
  VkPhysicalDeviceVulkan11Features wanted11{};
  VkPhysicalDeviceVulkan12Features wanted12{};
  VkPhysicalDeviceVulkan13Features wanted13{};
  // VkPhysicalDeviceCooperativeMatrixFeaturesKHR, which is younger than the
  // headers in Debian 12: the layout is fixed by the extension.
  struct CooperativeMatrixFeatures {
    VkStructureType sType;
    void *pNext;
    VkBool32 cooperativeMatrix;
    VkBool32 cooperativeMatrixRobustBufferAccess;
  };
  CooperativeMatrixFeatures coopmat{};
  CooperativeMatrixFeatures wantedCoopmat{};
};

} // namespace agt::rt

#endif // AGT_RUNTIME_VULKAN_FEATURES_H
