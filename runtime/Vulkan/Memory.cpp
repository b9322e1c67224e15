// Memory of a Vulkan device: budgets, memory types, buffers.
#include "runtime/Device/SystemMemory.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Vulkan/VulkanDevice.h"

#include <algorithm>

namespace agt::rt {

[[noreturn]] static void failForMemory(const VulkanDevice &device,
                                       uint64_t bytes) {
  fail(AGT_FAILED, "out of memory: the device '" + device.properties().name +
                       "' has no room for " + bytesText(bytes));
}

namespace {
class VulkanBuffer : public Buffer {
public:
  VulkanBuffer(VulkanDevice &device, uint64_t bytes, uint32_t memoryType,
               bool visible)
      : device(device), bytes(bytes) {
    try {
      create(memoryType, visible);
    } catch (...) {
      release();
      throw;
    }
    device.usedBytes += bytes;
  }
  ~VulkanBuffer() override {
    device.usedBytes -= bytes;
    release();
  }
  uint64_t size() const override { return bytes; }
  uint64_t address() const override { return deviceAddress; }
  unsigned char *host() override { return mapping; }

  VkBuffer handle = VK_NULL_HANDLE;

private:
  void create(uint32_t memoryType, bool visible) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    check(device.vk.CreateBuffer(device.handle, &info, nullptr, &handle),
          "create a buffer");
    VkMemoryRequirements needs;
    device.vk.GetBufferMemoryRequirements(device.handle, handle, &needs);

    VkMemoryAllocateFlagsInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.pNext = &flags;
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = memoryType;
    VkResult result =
        device.vk.AllocateMemory(device.handle, &allocation, nullptr, &memory);
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
        result == VK_ERROR_OUT_OF_HOST_MEMORY)
      failForMemory(device, bytes);
    check(result, "allocate memory");
    check(device.vk.BindBufferMemory(device.handle, handle, memory, 0),
          "bind memory");
    if (visible) {
      void *address = nullptr;
      check(device.vk.MapMemory(device.handle, memory, 0, VK_WHOLE_SIZE, 0,
                                &address),
            "map memory");
      mapping = static_cast<unsigned char *>(address);
    }
    VkBufferDeviceAddressInfo addressInfo{};
    addressInfo.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    addressInfo.buffer = handle;
    deviceAddress =
        device.vk.GetBufferDeviceAddress(device.handle, &addressInfo);
  }

  void release() {
    device.vk.DestroyBuffer(device.handle, handle, nullptr);
    device.vk.FreeMemory(device.handle, memory, nullptr);
  }

  VulkanDevice &device;
  uint64_t bytes;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  unsigned char *mapping = nullptr;
  uint64_t deviceAddress = 0;
};
} // namespace

VkBuffer bufferHandle(Buffer &buffer) {
  return static_cast<VulkanBuffer &>(buffer).handle;
}

// The best memory type for a kind. Visible memory is coherent always, so that
// nothing has to be flushed; the specification promises one such type.
uint32_t VulkanDevice::memoryType(MemoryKind kind) const {
  constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags coherent =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

  // Wishes in order of preference; the last of each list always exists.
  std::vector<VkMemoryPropertyFlags> wishes;
  bool shared =
      physical.rank() == 0 ||
      physical.base.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  if (kind == MemoryKind::Device && shared)
    wishes = {local | coherent | cached, local | coherent, local};
  else if (kind == MemoryKind::Device)
    wishes = {local};
  else if (kind == MemoryKind::Upload)
    wishes = {coherent};
  else
    wishes = {coherent | cached, coherent};
  for (VkMemoryPropertyFlags wish : wishes)
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if ((memory.memoryTypes[i].propertyFlags & wish) == wish)
        return i;
  return 0;
}

MemoryBudget VulkanDevice::memoryBudget() {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budgets{};
  budgets.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  bool hasBudgets = physical.hasExtension(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  VkPhysicalDeviceMemoryProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  properties.pNext = hasBudgets ? &budgets : nullptr;
  instance->vk.GetPhysicalDeviceMemoryProperties2(physical.handle, &properties);

  uint32_t heap = memory.memoryTypes[memoryType(MemoryKind::Device)].heapIndex;
  MemoryBudget result;
  result.total = memory.memoryHeaps[heap].size;
  uint64_t limit = hasBudgets ? budgets.heapBudget[heap] : result.total;
  uint64_t used = hasBudgets ? budgets.heapUsage[heap] : usedBytes;
  result.free = limit > used ? limit - used : 0;
  if (physical.properties.cpuDriver) {
    // Drivers on the CPU show the machine's memory, whatever else uses it.
    MemoryBudget system = systemMemory();
    result.total = std::min(result.total, system.total);
    result.free = std::min(result.free, system.free);
  }
  applyMemoryLimit(result, usedBytes);
  return result;
}

std::unique_ptr<Buffer> VulkanDevice::allocate(uint64_t bytes,
                                               MemoryKind kind) {
  if (bytes > properties().maxBuffer)
    failForMemory(*this, bytes);
  uint32_t type = memoryType(kind);
  // A discrete GPU's memory is not mapped even where it could be: the host
  // reads through its bus far slower than a copy brings the data over.
  bool visible = (memory.memoryTypes[type].propertyFlags &
                  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) &&
                 (kind != MemoryKind::Device ||
                  (!options.forceStaging && physical.rank() != 4));
  return std::make_unique<VulkanBuffer>(*this, bytes, type, visible);
}

} // namespace agt::rt
