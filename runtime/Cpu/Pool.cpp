// See Pool.h.
#include "runtime/Cpu/Pool.h"

#include "runtime/Cpu/Processors.h"

#include <algorithm>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
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
  for (unsigned i = 1; i < count; ++i) {
    try {
      others.emplace_back([this] { work(); });
    } catch (const std::system_error &) {
      break; // no room for another stack: those that are there do the work
    }
    // One thread a processor; the callers' own threads are left as they are.
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
  uint64_t known = scratchBytes.load();
  while (known < bytes && !scratchBytes.compare_exchange_weak(known, bytes)) {
  }
}

// ---- who launches ----------------------------------------------------------

void Pool::runAll(const PoolJob &job, void *own) {
  for (int64_t group = 0; group < job.groups; ++group)
    job.run(job.scalars, job.buffers, group, own);
}

// Runs the next groups of the launch; false when there are none.
bool Pool::takeChunk(Slot &slot, void *own) {
  const PoolJob &job = slot.job;
  int64_t first = slot.next.fetch_add(slot.chunk, std::memory_order_relaxed);
  if (first >= job.groups)
    return false;
  int64_t end = std::min(first + slot.chunk, job.groups);
  for (int64_t group = first; group < end; ++group)
    job.run(job.scalars, job.buffers, group, own);
  return true;
}

Pool::Slot *Pool::takeSlot() {
  std::lock_guard<std::mutex> hold(slotLock);
  if (!freeSlots)
    return nullptr;
  int index = __builtin_ctzll(freeSlots);
  freeSlots &= ~(uint64_t(1) << index);
  slotsEverUsed.store(std::max(slotsEverUsed.load(), size_t(index) + 1));
  return &slots[size_t(index)];
}

void Pool::giveBack(Slot &slot) {
  std::lock_guard<std::mutex> hold(slotLock);
  freeSlots |= uint64_t(1) << (&slot - slots.data());
}

// Wakes the helpers where they may help.
void Pool::ring() {
  int launches = callers.load();
  if (launches == 0 || launches >= int(threads()))
    return;
  bell.fetch_add(1);
  if (sleepers.load())
    futex(bell, FUTEX_WAKE_PRIVATE, ~0u >> 1);
}

void Pool::run(const PoolJob &job, bool alone, void *own) {
  Slot *slot = nullptr;
  if (!alone && !others.empty() && job.groups > 1)
    slot = takeSlot();
  if (!slot)
    return runAll(job, own);
  // Nobody is inside and the gate is closed: the job may be changed.
  slot->job = job;
  slot->chunk = std::max<int64_t>(1, job.groups / (int64_t(threads()) * 16));
  slot->next.store(0, std::memory_order_relaxed);
  callers.fetch_add(1);
  slot->gate.fetch_add(oneLaunch | openBit, std::memory_order_release);
  ring();
  while (takeChunk(*slot, own)) {
  }
  uint64_t state = slot->gate.fetch_and(~openBit, std::memory_order_acq_rel);
  for (int turn = 0; uint32_t(state) != 0; ++turn) {
    // A thread inside may have lost its processor to another program.
    turn < 20000 ? pause() : (void)sched_yield();
    state = slot->gate.load(std::memory_order_acquire);
  }
  giveBack(*slot);
  callers.fetch_sub(1);
  ring(); // there is one launch less, so that the others may be helped
}

// ---- who helps -------------------------------------------------------------

// Counts the calling thread among the helpers if there is a processor for it.
bool Pool::countIn() {
  if (helpers.fetch_add(1) < int(threads()) - callers.load())
    return true;
  helpers.fetch_sub(1);
  return false;
}

// Helps the launch with the fewest helpers of those that had groups left when
// last seen; false when there is none, or no processor for it. The job stays as
// it is while this thread is inside.
bool Pool::help(Seen &seen, Scratch &own) {
  size_t count = slotsEverUsed.load();
  size_t best = slotCount;
  uint64_t bestState = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t state = slots[i].gate.load(std::memory_order_relaxed);
    if (!(state & openBit) || state / oneLaunch == seen[i])
      continue;
    if (best == slotCount || uint32_t(state) < uint32_t(bestState)) {
      best = i;
      bestState = state;
    }
  }
  if (best == slotCount || !countIn())
    return false;
  Slot &slot = slots[best];
  if (slot.gate.compare_exchange_strong(bestState, bestState + 1,
                                        std::memory_order_acquire)) {
    // Without scratch of its own it is no help. Those who have come to launch
    // meanwhile may need the processor: no launch gets ahead of the others.
    bool more = own.tryReserve(scratchBytes.load());
    while (more && helpers.load() <= int(threads()) - callers.load())
      more = takeChunk(slot, own.get());
    if (!more)
      seen[best] = bestState / oneLaunch;
    slot.gate.fetch_sub(1, std::memory_order_release);
  }
  helpers.fetch_sub(1);
  return true;
}

void Pool::sleepUntilNot(uint32_t number) {
  sleepers.fetch_add(1);
  futex(bell, FUTEX_WAIT_PRIVATE, number);
  sleepers.fetch_sub(1);
}

void Pool::work() {
  constexpr int spins = 2000; // some tens of microseconds
  Scratch own;
  Seen seen{}; // the last launch that had no groups left, by slot
  int idle = 0;
  while (!stopping.load(std::memory_order_relaxed)) {
    uint32_t number = bell.load();
    if (help(seen, own)) {
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
