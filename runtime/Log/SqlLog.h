// The step log on an SQL database: everything but how a transaction is made,
// what keeps two writers of a run apart, and which clock counts.
#ifndef AGT_RUNTIME_LOG_SQLLOG_H
#define AGT_RUNTIME_LOG_SQLLOG_H

#include "runtime/Log/SqlReports.h"
#include "runtime/Log/SqlTables.h"

#include <functional>

namespace agt::rt {

class SqlLog : public StepLog {
public:
  std::vector<Written> commit(const std::vector<Write *> &writes) override;
  bool create(const RunRow &run) override;
  Claim claim(const std::string &id, const std::string &owner,
              int64_t limit) override;
  std::vector<RunRow> claimReady(const ClaimRequest &request,
                                 size_t most) override;
  std::optional<RunRow> run(const std::string &id) override;
  std::vector<RunRow> runs() override;
  std::vector<RunSummary> page(const RunQuery &query) override;
  std::vector<RunCount> countRuns() override;
  QueueCount countQueue() override;
  std::vector<EventBrief> briefs(int64_t after, int64_t upTo,
                                 size_t most) override;
  int64_t seqBefore(int64_t timeMs, int64_t after) override;
  std::vector<Event> events(const std::string &run, int64_t after) override;
  std::optional<std::string> blob(const std::string &id) override;
  void remove(const std::string &run) override;
  bool import(const RunRow &run, const std::vector<Event> &events,
              const std::vector<Blob> &blobs) override;
  int64_t leaseNs() const override { return lease; }
  int64_t acquire(const LimitedCall &call) override;
  void release(const LimitedCall &call) override;

protected:
  SqlLog(Sql &database, int64_t leaseNs)
      : tables(database), reports(database), lease(leaseNs) {}

  struct Now {
    int64_t wallMs = 0;
    int64_t clockNs = 0; // of the clock that nobody can set: leases, limits
  };
  /// Durable when it returns. `body` may be called more than once.
  virtual void transaction(const std::function<void()> &body) = 0;
  /// Not durable, only seen by everybody.
  virtual void quickTransaction(const std::function<void()> &body) = 0;
  virtual void reading(const std::function<void()> &body) = 0;
  /// Inside a transaction: nobody else writes these runs until it ends, so that
  /// the events of a run become visible in the order of their seq.
  virtual Now lockRuns(const std::vector<std::string> &ids) = 0;
  /// As lockRuns, but only those that nobody else has locked; which.
  virtual std::vector<std::string>
  lockIdle(const std::vector<std::string> &ids) = 0;
  /// Inside a transaction: when it is done, others' awaitNews() ends.
  virtual void tellNews() = 0;
  /// Inside a transaction: nobody else adds blobs until it ends.
  virtual void lockBlobs() = 0;
  /// Inside a transaction: nobody else counts calls of the tool until it ends.
  virtual void lockTool(const std::string &tool) = 0;
  virtual int64_t clockNs() = 0;
  /// Whether an owner that is not of this machine can be alive at all.
  virtual bool mayLiveElsewhere(const std::string &owner) = 0;

  SqlTables tables;
  SqlReports reports;
  /// The last event of the transaction under way; seq 0: none.
  Event lastAppended;

private:
  Written apply(const Write &write, const Now &now);
  Claim::Result take(RunRow &run, const std::string &owner, int64_t limit,
                     const Now &now);
  std::optional<RunRow> load(const std::string &id);
  bool ownerLives(const std::string &owner, int64_t until);
  std::vector<std::string> readyIds(const ClaimRequest &request, size_t most);
  static bool isReady(const RunRow &run);
  int64_t append(const Event &event, int64_t epoch, int64_t timeMs);

  int64_t lease;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_SQLLOG_H
