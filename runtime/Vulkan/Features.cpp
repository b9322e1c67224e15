// See Features.h. Only features that are used are enabled: some (robust buffer
// access) cost speed merely by being on.
#include "runtime/Vulkan/Features.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace agt::rt {

static constexpr auto coopmatFeaturesType =
    static_cast<VkStructureType>(1000506000);
static constexpr const char *coopmatExtension = "VK_KHR_cooperative_matrix";

PhysicalDevice::PhysicalDevice(const VulkanInstance &instance,
                               VkPhysicalDevice handle)
    : handle(handle) {
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  subgroupSizes.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  maintenance4.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES;
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  instance.vk.GetPhysicalDeviceProperties2(handle, &all);
  if (all.properties.apiVersion >= VK_API_VERSION_1_2) {
    all.pNext = &v11;
    v11.pNext = &v12;
    if (all.properties.apiVersion >= VK_API_VERSION_1_3) {
      v12.pNext = &subgroupSizes;
      subgroupSizes.pNext = &maintenance4;
    }
    instance.vk.GetPhysicalDeviceProperties2(handle, &all);
  }
  base = all.properties;
  available = enumerate(VkExtensionProperties{},
                        [&](uint32_t *count, VkExtensionProperties *items) {
                          instance.vk.EnumerateDeviceExtensionProperties(
                              handle, nullptr, count, items);
                        });
  readFeatures(instance);
  chooseQueue(instance);

  properties.name = base.deviceName;
  properties.cpuDriver = base.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  if (!properties.cpuDriver)
    properties.memory.assign(reinterpret_cast<const char *>(v11.deviceUUID),
                             VK_UUID_SIZE);
  properties.subgroupSize = v11.subgroupSize;
  properties.features = featureBits();
  properties.maxAllocation = v11.maxMemoryAllocationSize;
  // Drivers name an allocation that always works; many give larger ones too
  // (lavapipe says 2 GiB and stops short of 4).
  properties.maxBuffer =
      std::max<uint64_t>(maintenance4.maxBufferSize, properties.maxAllocation);
  properties.maxGroups[0] = base.limits.maxComputeWorkGroupCount[0];
  properties.maxGroups[1] = base.limits.maxComputeWorkGroupCount[1];
  properties.timestamps = timestampBits != 0;
}

void PhysicalDevice::readFeatures(const VulkanInstance &instance) {
  features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  coopmat.sType = coopmatFeaturesType;
  VkPhysicalDeviceFeatures2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  if (base.apiVersion >= VK_API_VERSION_1_2) {
    all.pNext = &features11;
    features11.pNext = &features12;
    void **end = &features12.pNext;
    if (base.apiVersion >= VK_API_VERSION_1_3) {
      *end = &features13;
      end = &features13.pNext;
    }
    if (hasExtension(coopmatExtension))
      *end = &coopmat;
  }
  instance.vk.GetPhysicalDeviceFeatures2(handle, &all);
  features = all.features;
  canRequireSubgroupSize =
      features13.subgroupSizeControl &&
      (subgroupSizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
}

void PhysicalDevice::chooseQueue(const VulkanInstance &instance) {
  auto families =
      enumerate(VkQueueFamilyProperties{},
                [&](uint32_t *count, VkQueueFamilyProperties *items) {
                  instance.vk.GetPhysicalDeviceQueueFamilyProperties(
                      handle, count, items);
                });
  for (uint32_t i = 0; i < families.size(); ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT))
      continue;
    queueFamily = i;
    timestampBits = families[i].timestampValidBits;
    return;
  }
}

uint32_t PhysicalDevice::featureBits() const {
  uint32_t bits = 0;
  auto add = [&](bool present, agt_feature feature) {
    if (present)
      bits |= feature;
  };
  bool subgroupsInCompute =
      v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
  VkSubgroupFeatureFlags operations =
      subgroupsInCompute ? v11.subgroupSupportedOperations : 0;
  add(features12.shaderFloat16 && features11.storageBuffer16BitAccess,
      AGT_FEATURE_FLOAT16);
  add(features.shaderInt64, AGT_FEATURE_INT64);
  add(operations & VK_SUBGROUP_FEATURE_BALLOT_BIT, AGT_FEATURE_BROADCAST);
  add(operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT, AGT_FEATURE_SHUFFLE);
  add(coopmat.cooperativeMatrix && features12.vulkanMemoryModel,
      AGT_FEATURE_COOPMAT);
  // For tests: what GPUs run, on a driver that is none.
  const char *asGpu = std::getenv("AGT_VULKAN_AS_GPU");
  add(base.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU &&
          !(asGpu && std::string(asGpu) == "1"),
      AGT_FEATURE_CPU_DRIVER);
  return bits;
}

std::vector<std::string> PhysicalDevice::missing() const {
  std::vector<std::string> names;
  if (base.apiVersion < VK_API_VERSION_1_2) {
    names.push_back("Vulkan 1.2");
    return names;
  }
  if (!features12.bufferDeviceAddress)
    names.push_back("bufferDeviceAddress");
  if (!features12.timelineSemaphore)
    names.push_back("timelineSemaphore");
  if (queueFamily == ~0u)
    names.push_back("a queue for compute");
  return names;
}

int PhysicalDevice::rank() const {
  switch (base.deviceType) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 4;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 3;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return 0;
  default:
    return 1;
  }
}

bool PhysicalDevice::hasExtension(const char *name) const {
  for (const VkExtensionProperties &extension : available)
    if (std::strcmp(extension.extensionName, name) == 0)
      return true;
  return false;
}

const void *PhysicalDevice::featureChain() {
  wanted.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  wanted.pNext = &wanted11;
  wanted.features.shaderInt64 = features.shaderInt64;
  wanted.features.shaderInt16 = features.shaderInt16;

  wanted11.sType = features11.sType;
  wanted11.pNext = &wanted12;
  wanted11.storageBuffer16BitAccess = features11.storageBuffer16BitAccess;

  wanted12.sType = features12.sType;
  wanted12.bufferDeviceAddress = VK_TRUE;
  wanted12.timelineSemaphore = VK_TRUE;
  wanted12.shaderFloat16 = features12.shaderFloat16;
  wanted12.shaderInt8 = features12.shaderInt8;
  wanted12.storageBuffer8BitAccess = features12.storageBuffer8BitAccess;
  wanted12.scalarBlockLayout = features12.scalarBlockLayout;
  wanted12.vulkanMemoryModel = features12.vulkanMemoryModel;
  wanted12.vulkanMemoryModelDeviceScope =
      features12.vulkanMemoryModelDeviceScope;
  wanted12.shaderSubgroupExtendedTypes = features12.shaderSubgroupExtendedTypes;

  void **end = &wanted12.pNext;
  if (base.apiVersion >= VK_API_VERSION_1_3) {
    wanted13.sType = features13.sType;
    wanted13.subgroupSizeControl = features13.subgroupSizeControl;
    wanted13.computeFullSubgroups = features13.computeFullSubgroups;
    wanted13.maintenance4 = features13.maintenance4;
    wanted13.shaderIntegerDotProduct = features13.shaderIntegerDotProduct;
    *end = &wanted13;
    end = &wanted13.pNext;
  }
  if (properties.features & AGT_FEATURE_COOPMAT) {
    wantedCoopmat.sType = coopmatFeaturesType;
    wantedCoopmat.cooperativeMatrix = VK_TRUE;
    *end = &wantedCoopmat;
  }
  return &wanted;
}

std::vector<const char *> PhysicalDevice::extensions() const {
  std::vector<const char *> names;
  if (hasExtension(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME))
    names.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (properties.features & AGT_FEATURE_COOPMAT)
    names.push_back(coopmatExtension);
  return names;
}

} // namespace agt::rt
