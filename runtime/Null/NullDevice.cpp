// How a device is put together, by the one that has the least of everything.
//
// Work is done inside submit(), so that every timeline point is reached when
// it is handed out. A real device queues the work there and lets wait() block.
#include "runtime/Null/NullDevice.h"

#include "runtime/Device/SystemMemory.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <cstdlib>
#include <cstring>

namespace agt::rt {

[[noreturn]] static void failForMemory(uint64_t bytes) {
  fail(AGT_FAILED, "out of memory: the device 'null device' has no room for " +
                       bytesText(bytes));
}

namespace {

// Memory comes zeroed from calloc. The address of a buffer is that of its
// memory; it stays distinct from any other live buffer's, which is all that
// plans ask of it.
class NullBuffer : public Buffer {
public:
  NullBuffer(uint64_t bytes, bool visible, uint64_t &used)
      : memory(static_cast<unsigned char *>(std::calloc(1, bytes))),
        bytes(bytes), visible(visible), used(used) {
    if (!memory)
      failForMemory(bytes);
    used += bytes;
  }
  ~NullBuffer() override {
    used -= bytes;
    std::free(memory);
  }
  uint64_t size() const override { return bytes; }
  uint64_t address() const override {
    return reinterpret_cast<uintptr_t>(memory);
  }
  unsigned char *host() override { return visible ? memory : nullptr; }

  unsigned char *memory;

private:
  uint64_t bytes;
  bool visible;
  uint64_t &used; // the device's count, which outlives its buffers
};

// There is nothing to compile. A real device keeps its pipeline here.
class NullKernel : public Kernel {};

// The list is kept as it came. A real device records its own form of it.
class NullCommandList : public CommandList {
public:
  NullCommandList(std::vector<Command> commands, bool withTimes)
      : commands(std::move(commands)), withTimes(withTimes) {}
  // Nothing takes time here: every span is empty, at the list's beginning.
  std::vector<Span> times() override {
    return std::vector<Span>(withTimes ? commands.size() : 0, Span{0, 0});
  }

  std::vector<Command> commands;
  bool withTimes;
};

class NullDevice : public Device {
public:
  explicit NullDevice(const NullOptions &options) : options(options) {
    // Every feature is there and every variant fits: the first is taken, as
    // on the best device. Subgroups have the size most GPUs have.
    props.name = "null device";
    props.cpuDriver = true;
    props.subgroupSize = 32;
    props.features = ~0u;
    props.maxAllocation = options.maxAllocation;
    props.maxBuffer = options.maxBuffer;
    props.maxGroups[0] = props.maxGroups[1] = 65535;
    props.timestamps = true;
  }

  const DeviceProperties &properties() const override { return props; }

  MemoryBudget memoryBudget() override {
    if (!options.memory) {
      MemoryBudget budget = systemMemory();
      applyMemoryLimit(budget, used);
      return budget;
    }
    uint64_t free = used < options.memory ? options.memory - used : 0;
    return {free, options.memory};
  }

  std::unique_ptr<Buffer> allocate(uint64_t bytes, MemoryKind kind) override {
    if (bytes > options.maxBuffer)
      failForMemory(bytes);
    bool visible = options.hostVisible || kind != MemoryKind::Device;
    return std::make_unique<NullBuffer>(bytes, visible, used);
  }

  std::unique_ptr<Kernel> load(const agt_kernel &, uint32_t,
                               uint32_t) override {
    return std::make_unique<NullKernel>();
  }

  std::unique_ptr<CommandList> record(const std::vector<Command> &commands,
                                      bool withTimes) override {
    return std::make_unique<NullCommandList>(commands, withTimes);
  }

  TimelinePoint submit(CommandList &list) override {
    for (const Command &command : static_cast<NullCommandList &>(list).commands)
      if (auto *copy = std::get_if<CopyCommand>(&command))
        run(*copy);
    return ++lastPoint;
  }

  void wait(TimelinePoint) override {}

private:
  static void run(const CopyCommand &copy) {
    auto *to = static_cast<NullBuffer *>(copy.to);
    auto *from = static_cast<NullBuffer *>(copy.from);
    std::memmove(to->memory + copy.toOffset, from->memory + copy.fromOffset,
                 copy.bytes);
  }

  NullOptions options;
  DeviceProperties props;
  uint64_t used = 0;
  TimelinePoint lastPoint = 0;
};

} // namespace

std::unique_ptr<Device> makeNullDevice(const NullOptions &options) {
  return std::make_unique<NullDevice>(options);
}

} // namespace agt::rt
