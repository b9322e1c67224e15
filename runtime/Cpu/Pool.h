// A pool of threads that share out the workgroups of one launch at a time.
//
// The caller works too; it hands a launch to the others by opening a gate, and
// each takes chunks of groups from a common counter until none are left. A
// thread that wakes up late finds the gate closed and goes back to sleep: a
// launch ends when its work is done, not when every thread has seen it. Threads
// wait for the next launch by spinning for a few microseconds, then asleep.
//
// All CPU devices of a process share one pool, so that the positions of a mesh
// do not multiply threads. Each brings the thread that submits; while one has
// the others' help, the rest run their launches alone.
#ifndef AGT_RUNTIME_CPU_POOL_H
#define AGT_RUNTIME_CPU_POOL_H

#include "agt/runtime.h"
#include "runtime/Cpu/Memory.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
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
  /// The one that is in use, or a new one.
  static std::shared_ptr<Pool> shared();
  /// As many threads as this process may use processors at once, the caller
  /// counted; AGT_CPU_THREADS says another number.
  Pool();
  ~Pool();
  Pool(const Pool &) = delete;

  /// The caller counted.
  unsigned threads() const { return unsigned(others.size()) + 1; }
  /// The scratch of the pool's threads has at least so many bytes from here on.
  void reserveScratch(uint64_t bytes);
  /// Runs all groups, on all threads or (`alone`, or when the others are busy)
  /// on the calling one, which works in `own`; returns when they are done. Any
  /// number of threads may call it at the same time.
  void run(const PoolJob &job, bool alone, void *own);

private:
  void work(unsigned self);
  void takeChunks(void *own);
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

  std::mutex busy;              // held by the caller whose launch is shared out
  std::vector<Scratch> scratch; // of the pool's threads
  std::vector<std::thread> others;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_CPU_POOL_H
