// The device interface: memory, kernels, lists of commands, timeline points.
//
// A device executes lists of commands (copies and launches). Commands of a
// list run in order, each seeing what those before it wrote. submit() returns
// a point on the device's timeline; points are reached in the order they were
// handed out, and wait() returns when one is reached. What the host writes to
// a visible buffer before submit() is seen by the list; what the list wrote is
// seen by the host after wait().
//
// Buffers are addressed by 64-bit device addresses; there are no bindings. A
// device outlives everything made on it. One thread uses a device at a time.
// unittests/Runtime/DeviceConformanceTest.cpp is run on every implementation.
#ifndef AGT_RUNTIME_DEVICE_DEVICE_H
#define AGT_RUNTIME_DEVICE_DEVICE_H

#include "agt/runtime.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace agt::rt {

struct DeviceProperties {
  std::string name;       // for people: "llvmpipe (LLVM 15.0.6, 256 bits)"
  bool cpuDriver = false; // it computes on the CPU, out of system memory
  std::string memory = "system"; // devices of the same word share their memory
  uint32_t subgroupSize = 1;
  uint32_t features = 0;       // agt_feature bits
  uint64_t maxAllocation = 0;  // bytes of one buffer that surely can be had
  uint64_t maxBuffer = 0;      // bytes of one buffer that may be tried
  uint32_t maxGroups[2] = {};  // workgroups of a launch along x and y
  bool timestamps = false;     // CommandList::times() works
  uint32_t isa = AGT_ISA_NONE; // it runs native variants up to this level;
                               // AGT_ISA_NONE: it runs SPIR-V
};

struct MemoryBudget {
  uint64_t free = 0;  // bytes that can be allocated now, as far as known
  uint64_t total = 0; // bytes there are
};

/// Where a buffer lives. Only Device memory is fast for kernels; Upload and
/// Download are always visible to the host.
enum class MemoryKind { Device, Upload, Download };

class Buffer {
public:
  virtual ~Buffer() = default;
  virtual uint64_t size() const = 0;
  virtual uint64_t address() const = 0;
  /// The host's view of the memory, NULL where the host has none.
  virtual unsigned char *host() = 0;
};

/// A kernel variant, ready to be launched.
class Kernel {
public:
  virtual ~Kernel() = default;
};

struct CopyCommand {
  Buffer *to;
  uint64_t toOffset;
  Buffer *from;
  uint64_t fromOffset;
  uint64_t bytes; // not 0
};

struct LaunchCommand {
  Kernel *kernel;
  std::vector<uint64_t> addresses; // the push constants, in order
  uint32_t groupsX;
  uint32_t groupsY;
  double flops = 0; // useful operations, where known: how much work it is
};

using Command = std::variant<CopyCommand, LaunchCommand>;

/// When a command ran, in seconds since its list began.
struct Span {
  double begin;
  double end;
};

/// Commands recorded once, to be submitted any number of times, but not again
/// before its last submission is done.
class CommandList {
public:
  virtual ~CommandList() = default;
  /// Of the last submission, once it has been waited for: one span for each
  /// command. Empty when the list was not recorded with times.
  virtual std::vector<Span> times() = 0;
};

using TimelinePoint = uint64_t;

class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceProperties &properties() const = 0;
  virtual MemoryBudget memoryBudget() = 0;

  /// Fails with AGT_FAILED when there is no memory. `bytes` is not 0.
  virtual std::unique_ptr<Buffer> allocate(uint64_t bytes, MemoryKind kind) = 0;
  /// Memory of the host as a buffer that commands only read. It outlives the
  /// buffer, and AGT_CPU_SLACK bytes behind it can be read; memoryBudget() does
  /// not count it. Null where the device must have its own copy.
  virtual std::unique_ptr<Buffer> lend(const void *, uint64_t) {
    return nullptr;
  }
  /// Variant number `variant` of those a device of its kind takes (see
  /// Variant.h); `pushConstants` is the number of 64-bit addresses it takes.
  virtual std::unique_ptr<Kernel>
  load(const agt_kernel &kernel, uint32_t variant, uint32_t pushConstants) = 0;
  virtual std::unique_ptr<CommandList>
  record(const std::vector<Command> &commands, bool withTimes) = 0;
  virtual TimelinePoint submit(CommandList &list) = 0;
  virtual void wait(TimelinePoint point) = 0;

  /// Fails when the device's checks (AGT_VALIDATE=1) found a mistake of ours.
  virtual void checkMistakes() {}
};

} // namespace agt::rt

#endif // AGT_RUNTIME_DEVICE_DEVICE_H
