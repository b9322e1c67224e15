// See CpuDevice.h. Lists run inside submit(), command after command, so every
// timeline point is reached when it is handed out. A launch is shared out over
// the pool; a small one stays on the calling thread, where it costs no more
// than the call.
#include "runtime/Cpu/CpuDevice.h"

#include "runtime/Cpu/Isa.h"
#include "runtime/Cpu/Memory.h"
#include "runtime/Cpu/Pool.h"
#include "runtime/Device/SystemMemory.h"
#include "runtime/Support/Failure.h"

#include <chrono>
#include <cstring>

namespace agt::rt {
namespace {

// Launches of fewer operations are not worth waking a thread for: about what
// one thread does in the time that takes.
constexpr double smallLaunch = 1e5;

class CpuBuffer : public Buffer {
public:
  CpuBuffer(void *memory, uint64_t bytes)
      : memory(static_cast<unsigned char *>(memory)), bytes(bytes) {}
  uint64_t size() const override { return bytes; }
  uint64_t address() const override {
    return reinterpret_cast<uintptr_t>(memory);
  }
  unsigned char *host() override { return memory; }

  unsigned char *memory;

private:
  uint64_t bytes;
};

class OwnBuffer : public CpuBuffer {
public:
  OwnBuffer(uint64_t bytes, uint64_t &used)
      : CpuBuffer(allocateAligned(bytes), bytes), used(used) {
    if (!memory)
      failForMemory(bytes);
    used += bytes;
  }
  ~OwnBuffer() override {
    used -= size();
    freeAligned(memory);
  }

private:
  uint64_t &used; // the device's count, which outlives its buffers
};

class CpuKernel : public Kernel {
public:
  explicit CpuKernel(agt_cpu_fn run) : run(run) {}
  agt_cpu_fn run;
};

class CpuCommandList : public CommandList {
public:
  CpuCommandList(std::vector<Command> commands, bool withTimes)
      : commands(std::move(commands)), withTimes(withTimes) {}
  std::vector<Span> times() override { return spans; }

  std::vector<Command> commands;
  bool withTimes;
  std::vector<Span> spans;
};

double seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

class CpuDevice : public Device {
public:
  CpuDevice() {
    props.isa = processorIsa();
    props.name = processorName() + " (" + std::to_string(pool->threads()) +
                 (pool->threads() == 1 ? " thread, " : " threads, ") +
                 (props.isa >= AGT_ISA_V4 ? "AVX-512)" : "AVX2)");
    props.cpuDriver = true;
    props.maxAllocation = props.maxBuffer = uint64_t(1) << 46;
    props.maxGroups[0] = props.maxGroups[1] = ~0u >> 1;
    props.timestamps = true;
  }

  const DeviceProperties &properties() const override { return props; }

  MemoryBudget memoryBudget() override {
    MemoryBudget budget = systemMemory();
    applyMemoryLimit(budget, used);
    return budget;
  }

  std::unique_ptr<Buffer> allocate(uint64_t bytes, MemoryKind) override {
    // The system may promise what it does not have.
    if (bytes > systemMemory().total)
      failForMemory(bytes);
    return std::make_unique<OwnBuffer>(bytes, used);
  }

  std::unique_ptr<Buffer> lend(const void *data, uint64_t bytes) override {
    return std::make_unique<CpuBuffer>(const_cast<void *>(data), bytes);
  }

  std::unique_ptr<Kernel> load(const agt_kernel &kernel, uint32_t variant,
                               uint32_t) override {
    const agt_cpu_variant &code = kernel.cpu_variants[variant];
    pool->reserveScratch(code.scratch_bytes);
    scratch.reserve(code.scratch_bytes);
    return std::make_unique<CpuKernel>(code.run);
  }

  std::unique_ptr<CommandList> record(const std::vector<Command> &commands,
                                      bool withTimes) override {
    return std::make_unique<CpuCommandList>(commands, withTimes);
  }

  TimelinePoint submit(CommandList &commandList) override {
    auto &list = static_cast<CpuCommandList &>(commandList);
    if (!list.withTimes) {
      for (const Command &command : list.commands)
        std::visit([this](const auto &each) { run(each); }, command);
      return ++lastPoint;
    }
    list.spans.clear();
    double start = seconds();
    for (const Command &command : list.commands) {
      double begin = seconds() - start;
      std::visit([this](const auto &each) { run(each); }, command);
      list.spans.push_back({begin, seconds() - start});
    }
    return ++lastPoint;
  }

  void wait(TimelinePoint) override {}

private:
  void run(const CopyCommand &copy) {
    auto *to = static_cast<CpuBuffer *>(copy.to);
    auto *from = static_cast<CpuBuffer *>(copy.from);
    std::memmove(to->memory + copy.toOffset, from->memory + copy.fromOffset,
                 copy.bytes);
  }

  void run(const LaunchCommand &launch) {
    static_assert(sizeof(void *) == sizeof(uint64_t));
    auto *addresses = reinterpret_cast<void *const *>(launch.addresses.data());
    PoolJob job;
    job.run = static_cast<CpuKernel *>(launch.kernel)->run;
    job.scalars = static_cast<const int32_t *>(addresses[0]);
    job.buffers = addresses + 1;
    job.groups = job.scalars[0];
    pool->run(job, launch.flops < smallLaunch, scratch.get());
  }

  std::shared_ptr<Pool> pool = Pool::shared();
  Scratch scratch; // of the thread that submits
  DeviceProperties props;
  uint64_t used = 0;
  TimelinePoint lastPoint = 0;
};

} // namespace

bool hasCpuDevice() { return processorIsa() != AGT_ISA_NONE; }

std::unique_ptr<Device> makeCpuDevice() {
  if (!hasCpuDevice())
    fail(AGT_MISSING, "programs run natively on processors with AVX2 and FMA "
                      "(x86-64-v3), which this one has not: use 'vulkan'");
  return std::make_unique<CpuDevice>();
}

} // namespace agt::rt
