// What the console page and the metrics ask of the step log: lists and sums
// over many runs. Nothing here writes, and no text above 1 MiB is read.
#ifndef AGT_RUNTIME_LOG_SQLREPORTS_H
#define AGT_RUNTIME_LOG_SQLREPORTS_H

#include "runtime/Log/Sql.h"
#include "runtime/Log/StepLog.h"

namespace agt::rt {

class SqlReports {
public:
  explicit SqlReports(Sql &database) : database(database) {}

  /// The runs alone; complete() adds the rest.
  std::vector<RunSummary> page(const RunQuery &query);
  void complete(RunSummary &summary);

  std::vector<RunCount> countRuns(); // by agent and status as it is stored
  /// Agent, owner and lease of the runs that are stored as running.
  std::vector<RunRow> runningRuns();
  QueueCount countQueue();
  std::vector<EventBrief> briefs(int64_t after, int64_t upTo, size_t most);
  int64_t seqBefore(int64_t timeMs, int64_t after);

private:
  Sql &database;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_SQLREPORTS_H
