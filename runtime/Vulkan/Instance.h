// The Vulkan instance of the process, its validation messages, and the
// physical devices it shows.
#ifndef AGT_RUNTIME_VULKAN_INSTANCE_H
#define AGT_RUNTIME_VULKAN_INSTANCE_H

#include "runtime/Vulkan/Loader.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace agt::rt {

/// One instance for all devices of the process, made at first use and
/// destroyed with its last user. With AGT_VALIDATE=1 the Khronos validation
/// layer is on; what it says goes to stderr and is counted.
class VulkanInstance {
public:
  static std::shared_ptr<VulkanInstance> get();
  ~VulkanInstance();

  VkInstance handle = VK_NULL_HANDLE;
  InstanceFunctions vk;
  std::vector<VkPhysicalDevice> devices; // in the loader's order: vulkan:N

private:
  VulkanInstance();
  void create();
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
};

/// Mistakes that the validation layer has found in this process.
uint64_t validationErrorCount();

} // namespace agt::rt

#endif // AGT_RUNTIME_VULKAN_INSTANCE_H
