// The tables of the step log, row by row. Callers hold the connection, and a
// transaction where they write.
//
// Texts above 1 MiB go to `blobs`; bit 0 of events.large says so of args, bit 1
// of result, and the column then holds the blob's id.
#ifndef AGT_RUNTIME_LOG_SQLTABLES_H
#define AGT_RUNTIME_LOG_SQLTABLES_H

#include "runtime/Log/Sql.h"
#include "runtime/Log/StepLog.h"

namespace agt::rt {

/// A call of a limited tool.
struct CallRow {
  std::string call, owner;
  int64_t started = 0, expires = 0;
  bool running = false;
};

/// The columns of `runs` that readRun reads, from column 0 on.
#define AGT_RUN_COLUMNS                                                        \
  "id, agent, program, status, epoch, attempts, owner, created, changed,"      \
  " wake, runs.error, coalesce(lease, 0)"
/// Without arguments and result.
RunRow readRun(Statement &row);

class SqlTables {
public:
  explicit SqlTables(Sql &database) : database(database) {}

  std::optional<RunRow> loadRun(const std::string &id);
  std::vector<std::string> runIds();
  std::optional<int64_t> epochOf(const std::string &run);
  /// Of agents in `agents`, ",a,b,": the oldest in the queue; those that are
  /// owned, or that a time wakes. Without arguments and results.
  std::vector<RunRow> queuedRuns(const std::string &agents, int64_t most);
  std::vector<RunRow> unfinishedRuns(const std::string &agents);
  void insertRun(const RunRow &run, int64_t nowMs, int64_t lease);
  /// A run that waits goes on at `wake`.
  void wakeRun(const std::string &run, const std::string &wake);
  void changeRun(const std::string &run, const RunChange &to, int64_t nowMs,
                 int64_t seq);
  /// Epoch, attempts and owner as they are in `run`.
  void claimRun(const RunRow &run, int64_t nowMs, int64_t lease);
  void renewLease(const std::string &run, int64_t lease);
  void setEnd(const std::string &run, int64_t seq);
  void removeRun(const std::string &run);

  /// The event's seq; what its step is now follows from it.
  int64_t append(const Event &event, int64_t epoch, int64_t timeMs);
  std::vector<Event> events(const std::string &run, int64_t after);
  bool hasEvent(const std::string &run, int64_t seq);
  int64_t lastSeq(const std::string &run, const std::string &path);

  /// Keeps content for a run; `id` "": its digest, which is returned.
  std::string keep(const std::string &run, const std::string &id,
                   const std::string &bytes);
  std::optional<std::string> find(const std::string &blob);

  std::vector<CallRow> calls(const std::string &tool); // by start
  void addCall(const LimitedCall &call, int64_t started, int64_t expires);
  void endCall(const std::string &tool, const std::string &call);
  void removeCall(const std::string &tool, const std::string &call);

private:
  std::string content(const std::string &blob);

  Sql &database;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_SQLTABLES_H
