// Serving the queue of a step log: runs that were submitted, that nobody alive
// works on any more, and that have what they waited for.
#ifndef AGT_RUNTIME_AGENT_WORKER_H
#define AGT_RUNTIME_AGENT_WORKER_H

#include "runtime/Agent/Runner.h"

#include <condition_variable>
#include <thread>

namespace agt::rt {

struct WorkerOptions {
  size_t concurrency = 16;            // runs at the same time
  int64_t noticeNs = 120'000'000'000; // from the wish to end to the end
  /// Asked all the time: true from when no run is to be begun any more.
  std::function<bool()> ending;
  SpanSink *spans = nullptr; // where the runs' traces go
  /// Each run that came to an end or stopped; on any thread.
  std::function<void(const std::string &run, const RunOutcome &)> onOutcome;
};

class Worker {
public:
  Worker(const AgentProgram &program, StepLog &log, WorkerOptions options);
  ~Worker();

  /// Until `ending`, and until what runs then has let go. Throws Failure when
  /// the log is lost.
  void serve();

  size_t slotCount() const { return options.concurrency; }
  /// How many runs it has; on any thread.
  size_t busySlots() const;

private:
  size_t begin(size_t most);
  void work(const RunRow &run);
  void slot();
  void leave();

  StepLog &log;
  const WorkerOptions options;
  Runner runner;
  ClaimRequest request;

  mutable std::mutex mutex;
  std::condition_variable claimed, freed;
  std::vector<RunRow> next; // claimed and not begun
  size_t busy = 0;          // slots that have a run, or will
  bool over = false;
  std::atomic<bool> leaving{false}, stopping{false};
  std::optional<Failure> lost; // the log
  std::vector<std::thread> slots;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_WORKER_H
