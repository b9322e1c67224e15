// Kernels and command lists of the Vulkan device, as its files share them.
#ifndef AGT_RUNTIME_VULKAN_COMMANDS_H
#define AGT_RUNTIME_VULKAN_COMMANDS_H

#include "runtime/Vulkan/VulkanDevice.h"

namespace agt::rt {

/// The VkBuffer behind a buffer of a Vulkan device.
VkBuffer bufferHandle(Buffer &buffer);

class VulkanKernel : public Kernel {
public:
  explicit VulkanKernel(VulkanDevice &device) : device(device) {}
  ~VulkanKernel() override;

  VulkanDevice &device;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

/// With times, query i is written before command i and query n at the end.
class VulkanCommandList : public CommandList {
public:
  VulkanCommandList(VulkanDevice &device, const std::vector<Command> &commands,
                    bool withTimes);
  ~VulkanCommandList() override;
  std::vector<Span> times() override;

  VkCommandBuffer buffer = VK_NULL_HANDLE;

private:
  void begin();
  void recordAll(const std::vector<Command> &commands);
  void record(const CopyCommand &copy);
  void record(const LaunchCommand &launch);
  void stamp(uint32_t query);
  void barrier();
  void release();

  VulkanDevice &device;
  VkQueryPool queries = VK_NULL_HANDLE;
  uint32_t queryCount = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_VULKAN_COMMANDS_H
