// Opening and closing a device, its queue and its timeline.
#include "runtime/Vulkan/VulkanDevice.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Vulkan/Commands.h"
#include "runtime/Vulkan/PipelineCache.h"

#include <cstdio>

namespace agt::rt {

VulkanDevice::VulkanDevice(std::shared_ptr<VulkanInstance> instance,
                           size_t index, const VulkanOptions &options)
    : instance(std::move(instance)),
      physical(*this->instance, this->instance->devices.at(index)),
      options(options) {
  std::vector<std::string> missing = physical.missing();
  if (!missing.empty())
    fail(AGT_MISSING, "the device '" + physical.properties.name + "' lacks " +
                          listText(missing));
  try {
    open();
  } catch (...) {
    release();
    throw;
  }
}

VulkanDevice::~VulkanDevice() {
  vk.DeviceWaitIdle(handle);
  savePipelineCache();
  release();
}

void VulkanDevice::open() {
  float priority = 1;
  VkDeviceQueueCreateInfo queueInfo{};
  queueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queueInfo.queueFamilyIndex = physical.queueFamily;
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;

  std::vector<const char *> extensions = physical.extensions();
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = physical.featureChain();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check(instance->vk.CreateDevice(physical.handle, &info, nullptr, &handle),
        "open the device");
  vk.load(instance->vk, handle);
  vk.GetDeviceQueue(handle, physical.queueFamily, 0, &queue);

  VkPhysicalDeviceMemoryProperties2 memoryProperties{};
  memoryProperties.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  instance->vk.GetPhysicalDeviceMemoryProperties2(physical.handle,
                                                  &memoryProperties);
  memory = memoryProperties.memoryProperties;

  VkCommandPoolCreateInfo poolInfo{};
  poolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  poolInfo.queueFamilyIndex = physical.queueFamily;
  check(vk.CreateCommandPool(handle, &poolInfo, nullptr, &commandPool),
        "create a command pool");

  VkSemaphoreTypeCreateInfo typeInfo{};
  typeInfo.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  typeInfo.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphoreInfo{};
  semaphoreInfo.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  semaphoreInfo.pNext = &typeInfo;
  check(vk.CreateSemaphore(handle, &semaphoreInfo, nullptr, &timeline),
        "create a timeline semaphore");
  openPipelineCache();
}

void VulkanDevice::release() {
  if (!handle)
    return;
  vk.DestroyPipelineCache(handle, pipelineCache, nullptr);
  vk.DestroySemaphore(handle, timeline, nullptr);
  vk.DestroyCommandPool(handle, commandPool, nullptr);
  vk.DestroyDevice(handle, nullptr);
  handle = VK_NULL_HANDLE;
}

// One cache for a driver build and a kind of device: the pipeline cache UUID
// names both, the driver UUID keeps drivers apart that chose the same one.
std::string VulkanDevice::cacheName() const {
  std::string name;
  auto append = [&](const uint8_t *uuid) {
    char digits[3];
    for (unsigned i = 0; i < VK_UUID_SIZE; ++i) {
      std::snprintf(digits, sizeof digits, "%02x", uuid[i]);
      name += digits;
    }
  };
  append(physical.v11.driverUUID);
  name += "-";
  append(physical.base.pipelineCacheUUID);
  return name;
}

void VulkanDevice::openPipelineCache() {
  std::string data = readCache(cacheFolder(), cacheName());
  cachedBytes = data.size();
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  check(vk.CreatePipelineCache(handle, &info, nullptr, &pipelineCache),
        "create a pipeline cache");
}

void VulkanDevice::savePipelineCache() {
  size_t bytes = 0;
  if (vk.GetPipelineCacheData(handle, pipelineCache, &bytes, nullptr) !=
      VK_SUCCESS)
    return;
  // A bare header (lavapipe's is all there ever is) is not worth a file, and
  // a cache that has not grown is on disk already.
  if (bytes <= sizeof(VkPipelineCacheHeaderVersionOne) || bytes <= cachedBytes)
    return;
  std::string data(bytes, 0);
  if (vk.GetPipelineCacheData(handle, pipelineCache, &bytes, data.data()) !=
      VK_SUCCESS)
    return;
  data.resize(bytes);
  writeCache(cacheFolder(), cacheName(), data);
}

TimelinePoint VulkanDevice::submit(CommandList &list) {
  TimelinePoint point = lastPoint + 1;
  VkTimelineSemaphoreSubmitInfo timelineInfo{};
  timelineInfo.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timelineInfo.signalSemaphoreValueCount = 1;
  timelineInfo.pSignalSemaphoreValues = &point;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &timelineInfo;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &static_cast<VulkanCommandList &>(list).buffer;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline;
  check(vk.QueueSubmit(queue, 1, &info, VK_NULL_HANDLE), "submit work");
  return lastPoint = point;
}

void VulkanDevice::wait(TimelinePoint point) {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &point;
  check(vk.WaitSemaphores(handle, &info, ~uint64_t(0)), "wait for the device");
}

void VulkanDevice::checkMistakes() {
  if (uint64_t count = validationErrorCount())
    fail(AGT_FAILED, "the Vulkan validation layer found " +
                         std::to_string(count) +
                         (count == 1 ? " error" : " errors"));
}

} // namespace agt::rt
