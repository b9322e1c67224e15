// The Vulkan loader, opened at first use, and its functions.
//
// Nothing links against libvulkan: a program that never touches a device runs
// where there is none. The functions come in three tables, filled from the
// loader, from an instance and from a device.
#ifndef AGT_RUNTIME_VULKAN_LOADER_H
#define AGT_RUNTIME_VULKAN_LOADER_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <vector>

#define AGT_VK_GLOBAL_FUNCTIONS(X)                                             \
  X(CreateInstance)                                                            \
  X(EnumerateInstanceVersion)                                                  \
  X(EnumerateInstanceLayerProperties)                                          \
  X(EnumerateInstanceExtensionProperties)

#define AGT_VK_INSTANCE_FUNCTIONS(X)                                           \
  X(DestroyInstance)                                                           \
  X(EnumeratePhysicalDevices)                                                  \
  X(EnumerateDeviceExtensionProperties)                                        \
  X(GetPhysicalDeviceProperties2)                                              \
  X(GetPhysicalDeviceFeatures2)                                                \
  X(GetPhysicalDeviceMemoryProperties2)                                        \
  X(GetPhysicalDeviceQueueFamilyProperties)                                    \
  X(CreateDevice)                                                              \
  X(GetDeviceProcAddr)

#define AGT_VK_DEVICE_FUNCTIONS(X)                                             \
  X(DestroyDevice)                                                             \
  X(GetDeviceQueue)                                                            \
  X(QueueSubmit)                                                               \
  X(DeviceWaitIdle)                                                            \
  X(AllocateMemory)                                                            \
  X(FreeMemory)                                                                \
  X(MapMemory)                                                                 \
  X(CreateBuffer)                                                              \
  X(DestroyBuffer)                                                             \
  X(GetBufferMemoryRequirements)                                               \
  X(BindBufferMemory)                                                          \
  X(GetBufferDeviceAddress)                                                    \
  X(CreateShaderModule)                                                        \
  X(DestroyShaderModule)                                                       \
  X(CreatePipelineLayout)                                                      \
  X(DestroyPipelineLayout)                                                     \
  X(CreatePipelineCache)                                                       \
  X(DestroyPipelineCache)                                                      \
  X(GetPipelineCacheData)                                                      \
  X(CreateComputePipelines)                                                    \
  X(DestroyPipeline)                                                           \
  X(CreateCommandPool)                                                         \
  X(DestroyCommandPool)                                                        \
  X(AllocateCommandBuffers)                                                    \
  X(FreeCommandBuffers)                                                        \
  X(BeginCommandBuffer)                                                        \
  X(EndCommandBuffer)                                                          \
  X(CmdBindPipeline)                                                           \
  X(CmdPushConstants)                                                          \
  X(CmdDispatch)                                                               \
  X(CmdCopyBuffer)                                                             \
  X(CmdPipelineBarrier)                                                        \
  X(CmdResetQueryPool)                                                         \
  X(CmdWriteTimestamp)                                                         \
  X(CreateQueryPool)                                                           \
  X(DestroyQueryPool)                                                          \
  X(GetQueryPoolResults)                                                       \
  X(CreateSemaphore)                                                           \
  X(DestroySemaphore)                                                          \
  X(WaitSemaphores)

namespace agt::rt {

#define AGT_VK_MEMBER(NAME) PFN_vk##NAME NAME = nullptr;

struct GlobalFunctions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  AGT_VK_GLOBAL_FUNCTIONS(AGT_VK_MEMBER)
};

struct InstanceFunctions {
  AGT_VK_INSTANCE_FUNCTIONS(AGT_VK_MEMBER)
  void load(const GlobalFunctions &global, VkInstance instance);
};

struct DeviceFunctions {
  AGT_VK_DEVICE_FUNCTIONS(AGT_VK_MEMBER)
  void load(const InstanceFunctions &instance, VkDevice device);
};

#undef AGT_VK_MEMBER

/// Opens the loader at the first call. Fails with AGT_MISSING, naming the
/// package that has it.
const GlobalFunctions &vulkanLoader();

/// "VK_ERROR_DEVICE_LOST" and the like.
const char *resultText(VkResult result);

/// Fails with AGT_FAILED unless `result` is a success; `doing` completes
/// "vulkan cannot ...".
void check(VkResult result, const char *doing);

/// Calls a Vulkan enumeration twice, for the count and for the items, which
/// start as copies of `prototype`.
template <typename Item, typename Call>
std::vector<Item> enumerate(Item prototype, Call &&call) {
  uint32_t count = 0;
  call(&count, static_cast<Item *>(nullptr));
  std::vector<Item> items(count, prototype);
  if (count)
    call(&count, items.data());
  items.resize(count);
  return items;
}

} // namespace agt::rt

#endif // AGT_RUNTIME_VULKAN_LOADER_H
