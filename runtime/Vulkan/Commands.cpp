// Recording of command lists, and the times their commands took.
#include "runtime/Vulkan/Commands.h"

#include "runtime/Support/Failure.h"

namespace agt::rt {

VulkanCommandList::VulkanCommandList(VulkanDevice &device,
                                     const std::vector<Command> &commands,
                                     bool withTimes)
    : device(device) {
  if (withTimes && device.properties().timestamps)
    queryCount = uint32_t(commands.size()) + 1;
  try {
    begin();
    recordAll(commands);
    check(device.vk.EndCommandBuffer(buffer), "record commands");
  } catch (...) {
    release();
    throw;
  }
}

VulkanCommandList::~VulkanCommandList() { release(); }

void VulkanCommandList::release() {
  if (buffer)
    device.vk.FreeCommandBuffers(device.handle, device.commandPool, 1, &buffer);
  device.vk.DestroyQueryPool(device.handle, queries, nullptr);
}

void VulkanCommandList::begin() {
  VkCommandBufferAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocation.commandPool = device.commandPool;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  check(device.vk.AllocateCommandBuffers(device.handle, &allocation, &buffer),
        "allocate a command buffer");
  if (queryCount) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = queryCount;
    check(device.vk.CreateQueryPool(device.handle, &info, nullptr, &queries),
          "create timestamps");
  }
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(device.vk.BeginCommandBuffer(buffer, &info), "record commands");
}

void VulkanCommandList::recordAll(const std::vector<Command> &commands) {
  if (queryCount)
    device.vk.CmdResetQueryPool(buffer, queries, 0, queryCount);
  uint32_t query = 0;
  for (const Command &command : commands) {
    barrier();
    stamp(query++);
    std::visit([&](const auto &which) { record(which); }, command);
  }
  barrier();
  stamp(query);
}

void VulkanCommandList::record(const CopyCommand &copy) {
  VkBufferCopy region{copy.fromOffset, copy.toOffset, copy.bytes};
  device.vk.CmdCopyBuffer(buffer, bufferHandle(*copy.from),
                          bufferHandle(*copy.to), 1, &region);
}

void VulkanCommandList::record(const LaunchCommand &launch) {
  auto *kernel = static_cast<VulkanKernel *>(launch.kernel);
  device.vk.CmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                            kernel->pipeline);
  device.vk.CmdPushConstants(
      buffer, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
      uint32_t(launch.addresses.size() * 8), launch.addresses.data());
  device.vk.CmdDispatch(buffer, launch.groupsX, launch.groupsY, 1);
}

void VulkanCommandList::stamp(uint32_t query) {
  if (queryCount)
    device.vk.CmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                queries, query);
}

// Everything before is done and visible to everything after, the host's own
// reads included. What the host wrote before the submission needs no barrier.
void VulkanCommandList::barrier() {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_SHADER_READ_BIT |
                         VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT |
                         VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT |
                         VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  constexpr VkPipelineStageFlags work =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  device.vk.CmdPipelineBarrier(buffer, work, work | VK_PIPELINE_STAGE_HOST_BIT,
                               0, 1, &memory, 0, nullptr, 0, nullptr);
}

std::vector<Span> VulkanCommandList::times() {
  if (!queryCount)
    return {};
  std::vector<uint64_t> ticks(queryCount);
  check(device.vk.GetQueryPoolResults(
            device.handle, queries, 0, queryCount, queryCount * 8, ticks.data(),
            8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "read timestamps");
  // Counters may be narrower than 64 bits and wrap.
  uint32_t bits = device.physical.timestampBits;
  uint64_t mask = bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  double period = double(device.physical.base.limits.timestampPeriod) * 1e-9;
  auto secondsAt = [&](size_t query) {
    return double((ticks[query] - ticks[0]) & mask) * period;
  };
  std::vector<Span> spans;
  for (size_t i = 0; i + 1 < ticks.size(); ++i)
    spans.push_back({secondsAt(i), secondsAt(i + 1)});
  return spans;
}

std::unique_ptr<CommandList>
VulkanDevice::record(const std::vector<Command> &commands, bool withTimes) {
  return std::make_unique<VulkanCommandList>(*this, commands, withTimes);
}

} // namespace agt::rt
