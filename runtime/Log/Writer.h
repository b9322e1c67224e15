// Group commit: one thread that makes a transaction of whatever branches and
// runs have queued while the last one was on its way to the disk.
//
// Writes of one run are made in the order they were queued in, so a durable
// write means that all earlier ones of the run are durable too.
#ifndef AGT_RUNTIME_LOG_WRITER_H
#define AGT_RUNTIME_LOG_WRITER_H

#include "runtime/Log/StepLog.h"
#include "runtime/Support/Failure.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace agt::rt {

/// What all writers of this process have done so far, for its metrics.
struct WriterTotals {
  std::atomic<int64_t> commits{0};  // transactions
  std::atomic<int64_t> renewals{0}; // of leases
  std::atomic<int64_t> fenced{0};   // writes with an epoch that is over
};
WriterTotals &writerTotals();

class Writer {
public:
  explicit Writer(StepLog &log);
  ~Writer(); // makes what is queued durable first
  Writer(const Writer &) = delete;

  /// Returns when the write is durable. Throws Failure when the log fails, and
  /// for Stale and NoRun.
  void write(Write write);
  /// Returns at once; `refused` is called on the writer's thread if the write
  /// did not happen.
  void queue(Write write, std::function<void(const Failure &)> refused);

  /// How many transactions were made so far.
  int64_t commits() const { return transactions; }

private:
  struct Job;
  void serve();
  void commitAll(const std::deque<Job *> &jobs);

  StepLog &log;
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<Job *> waiting;
  bool ending = false;
  // Runs (with their epochs) of which a write was lost: what they queued behind
  // it must not become durable, or the log would have a hole.
  std::map<std::pair<std::string, int64_t>, std::exception_ptr> broken;
  std::atomic<int64_t> transactions{0};
  std::thread thread;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_WRITER_H
