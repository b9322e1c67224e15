// The step log: what every database must do for us.
//
// `events` is append-only and is the truth; what a step or a run is now is kept
// beside it and changed in the same transaction. A run is owned by whoever
// claimed it last: its epoch grows at every claim, every write of an owner
// carries it, and a write with an older one is refused. Writes from outside
// (an approval, a signal, a cancel) carry none.
//
// An owner is taken to be alive until its lease is over, by the database's
// clock; owners renew theirs at a third of its time. One of this machine is not
// when its process is gone.
//
// Runs that nobody has begun, that nobody alive owns, or whose time to go on
// has come are ready: workers claim them in no order. A write from outside
// makes a run that waits ready, since it may be what it waits for.
//
// commit() takes the writes of several runs and branches and makes them one
// transaction; it returns when they would survive a power cut. A write that is
// refused takes none of its events along and does not disturb the others.
#ifndef AGT_RUNTIME_LOG_STEPLOG_H
#define AGT_RUNTIME_LOG_STEPLOG_H

#include "runtime/Log/Clock.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agt::rt {

enum class EventKind {
  RunStarted,
  Intent,
  Result,
  Failure,
  Unknown,
  Reconciled,
  Parked,
  Decision,
  ApprovalAsked,
  Approval,
  Signal,
  Sleep,
  Cancel,
  Cancelled,
  Claimed,
  Released,
  RunDone,
  RunFailed
};
const char *eventKindName(EventKind kind);
std::optional<EventKind> eventKindNamed(const std::string &name);

struct StepNote; // runtime/Telemetry/StepNote.h

/// JSON columns hold canonical JSON, "" where there is none. `info` is JSON of
/// our own: what a model's answer said of itself, deadlines, which failure is
/// the last one.
struct Event {
  int64_t seq = 0;    // given by the log, grows
  int64_t timeMs = 0; // given by the log
  std::string run, path;
  EventKind kind = EventKind::Result;
  int64_t attempt = 0;
  int64_t epoch = 0; // given by the log
  std::string token, hash, args, result, error, info;
  int64_t tokensIn = -1, tokensOut = -1;
  // Of the process that notes it, for its traces; not in the log: when it was
  // noted, when what it ends began (0: with the intent), and what it is about.
  int64_t notedNs = 0, beganNs = 0;
  std::shared_ptr<const StepNote> note;
};

enum class RunStatus {
  Queued,
  Running,
  Waiting,
  Parked,
  Done,
  Failed,
  Cancelled
};
const char *runStatusName(RunStatus status);
bool isTerminal(RunStatus status);

struct RunRow {
  std::string id, agent, program, args;
  RunStatus status = RunStatus::Queued;
  int64_t epoch = 0, attempts = 0; // claims since the last orderly release
  std::string owner;
  int64_t createdMs = 0, changedMs = 0;
  std::string wake;  // Instant, "" when no time wakes it
  std::string error; // of Failed
  std::string result;
  int64_t leaseNs = 0; // when the claim is over, by the database's clock
  bool owned = false;  // by somebody alive; given by the log
};

/// How a run stands after a write.
struct RunChange {
  RunStatus status;
  bool release = false; // the owner lets go
  std::string wake, error, result;
};

struct Blob {
  std::string id, content;
};

/// A write from outside that only holds while the last event of a step is the
/// one that was seen: an approval is given once.
struct Expectation {
  std::string path;
  int64_t lastSeq = 0;
};

struct Write {
  std::string run;
  int64_t epoch = 0; // 0: from outside
  std::optional<Expectation> expected;
  std::vector<Event> events;
  std::vector<Blob> blobs;
  std::optional<RunChange> change;
  bool renew = false; // the owner's lease
  /// Gets the events once they are durable, in the order of the log; called by
  /// Writer, on its thread.
  std::function<void(std::vector<Event>)> onDurable;
};

enum class Written { Yes, Stale, NoRun };

struct Claim {
  enum Result { Claimed, Busy, NoRun, Terminal, Exhausted } result;
  RunRow run; // as it stands after the claim
};

/// What a worker can serve.
struct ClaimRequest {
  std::string owner;
  std::map<std::string, int64_t> agents; // their limits of claims, see claim()
};

/// A call of a tool with a `limit`, which holds over all runs and workers of
/// one database. 0: no such limit.
struct LimitedCall {
  std::string tool, call; // `call`: any name that no other call has
  std::string owner;      // the process
  int64_t calls = 0, perNs = 0, concurrent = 0;
  int64_t timeoutNs = 0; // after which it is over, whatever became of its owner
};

/// Which runs to list, newest first.
struct RunQuery {
  std::string agent;               // "": of all
  std::optional<RunStatus> status; // none: of all
  /// Only runs that were made before this one, where an earlier page ended.
  int64_t beforeMs = INT64_MAX;
  std::string beforeId;
  size_t most = 50;
};

/// A run in a list. Tokens of the turns of an ask are those of the ask.
struct RunSummary {
  RunRow run; // without arguments and result
  int64_t steps = 0, tokensIn = 0, tokensOut = 0;
  /// Of a run that waits or is parked: the last event of each step that is
  /// open, at most eight, without arguments above 1 MiB.
  std::vector<Event> open;
};

/// How many runs of an agent stand so; a run that is "running" and that nobody
/// alive owns is "interrupted".
struct RunCount {
  std::string agent, status;
  int64_t runs = 0;
};

/// Runs in the queue that nobody has begun.
struct QueueCount {
  int64_t runs = 0, oldestMs = 0; // since 1970; 0: there is none
};

/// What metrics need of an event.
struct EventBrief {
  int64_t seq = 0, timeMs = 0;
  std::string run, agent, path;
  EventKind kind = EventKind::Result;
  int64_t attempt = 0;
  bool call = false; // of an attempt
  bool hasResult = false;
  std::string about; // how its arguments begin: 8 letters
  std::string info;
  int64_t tokensIn = -1, tokensOut = -1;
};

constexpr int64_t defaultLeaseNs = 30'000'000'000;

class StepLog {
public:
  virtual ~StepLog();

  /// One durable transaction. Throws Failure when the database refuses it all.
  virtual std::vector<Written> commit(const std::vector<Write *> &writes) = 0;

  /// A new run and its run_started event; false when the id is taken. Where
  /// `owner` is given it is about to claim the run, and nobody else may.
  virtual bool create(const RunRow &run) = 0;
  /// Takes a run that nobody alive owns. `limit`: how often it may be claimed
  /// without being released in order; then it is parked. 0: no limit.
  virtual Claim claim(const std::string &run, const std::string &owner,
                      int64_t limit) = 0;

  /// Claims up to `most` runs that are ready, chosen by chance.
  virtual std::vector<RunRow> claimReady(const ClaimRequest &request,
                                         size_t most) = 0;
  /// Waits up to `ns`; true when a run may have become ready meanwhile.
  virtual bool awaitNews(int64_t ns) = 0;

  virtual std::optional<RunRow> run(const std::string &id) = 0;
  virtual std::vector<RunRow> runs() = 0;
  virtual std::vector<RunSummary> page(const RunQuery &query) = 0;
  virtual std::vector<RunCount> countRuns() = 0;
  virtual QueueCount countQueue() = 0;
  /// Of all runs in order of seq, those with one above `after` and at most
  /// `upTo`; the first `most` of them.
  virtual std::vector<EventBrief> briefs(int64_t after, int64_t upTo,
                                         size_t most) = 0;
  /// The greatest seq of an event that was written before the time, in
  /// milliseconds since 1970; at least `after`.
  virtual int64_t seqBefore(int64_t timeMs, int64_t after) = 0;
  /// In order of seq, those after `after` only.
  virtual std::vector<Event> events(const std::string &run, int64_t after) = 0;
  virtual std::optional<std::string> blob(const std::string &id) = 0;
  /// How long a claim holds without being renewed, in nanoseconds.
  virtual int64_t leaseNs() const = 0;
  /// 0: the call may start and counts as running. Else nanoseconds after which
  /// to ask again. Not durable, nor need it be.
  virtual int64_t acquire(const LimitedCall &call) = 0;
  virtual void release(const LimitedCall &call) = 0;
  /// A number that has changed when anybody has written since.
  virtual int64_t version() = 0;
  /// Takes a finished run away, and the blobs no run needs.
  virtual void remove(const std::string &run) = 0;
  /// A run as it was elsewhere, events and all; false when the id is taken.
  virtual bool import(const RunRow &run, const std::vector<Event> &events,
                      const std::vector<Blob> &blobs) = 0;
};

/// "sqlite:FILE", "postgres://...", ":memory:"; "" is AGT_DB or sqlite:agt.db.
/// `waitNs`: for how long a connection that breaks is made again, in place of
/// AGT_DB_WAIT.
std::unique_ptr<StepLog>
openStepLog(const std::string &url,
            std::optional<int64_t> waitNs = std::nullopt);
/// The URL that openStepLog() takes `given` for.
std::string stepLogUrl(const std::string &given);
/// The status of that name.
std::optional<RunStatus> runStatusNamed(const std::string &name);

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_STEPLOG_H
