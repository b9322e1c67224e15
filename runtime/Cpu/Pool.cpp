// See Pool.h.
#include "runtime/Cpu/Pool.h"

#include "runtime/Cpu/Memory.h"
#include "runtime/Cpu/Processors.h"

#include <algorithm>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace agt::rt {

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static void futex(std::atomic<uint32_t> &word, int operation, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), operation, value,
          nullptr, nullptr, 0);
}

std::shared_ptr<Pool> Pool::shared() {
  static std::mutex lock;
  static std::weak_ptr<Pool> known;
  std::lock_guard<std::mutex> hold(lock);
  std::shared_ptr<Pool> pool = known.lock();
  if (!pool)
    known = pool = std::make_shared<Pool>();
  return pool;
}

Pool::Pool() {
  std::vector<int> usable = usableProcessors();
  unsigned count = threadCount();
  scratch.resize(count - 1);
  for (unsigned i = 1; i < count; ++i) {
    others.emplace_back([this, i] { work(i - 1); });
    // One thread a processor; the caller's own thread is left as it is.
    if (count == usable.size())
      pinThread(others.back().native_handle(), usable[i]);
  }
}

Pool::~Pool() {
  stopping = true;
  bell.fetch_add(1);
  futex(bell, FUTEX_WAKE_PRIVATE, ~0u >> 1);
  for (std::thread &thread : others)
    thread.join();
}

void Pool::reserveScratch(uint64_t bytes) {
  std::lock_guard<std::mutex> hold(busy);
  for (Scratch &each : scratch)
    each.reserve(bytes);
}

void Pool::takeChunks(void *own) {
  for (;;) {
    int64_t first = next.fetch_add(chunk, std::memory_order_relaxed);
    if (first >= job.groups)
      return;
    int64_t end = std::min(first + chunk, job.groups);
    for (int64_t group = first; group < end; ++group)
      job.run(job.scalars, job.buffers, group, own);
  }
}

void Pool::run(const PoolJob &newJob, bool alone, void *own) {
  std::unique_lock<std::mutex> hold(busy, std::defer_lock);
  if (alone || others.empty() || newJob.groups < 2 || !hold.try_lock()) {
    for (int64_t group = 0; group < newJob.groups; ++group)
      newJob.run(newJob.scalars, newJob.buffers, group, own);
    return;
  }
  // Nobody is inside and the gate is closed: the job may be changed.
  job = newJob;
  chunk = std::max<int64_t>(1, job.groups / (int64_t(threads()) * 16));
  next.store(0, std::memory_order_relaxed);
  gate.fetch_add(oneLaunch | openBit, std::memory_order_release);
  bell.fetch_add(1);
  if (sleepers.load())
    futex(bell, FUTEX_WAKE_PRIVATE, ~0u >> 1);
  takeChunks(own);
  uint64_t state = gate.fetch_and(~openBit, std::memory_order_acq_rel);
  for (int turn = 0; uint32_t(state) != 0; ++turn) {
    // A thread inside may have lost its processor to another program.
    turn < 20000 ? pause() : (void)sched_yield();
    state = gate.load(std::memory_order_acquire);
  }
}

// True when the gate of a launch not seen before was open: this thread is
// inside then, and the job stays as it is until it leaves.
bool Pool::enter(uint64_t &seen) {
  uint64_t state = gate.load(std::memory_order_relaxed);
  while ((state & openBit) && state / oneLaunch != seen) {
    if (gate.compare_exchange_weak(state, state + 1,
                                   std::memory_order_acquire)) {
      seen = state / oneLaunch;
      return true;
    }
  }
  return false;
}

void Pool::leave() { gate.fetch_sub(1, std::memory_order_release); }

void Pool::sleepUntilNot(uint32_t number) {
  sleepers.fetch_add(1);
  futex(bell, FUTEX_WAIT_PRIVATE, number);
  sleepers.fetch_sub(1);
}

void Pool::work(unsigned self) {
  constexpr int spins = 2000; // some tens of microseconds
  uint64_t seen = 0;
  int idle = 0;
  while (!stopping.load(std::memory_order_relaxed)) {
    uint32_t number = bell.load();
    if (enter(seen)) {
      takeChunks(scratch[self].get());
      leave();
      idle = 0;
    } else if (++idle < spins) {
      pause();
    } else {
      sleepUntilNot(number);
      idle = 0;
    }
  }
}

} // namespace agt::rt
