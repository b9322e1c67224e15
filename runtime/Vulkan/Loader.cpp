// See Loader.h. The library stays open until the process ends: drivers keep
// threads and exit handlers that do not survive a dlclose.
#include "runtime/Vulkan/Loader.h"

#include "runtime/Support/Failure.h"

#include <dlfcn.h>
#include <string>

namespace agt::rt {

static GlobalFunctions openLoader() {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(AGT_MISSING, "the Vulkan loader 'libvulkan.so.1' cannot be opened: "
                      "install the package libvulkan1");
  GlobalFunctions functions;
  functions.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      dlsym(library, "vkGetInstanceProcAddr"));
  if (!functions.GetInstanceProcAddr)
    fail(AGT_MISSING,
         "the Vulkan loader 'libvulkan.so.1' lacks "
         "vkGetInstanceProcAddr: reinstall the package libvulkan1");
#define AGT_VK_LOAD(NAME)                                                      \
  functions.NAME = reinterpret_cast<PFN_vk##NAME>(                             \
      functions.GetInstanceProcAddr(nullptr, "vk" #NAME));
  AGT_VK_GLOBAL_FUNCTIONS(AGT_VK_LOAD)
#undef AGT_VK_LOAD
  if (!functions.EnumerateInstanceVersion)
    fail(AGT_MISSING, "the Vulkan loader is older than Vulkan 1.1: upgrade the "
                      "package libvulkan1");
  return functions;
}

const GlobalFunctions &vulkanLoader() {
  static const GlobalFunctions functions = openLoader();
  return functions;
}

void InstanceFunctions::load(const GlobalFunctions &global,
                             VkInstance instance) {
#define AGT_VK_LOAD(NAME)                                                      \
  NAME = reinterpret_cast<PFN_vk##NAME>(                                       \
      global.GetInstanceProcAddr(instance, "vk" #NAME));
  AGT_VK_INSTANCE_FUNCTIONS(AGT_VK_LOAD)
#undef AGT_VK_LOAD
}

void DeviceFunctions::load(const InstanceFunctions &instance, VkDevice device) {
#define AGT_VK_LOAD(NAME)                                                      \
  NAME = reinterpret_cast<PFN_vk##NAME>(                                       \
      instance.GetDeviceProcAddr(device, "vk" #NAME));
  AGT_VK_DEVICE_FUNCTIONS(AGT_VK_LOAD)
#undef AGT_VK_LOAD
}

const char *resultText(VkResult result) {
  switch (result) {
  case VK_SUCCESS:
    return "VK_SUCCESS";
  case VK_TIMEOUT:
    return "VK_TIMEOUT";
  case VK_ERROR_OUT_OF_HOST_MEMORY:
    return "VK_ERROR_OUT_OF_HOST_MEMORY";
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
  case VK_ERROR_INITIALIZATION_FAILED:
    return "VK_ERROR_INITIALIZATION_FAILED";
  case VK_ERROR_DEVICE_LOST:
    return "VK_ERROR_DEVICE_LOST";
  case VK_ERROR_MEMORY_MAP_FAILED:
    return "VK_ERROR_MEMORY_MAP_FAILED";
  case VK_ERROR_LAYER_NOT_PRESENT:
    return "VK_ERROR_LAYER_NOT_PRESENT";
  case VK_ERROR_EXTENSION_NOT_PRESENT:
    return "VK_ERROR_EXTENSION_NOT_PRESENT";
  case VK_ERROR_FEATURE_NOT_PRESENT:
    return "VK_ERROR_FEATURE_NOT_PRESENT";
  case VK_ERROR_INCOMPATIBLE_DRIVER:
    return "VK_ERROR_INCOMPATIBLE_DRIVER";
  case VK_ERROR_TOO_MANY_OBJECTS:
    return "VK_ERROR_TOO_MANY_OBJECTS";
  default:
    return "an unnamed error";
  }
}

void check(VkResult result, const char *doing) {
  if (result < 0 || result == VK_TIMEOUT)
    fail(AGT_FAILED, std::string("vulkan cannot ") + doing + ": " +
                         resultText(result) + " (" +
                         std::to_string(int(result)) + ")");
}

} // namespace agt::rt
