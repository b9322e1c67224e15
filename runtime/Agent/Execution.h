// One replay of one run: what all its steps share, and what each of its
// strands (the agent itself, each branch of a fork) has for itself.
//
// Inside the runtime a step fails by throwing StepFailure and unwinds by
// throwing Unwind; entering a step through guardStep turns both into the
// outcomes of agent.h. A strand collects events and makes them durable with its
// next intent, so that a result costs no commit of its own.
#ifndef AGT_RUNTIME_AGENT_EXECUTION_H
#define AGT_RUNTIME_AGENT_EXECUTION_H

#include "runtime/Agent/Budget.h"
#include "runtime/Agent/Declarations.h"
#include "runtime/Agent/History.h"
#include "runtime/Log/Writer.h"
#include "runtime/Support/Failure.h"

#include <atomic>
#include <map>
#include <mutex>

namespace agt::rt {

struct Unwind {
  int32_t outcome; // greater than AGT_STEP_FAILED
};

/// Cancelled by itself or by one above it.
class CancelToken {
public:
  explicit CancelToken(const CancelToken *parent = nullptr) : parent(parent) {}
  void cancel() { flag = true; }
  bool cancelled() const { return flag || (parent && parent->cancelled()); }

private:
  const CancelToken *parent;
  std::atomic<bool> flag{false};
};

/// What a run that has suspended waits for.
struct PendingWait {
  std::string path, what; // "approval", "sleep", "signal NAME", "parked: ..."
  std::string until;      // Instant, "" when no time ends it
  bool parked = false;
  bool leaving = false; // for nothing: the process ends
};

/// Models answered by a script instead, and how often each thing was called:
/// for `test` blocks and the scripted mock.
struct CallCounts {
  std::mutex mutex;
  std::map<uint32_t, std::string> mocks; // llm: file
  std::map<std::pair<int32_t, uint32_t>, int64_t> calls;
  std::map<uint32_t, std::map<size_t, int64_t>> used; // llm: entry: times
  // `mock` statements so far, and those that an earlier replay has come to.
  int64_t mockStatements = 0, mocksBefore = 0;
};

class RunFigures;
class RunTrace;
class SpanSink;
class Survey;
class TestGraphs;

struct ExecutionOptions {
  bool replayOnly = false; // nothing new is done
  // Of a worker: runs let go before their next step, or at once.
  const std::atomic<bool> *leaving = nullptr, *stopping = nullptr;
  Survey *survey = nullptr;     // of a replay that looks at all there is
  TestGraphs *graphs = nullptr; // of a `test` block
  SpanSink *spans = nullptr;    // where the run's trace goes
  RunFigures *figures = nullptr;
  bool queued = false; // whoever stops for what is missing is tried again
  std::function<void(const std::string &path, const std::string &text)> onEmit;
};

class Strand;

class Execution {
public:
  Execution(const AgentProgram &program, StepLog &log, Writer &writer,
            RunRow run, ExecutionOptions options);
  ~Execution();

  const AgentProgram &program;
  StepLog &log;
  Writer &writer;
  const RunRow run;
  const ExecutionOptions options;
  History history;
  std::shared_ptr<RunTrace> trace; // NULL: nobody wants one
  CancelToken cancel;
  CallCounts counts;

  /// Working time of the run, without waiting.
  int64_t activeNs() const;

  /// The first reason counts. All strands unwind at their next step.
  void stop(agt_code code, std::string message, std::string place = {});
  bool stopped() const { return hasStopped; }
  Failure stopReason();

  void suspend(PendingWait wait);
  /// Forgets the waits below a branch that is out of the race.
  void dropWaits(const std::string &prefix);
  std::vector<PendingWait> waits();

  /// The first signal of that name (as JSON) that no receive has had.
  std::optional<PastSignal> takeSignal(const std::string &name);

  /// What is in the log of that path; NULL: nothing.
  const PastStep *past(const std::string &path) const;
  /// Forgets what is below a step that is done anew.
  void setAside(const std::string &path);

  Strand &newStrand(Strand *parent);

private:
  bool isAside(const std::string &path) const;

  mutable std::mutex mutex;
  std::vector<std::string> aside; // beginnings of paths
  std::atomic<bool> hasAside{false};
  std::atomic<bool> hasStopped{false};
  agt_code stopCode = AGT_FAILED;
  std::string stopMessage, stopPlace;
  std::vector<PendingWait> pending;
  std::vector<std::unique_ptr<Strand>> strands;
  int64_t startedNs;
};

class Strand {
public:
  Strand(Execution &run, Strand *parent)
      : run(run), cancel(parent ? &parent->cancel : &run.cancel),
        budget(parent ? parent->budget : nullptr) {}

  Execution &run;
  Arena arena;
  CancelToken cancel;
  Budget *budget;
  // Kept until caught. The place is that of the innermost failure.
  std::string failedStep, failure, failedPlace;
  int depth = 0;                // of children in children
  std::optional<size_t> joined; // of RunFigures: no ask has come behind it yet

  /// "STEP: MESSAGE"
  std::string failureText() const {
    return (failedStep.empty() ? "" : failedStep + ": ") + failure;
  }
  /// The message; the failure is forgotten.
  std::string takeFailure() {
    failedStep.clear();
    failedPlace.clear();
    return std::exchange(failure, std::string());
  }

  /// Kept until the next commit() or post().
  void note(Event event) {
    if (run.trace)
      event.notedNs = Instant::wallNs();
    pending.push_back(std::move(event));
  }
  void keepBlob(Blob blob) { blobs.push_back(std::move(blob)); }
  /// Throws Unwind when the process is to end: at the edge of a step, where the
  /// next process goes on as if nothing had been.
  void leaveIfAsked();
  /// Before an effect that an intent of `bootNs` announces: where that was long
  /// ago, this process may have been stopped since, and its run be another's.
  /// Until when the run is this process's for sure, by Instant's boot clock.
  int64_t confirmOwner(int64_t bootNs);
  /// Makes what was noted durable. Throws Unwind when the log refuses.
  void commit(std::optional<RunChange> change = std::nullopt);
  /// Hands what was noted to the log and does not wait.
  void post();
  /// Throws Unwind when the run has stopped or the strand is cancelled: to be
  /// asked before anything new. What the log knows is replayed all the same, so
  /// that a cancelled run finds its calls in flight.
  void check();

private:
  Write takePending();
  std::vector<Event> pending;
  std::vector<Blob> blobs;
};

} // namespace agt::rt

struct agt_scope {
  agt::rt::Strand *strand;
  std::string_view prefix; // "" at the root

  std::string path(std::string_view segment) const;
  agt::rt::Arena &arena() const { return strand->arena; }
};

namespace agt::rt {

agt_scope *makeScope(Strand &strand, std::string_view prefix);

/// Percent-encoded outside [A-Za-z0-9._-].
std::string encodeKey(std::string_view key);

/// Runs the body of a step at `path`, which stands at `place` in the source.
template <typename Body>
int32_t guardStep(agt_scope *scope, const std::string &path, const char *place,
                  Body &&body) noexcept {
  Strand &strand = *scope->strand;
  try {
    try {
      body();
      return AGT_STEP_OK;
    } catch (StepFailure &failure) {
      strand.failedStep = path;
      strand.failure = std::move(failure.message);
      if (strand.failedPlace.empty() && place)
        strand.failedPlace = place;
      return AGT_STEP_FAILED;
    } catch (Unwind &unwind) {
      return unwind.outcome;
    } catch (Failure &failure) {
      strand.run.stop(failure.code, failure.message,
                      failure.place.empty() && place ? place : failure.place);
    } catch (const std::exception &error) {
      strand.run.stop(AGT_FAILED,
                      std::string("in the step '") + path +
                          "': " + error.what(),
                      place ? place : "");
    }
  } catch (...) {
    std::terminate(); // no memory left to say so
  }
  return AGT_STEP_STOPPED;
}

/// `let new was old`: in a run that knows the step (or what is below it) by its
/// old name it keeps that name, so that nothing below it is done anew.
agt_site resolveSite(agt_scope *scope, const agt_site &site);

/// Runs the body of the step at `site`, which gets the site as resolveSite()
/// gives it.
template <typename Body>
int32_t guardSite(agt_scope *scope, const agt_site *site, Body &&body) {
  agt_site resolved = resolveSite(scope, *site);
  return guardStep(scope, scope->path(resolved.name), resolved.place,
                   [&] { body(resolved); });
}

/// The logged state of the step of `site`, whose arguments (canonical JSON)
/// must be those of the log; NULL when the log has nothing that counts. Stops
/// the run when replay and log differ. A step that says `on_change: rerun` is
/// not there, unless it may be on its way and may not be repeated.
const PastStep *findPast(agt_scope *scope, const agt_site &site,
                         const std::string &args, bool mayRepeat = true);
/// Reads a logged result as a value of the type; AGT_NO_INDEX: as a string.
Value readLogged(agt_scope *scope, const std::string &json, uint32_t type);
/// Before anything new: unwinds when the strand is cancelled, or when this is
/// a replay that may do nothing new. `mayLeave`: or when the process is to end.
void refuseNew(agt_scope *scope, const std::string &path, bool mayLeave = true);

Event makeEvent(EventKind kind, const std::string &path);

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_EXECUTION_H
