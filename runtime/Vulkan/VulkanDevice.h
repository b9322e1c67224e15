// The Vulkan implementation of the device interface.
//
// One compute queue, one timeline semaphore. A buffer is one VkBuffer with a
// device address over memory of its own; plans allocate few large ones. Where
// the driver computes on the CPU, or the GPU shares the system's memory, all
// memory is visible to the host and nothing is staged. Between two commands of
// a list stands a full memory barrier: launches of a plan depend on each other
// nearly always, and a barrier costs little beside a kernel.
#ifndef AGT_RUNTIME_VULKAN_VULKANDEVICE_H
#define AGT_RUNTIME_VULKAN_VULKANDEVICE_H

#include "runtime/Vulkan/Features.h"

#include <memory>

namespace agt::rt {

struct VulkanOptions {
  bool forceStaging = false; // as if device memory were invisible, for tests
};

class VulkanDevice : public Device {
public:
  /// `index` is a position in `instance->devices`. Fails with AGT_MISSING when
  /// the device lacks what the runtime needs.
  VulkanDevice(std::shared_ptr<VulkanInstance> instance, size_t index,
               const VulkanOptions &options);
  ~VulkanDevice() override;

  const DeviceProperties &properties() const override {
    return physical.properties;
  }
  MemoryBudget memoryBudget() override;
  std::unique_ptr<Buffer> allocate(uint64_t bytes, MemoryKind kind) override;
  std::unique_ptr<Kernel> load(const agt_kernel &code, uint32_t variant,
                               uint32_t pushConstants) override;
  std::unique_ptr<CommandList> record(const std::vector<Command> &commands,
                                      bool withTimes) override;
  TimelinePoint submit(CommandList &list) override;
  void wait(TimelinePoint point) override;
  void checkMistakes() override;

  std::shared_ptr<VulkanInstance> instance;
  PhysicalDevice physical;
  VkDevice handle = VK_NULL_HANDLE;
  DeviceFunctions vk;
  VkCommandPool commandPool = VK_NULL_HANDLE;
  uint64_t usedBytes = 0; // of device memory, by live buffers

private:
  void open();
  void release();
  void openPipelineCache();
  void savePipelineCache();
  std::string cacheName() const;
  uint32_t memoryType(MemoryKind kind) const;

  VulkanOptions options;
  VkPhysicalDeviceMemoryProperties memory{};
  VkQueue queue = VK_NULL_HANDLE;
  VkSemaphore timeline = VK_NULL_HANDLE;
  TimelinePoint lastPoint = 0;
  VkPipelineCache pipelineCache = VK_NULL_HANDLE;
  size_t cachedBytes = 0; // size of the cache as it is on disk
};

} // namespace agt::rt

#endif // AGT_RUNTIME_VULKAN_VULKANDEVICE_H
