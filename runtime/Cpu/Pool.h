// A pool of threads that share out the workgroups of launches.
//
// All CPU devices of a process share one pool, so that the positions of a mesh
// do not multiply threads. Whoever launches works too, and the pool's threads
// help as long as fewer launches are under way than there are processors: one
// launch alone gets all of them, four on two processors run on a thread each,
// and the last of them gets help when the others are done. So positions that
// have the same work stay in step, which hides their transfers.
//
// A launch opens a gate to the helpers, and each thread takes chunks of groups
// from a common counter until none are left. A thread that wakes up late finds
// the gate closed and goes back to sleep: a launch ends when its work is done,
// not when every thread has seen it. Threads wait for the next launch by
// spinning for a few microseconds, then asleep.
#ifndef AGT_RUNTIME_CPU_POOL_H
#define AGT_RUNTIME_CPU_POOL_H

#include "agt/runtime.h"
#include "runtime/Cpu/Memory.h"

#include <array>
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
  /// As many threads as this process may use processors at once, one caller
  /// counted; AGT_CPU_THREADS says another number.
  Pool();
  ~Pool();
  Pool(const Pool &) = delete;

  /// One caller counted.
  unsigned threads() const { return unsigned(others.size()) + 1; }
  /// The pool's threads work with so many bytes of scratch from here on.
  void reserveScratch(uint64_t bytes);
  /// Runs all groups, with help or (`alone`) on the calling thread only, which
  /// works in `own`; returns when they are done. Any number of threads may call
  /// it at the same time.
  void run(const PoolJob &job, bool alone, void *own);

private:
  // A launch under way. The gate: number of the launch << 33 | open << 32 |
  // helpers inside. The job stays as it is while it is open or helpers are
  // inside.
  struct alignas(64) Slot {
    std::atomic<uint64_t> gate{0};
    alignas(64) std::atomic<int64_t> next{0};
    alignas(64) PoolJob job;
    int64_t chunk = 1;
  };
  static constexpr uint64_t openBit = uint64_t(1) << 32;
  static constexpr uint64_t oneLaunch = uint64_t(1) << 33;
  static constexpr size_t slotCount = 64;
  using Seen = std::array<uint64_t, slotCount>;

  static void runAll(const PoolJob &job, void *own);
  static bool takeChunk(Slot &slot, void *own);
  Slot *takeSlot();
  void giveBack(Slot &slot);
  void ring();
  void work();
  bool countIn();
  bool help(Seen &seen, Scratch &own);
  void sleepUntilNot(uint32_t number);

  std::array<Slot, slotCount> slots;
  std::mutex slotLock;
  uint64_t freeSlots = ~uint64_t(0);    // bits
  std::atomic<size_t> slotsEverUsed{0}; // the first so many
  alignas(64) std::atomic<int> callers{0};
  alignas(64) std::atomic<int> helpers{0}; // inside a launch
  std::atomic<uint64_t> scratchBytes{0};
  // What sleepers wait on: changes when there may be something to do.
  alignas(64) std::atomic<uint32_t> bell{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> stopping{false};
  std::vector<std::thread> others;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_CPU_POOL_H
