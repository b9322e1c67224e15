// See Instance.h.
#include "runtime/Vulkan/Instance.h"

#include "runtime/Cpu/Processors.h"
#include "runtime/Device/SystemMemory.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace agt::rt {

static std::atomic<uint64_t> validationErrors{0};

uint64_t validationErrorCount() { return validationErrors; }

static VKAPI_ATTR VkBool32 VKAPI_CALL
onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
          VkDebugUtilsMessageTypeFlagsEXT,
          const VkDebugUtilsMessengerCallbackDataEXT *data, void *) {
  bool error = severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  if (error)
    ++validationErrors;
  std::fprintf(stderr, "vulkan validation %s: %s\n",
               error ? "error" : "warning", data->pMessage);
  return VK_FALSE;
}

static bool wantsValidation() {
  const char *value = std::getenv("AGT_VALIDATE");
  return value && *value && std::strcmp(value, "0") != 0;
}

static VkDebugUtilsMessengerCreateInfoEXT messengerInfo() {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = onMessage;
  return info;
}

static bool hasLayer(const char *name) {
  const GlobalFunctions &global = vulkanLoader();
  auto layers = enumerate(
      VkLayerProperties{}, [&](uint32_t *count, VkLayerProperties *items) {
        global.EnumerateInstanceLayerProperties(count, items);
      });
  for (const VkLayerProperties &layer : layers)
    if (std::strcmp(layer.layerName, name) == 0)
      return true;
  return false;
}

std::shared_ptr<VulkanInstance> VulkanInstance::get() {
  static std::mutex mutex;
  static std::weak_ptr<VulkanInstance> current;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<VulkanInstance> instance = current.lock();
  if (!instance) {
    instance.reset(new VulkanInstance());
    current = instance;
  }
  return instance;
}

VulkanInstance::VulkanInstance() {
  create();
  devices = enumerate(VkPhysicalDevice{},
                      [&](uint32_t *count, VkPhysicalDevice *items) {
                        vk.EnumeratePhysicalDevices(handle, count, items);
                      });
}

// Drivers end the program, wait for ever or say that there is no device where
// they get no room for a compiler, threads and what those reserve: measured of
// lavapipe, which takes most, in a run of one small kernel.
static void checkAddressSpace() {
  constexpr uint64_t mebibyte = uint64_t(1) << 20;
  constexpr uint64_t base = 640 * mebibyte, perThread = 128 * mebibyte;
  uint64_t threads = std::min<uint64_t>(usableProcessors().size(), 32);
  uint64_t needed = base + threads * perThread;
  std::optional<MemoryBudget> space = addressSpace();
  if (space && space->free < needed)
    fail(AGT_MISSING,
         "not enough memory: Vulkan drivers need " + bytesText(needed) +
             " of address space, 'ulimit -v' leaves " + bytesText(space->free) +
             " of " + bytesText(space->total));
}

void VulkanInstance::create() {
  checkAddressSpace();
  const GlobalFunctions &global = vulkanLoader();
  uint32_t version = VK_API_VERSION_1_0;
  global.EnumerateInstanceVersion(&version);

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "agt";
  application.apiVersion = VK_API_VERSION_1_3;

  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;

  const char *layer = "VK_LAYER_KHRONOS_validation";
  const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkDebugUtilsMessengerCreateInfoEXT messages = messengerInfo();
  bool validate = wantsValidation();
  if (validate) {
    if (!hasLayer(layer))
      fail(AGT_MISSING, "AGT_VALIDATE is set but the layer "
                        "'VK_LAYER_KHRONOS_validation' was not found: install "
                        "the package vulkan-validationlayers");
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    info.pNext = &messages;
  }

  VkResult result = global.CreateInstance(&info, nullptr, &handle);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    fail(AGT_MISSING, "no Vulkan driver was found: install the package "
                      "mesa-vulkan-drivers");
  check(result, "create an instance");
  vk.load(global, handle);

  if (validate) {
    auto createMessenger = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        global.GetInstanceProcAddr(handle, "vkCreateDebugUtilsMessengerEXT"));
    check(createMessenger(handle, &messages, nullptr, &messenger),
          "create a debug messenger");
  }
}

VulkanInstance::~VulkanInstance() {
  if (!handle)
    return;
  if (messenger) {
    auto destroyMessenger =
        reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
            vulkanLoader().GetInstanceProcAddr(
                handle, "vkDestroyDebugUtilsMessengerEXT"));
    destroyMessenger(handle, messenger, nullptr);
  }
  vk.DestroyInstance(handle, nullptr);
}

} // namespace agt::rt
