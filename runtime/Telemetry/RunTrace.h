// The trace of one run: its events become spans.
//
// One trace a run, whatever number of processes work on it. What a process
// finds in the log when it claims the run is folded quietly, so that it knows
// what is open; what it writes itself is folded once it is durable. A span is
// handed over by the process whose durable write has ended it, so at most once:
// what a crash keeps from being sent is lost, and a step that is replayed is
// not sent again. What somebody has written from outside (an approval, a
// resolution) is handed over by the next process that claims the run.
//
// Spans are the attempts of steps, what they wait for, child agents, and what
// paths alone tell of: forks, their branches, joins. Those begin with the first
// thing in them; a branch ends with its fork, the rest of them with what they
// are in.
#ifndef AGT_RUNTIME_TELEMETRY_RUNTRACE_H
#define AGT_RUNTIME_TELEMETRY_RUNTRACE_H

#include "runtime/Log/StepLog.h"
#include "runtime/Telemetry/StepNote.h"

#include <map>
#include <mutex>

namespace agt::rt {

class RunTrace {
public:
  /// `run`: as it was claimed.
  RunTrace(SpanSink &sink, const AgentProgram &program, const RunRow &run);

  /// An event that was in the log when the run was claimed; in order.
  void past(const Event &event);
  /// Those of this process, in order, once they are durable. Any thread.
  void durable(const std::vector<Event> &events);

private:
  enum class Kind { Attempt, Wait, Parked, Child, Fork, Branch, Join };
  /// A span that is not over.
  struct Open {
    Kind kind = Kind::Attempt;
    TraceSpan span;
    std::string parent; // path
    int64_t attempt = 0;
    bool unknown = false; // an attempt that is over, and nobody knows how
    int64_t insideNs = 0; // when the last thing in it was over
    std::string args;     // where content is wanted
    std::shared_ptr<const StepNote> note;
  };
  /// An event as it is folded.
  struct Seen {
    const Event &event;
    int64_t epoch, timeNs;
    bool ours; // what it ends is handed over
    int64_t beginNs() const;
  };

  void fold(const Seen &seen);
  void foldRun(const Seen &seen);
  void foldStep(const Seen &seen);
  void foldIntent(const Seen &seen);
  void foldEnd(const Seen &seen, bool done);
  void foldFork(const Seen &seen);
  void endRun(const Seen &seen, const char *outcome);

  Open *find(const std::string &path);
  Open &begin(const Seen &seen, Kind kind, const std::string &path,
              const std::string &name);
  Open &beginAttempt(const Seen &seen);
  /// The fork, branch or join of that path, which begins now unless it has.
  Open &structure(const Seen &seen, Kind kind, const std::string &path);
  std::string parentOf(const Seen &seen, std::string path);
  void end(const Seen &seen, const std::string &path, const char *outcome);
  /// The attempt before this event's, of which nobody knows.
  void endUnknown(const Seen &seen);
  /// Forks, branches and joins in what ends.
  void endWithin(const Seen &seen, const std::string &prefix);

  void describe(const Seen &seen, const std::string &path, Open &entry);
  void addUsage(const Seen &seen, const std::string &path, Open &entry);
  void addContent(const Event &event, Open &entry);
  void setFailure(TraceSpan &span, const char *type,
                  const std::string &message);
  void handOver(TraceSpan span);

  SpanSink &sink;
  const std::string run, trace;
  const int64_t epoch;
  std::mutex mutex;
  TraceSpan root;
  std::map<std::string, Open> entries; // by path
  /// Tokens of the turns of an ask, by its path: the ask counts them as well.
  std::map<std::string, std::pair<int64_t, int64_t>> turns;
};

/// What in an error's text is the runtime's own: what a model or a tool has
/// said stands behind a colon or in quotes.
std::string ownWords(const std::string &error);

} // namespace agt::rt

#endif // AGT_RUNTIME_TELEMETRY_RUNTRACE_H
