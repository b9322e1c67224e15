// A pool of threads that share out the workgroups of one launch at a time.
//
// The caller works too; it hands a launch to the others by opening a gate, and
// each takes chunks of groups from a common counter until none are left. A
// thread that wakes up late finds the gate closed and goes back to sleep: a
// launch ends when its work is done, not when every thread has seen it. Threads
// wait for the next launch by spinning for a few microseconds, then asleep.
#ifndef AGT_RUNTIME_CPU_POOL_H
#define AGT_RUNTIME_CPU_POOL_H

#include "agt/runtime.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace agt::rt {

/// The groups 0 .. groups - 1 of a kernel.
struct PoolJob {
  agt_cpu_fn run = nullptr;
  const int32_t *scalars = nullptr;
  void *const *buffers = nullptr;
  int64_t groups = 0;
};

class Pool {
public:
  /// As many threads as this process may use processors at once, the caller
  /// counted; AGT_CPU_THREADS says another number.
  Pool();
  ~Pool();
  Pool(const Pool &) = delete;

  unsigned threads() const { return unsigned(scratch.size()); }
  /// Every thread's scratch has at least so many bytes from here on.
  void reserveScratch(uint64_t bytes);
  /// Runs all groups, on all threads or (`alone`) on the calling one; returns
  /// when they are done.
  void run(const PoolJob &job, bool alone);

private:
  class Scratch {
  public:
    Scratch() = default;
    Scratch(Scratch &&other) noexcept : memory(other.memory) {
      other.memory = nullptr;
    }
    ~Scratch();
    void grow(uint64_t bytes);
    void *memory = nullptr;
  };

  void work(unsigned self);
  void takeChunks(unsigned self);
  bool enter(uint64_t &seen);
  void leave();
  void sleepUntilNot(uint32_t number);

  // The gate: number of the launch << 33 | open << 32 | threads inside.
  static constexpr uint64_t openBit = uint64_t(1) << 32;
  static constexpr uint64_t oneLaunch = uint64_t(1) << 33;
  alignas(64) std::atomic<uint64_t> gate{0};
  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) PoolJob job;
  int64_t chunk = 1;
  // What sleepers wait on: changes with every launch.
  alignas(64) std::atomic<uint32_t> bell{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> stopping{false};

  std::vector<Scratch> scratch; // by thread, the caller's first
  uint64_t scratchBytes = 0;
  std::vector<std::thread> others;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_CPU_POOL_H
