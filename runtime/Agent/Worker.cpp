// See Worker.h. One thread claims, as many runs at once as slots are free, in
// one transaction; each slot is a thread that executes what it is given. A run
// that waits is let go of and holds no slot: what it waits for makes it ready
// again in the log, for any worker.
//
// At the end nothing is claimed any more, and every run lets go before its next
// step (ExecutionOptions::leaving). What is still in a step when the notice is
// over is stopped; whoever claims the run next finds out what became of it.
#include "runtime/Agent/Worker.h"

#include <algorithm>

namespace agt::rt {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto lookEvery = std::chrono::milliseconds(100);
// Leases end and times come without anybody writing.
constexpr int64_t askAgainNs = 500'000'000;

} // namespace

Worker::Worker(const AgentProgram &program, StepLog &log, WorkerOptions given)
    : log(log), options(std::move(given)), runner(program, log) {
  request.owner = thisProcess();
  for (const AgentDecl &agent : program.agents)
    request.agents[agent.name] = agent.attempts;
  for (size_t i = 0; i < options.concurrency; ++i)
    slots.emplace_back([this] { slot(); });
}

Worker::~Worker() {
  {
    std::lock_guard<std::mutex> held(mutex);
    over = true;
  }
  leaving = stopping = true;
  claimed.notify_all();
  for (std::thread &thread : slots)
    thread.join();
}

size_t Worker::busySlots() const {
  std::lock_guard<std::mutex> held(mutex);
  return busy;
}

// Claims what is ready; how many runs.
size_t Worker::begin(size_t most) {
  std::vector<RunRow> runs = log.claimReady(request, most);
  std::lock_guard<std::mutex> held(mutex);
  busy += runs.size();
  for (RunRow &run : runs)
    next.push_back(std::move(run));
  claimed.notify_all();
  return runs.size();
}

void Worker::serve() {
  while (!options.ending()) {
    size_t free;
    {
      std::unique_lock<std::mutex> held(mutex);
      if (lost)
        throw *lost;
      free = options.concurrency - busy;
      if (!free) {
        freed.wait_for(held, lookEvery);
        continue;
      }
    }
    if (begin(free))
      continue;
    // Until something may be ready; a slot that becomes free changes nothing
    // about that.
    auto end = Clock::now() + std::chrono::nanoseconds(askAgainNs);
    while (!options.ending() && Clock::now() < end)
      if (log.awaitNews(std::chrono::nanoseconds(lookEvery).count()))
        break;
  }
  leave();
}

void Worker::leave() {
  leaving = true;
  auto end = Clock::now() + std::chrono::nanoseconds(options.noticeNs);
  std::unique_lock<std::mutex> held(mutex);
  freed.wait_until(held, end, [&] { return busy == 0 || lost; });
  stopping = true; // what still works is stopped
  freed.wait(held, [&] { return busy == 0 || lost; });
  if (lost)
    throw *lost;
}

void Worker::slot() {
  std::unique_lock<std::mutex> held(mutex);
  while (true) {
    claimed.wait(held, [&] { return over || !next.empty(); });
    if (next.empty())
      return;
    RunRow run = std::move(next.back());
    next.pop_back();
    held.unlock();
    work(run);
    held.lock();
    --busy;
    freed.notify_all();
  }
}

void Worker::work(const RunRow &run) {
  ExecutionOptions execution;
  execution.leaving = &leaving;
  execution.stopping = &stopping;
  execution.queued = true;
  execution.spans = options.spans;
  RunOutcome outcome;
  try {
    outcome = runner.resumeClaimed(run, execution);
  } catch (const Failure &failure) {
    outcome.code = failure.code;
    outcome.message = failure.message;
    outcome.place = failure.place;
    std::lock_guard<std::mutex> held(mutex);
    // A log that is out of reach is so for all.
    if (!lost && failure.code == AGT_MISSING)
      lost = failure;
  }
  if (options.onOutcome)
    options.onOutcome(run.id, outcome);
}

} // namespace agt::rt
