// What people say to runs: approve, resolve, signal, cancel. The command line
// and the console page both come here.
//
// Each is a write from outside that holds only while the step is as it was
// seen, so that two answers to one question cannot both count.
#ifndef AGT_RUNTIME_AGENT_ANSWERS_H
#define AGT_RUNTIME_AGENT_ANSWERS_H

#include "runtime/Agent/History.h"
#include "runtime/Agent/Runner.h"

#include <functional>
#include <optional>
#include <string>

namespace agt::rt {

/// There is no such run or step.
struct NotThere : Failure {
  explicit NotThere(std::string message)
      : Failure(AGT_BAD_INPUT, std::move(message)) {}
};

/// The run or the step is no longer as the answer takes it to be: it is over,
/// somebody else was faster, another text was shown.
struct Overtaken : Failure {
  explicit Overtaken(std::string message)
      : Failure(AGT_BAD_INPUT, std::move(message)) {}
};

/// The run. Throws NotThere.
RunRow needRun(StepLog &log, const std::string &id);

/// The path that is `step` or, where there is none, the only one that ends
/// with it, among those for which `wanted` holds. Throws NotThere, and Failure
/// (AGT_BAD_INPUT) for the end of several.
std::string findStep(const History &history, const std::string &run,
                     const std::string &step, const std::string &noun,
                     const std::function<bool(const PastStep &)> &wanted);

/// `given`, else the user of this process as the environment names it.
std::string whoAnswers(const std::string &given);

// Each of these fails with AGT_BAD_INPUT when it cannot be so, as NotThere or
// Overtaken where that is why.

/// `shown`: digest of the question that the person saw, "" for the one in the
/// log.
void approveStep(StepLog &log, const std::string &run, const std::string &step,
                 bool yes, const std::string &by, const std::string &shown);

/// `how`: "retry", "skip" or "fail"; `value`: JSON, with "skip" only.
void resolveStep(const AgentProgram &program, StepLog &log,
                 const std::string &run, const std::string &step,
                 const std::string &how,
                 const std::optional<std::string> &value,
                 const std::string &by);

/// `value`: JSON.
void sendSignal(StepLog &log, const std::string &run, const std::string &name,
                const std::string &value);

/// Returns when the run is cancelled. Whoever works on it closes it; where
/// nobody does, this process does. Fails with AGT_WAITING when its owner has
/// not let go of it within 10 s: the run is closed when it does. `spans`: where
/// the run's trace goes.
void cancelRun(const AgentProgram &program, StepLog &log,
               const std::string &run, SpanSink *spans);

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_ANSWERS_H
