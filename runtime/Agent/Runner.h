// Starting runs and going on with them: claim, replay, end.
#ifndef AGT_RUNTIME_AGENT_RUNNER_H
#define AGT_RUNTIME_AGENT_RUNNER_H

#include "runtime/Agent/Execution.h"

namespace agt::rt {

struct RunOutcome {
  agt_code code = AGT_OK; // the exit code
  std::string result;     // canonical JSON of a run that is done
  std::string message;    // else: what happened
  std::vector<PendingWait> waits;
  std::string place; // file:line:column of a failure, "" where there is none
};

class Runner {
public:
  Runner(const AgentProgram &program, StepLog &log)
      : program(program), log(log), writer(log) {}

  /// Makes the run unless it is there. Fails with AGT_BAD_INPUT when `args`
  /// (JSON, "" where none were given) do not fit the agent or the run. `owner`:
  /// who is about to claim it; "": it is in the queue.
  void create(const std::string &id, const AgentDecl &agent,
              const std::string &args, bool argsGiven,
              const std::string &owner = "");
  /// Goes on with a run until it ends or waits. `cancel`: looked at while it
  /// works; NULL: never.
  RunOutcome resume(const std::string &id, ExecutionOptions options);
  /// The same for a run that this process has claimed.
  RunOutcome resumeClaimed(const RunRow &run, ExecutionOptions options);
  /// Replays what is in the log and does nothing new.
  RunOutcome replay(const std::string &id, Survey *survey = nullptr);
  /// Transactions so far, for tests of what a step costs.
  int64_t commits() const { return writer.commits(); }

private:
  RunOutcome execute(RunRow run, const AgentDecl &agent,
                     const ExecutionOptions &options, bool &again);
  RunOutcome finish(Execution &run, Strand &strand, int32_t outcome,
                    Value result, bool &again);
  RunOutcome letGo(Execution &run, Strand &strand);
  RunOutcome ofEnded(const RunRow &run);
  const AgentDecl &agentOf(const RunRow &run) const;

  const AgentProgram &program;
  StepLog &log;
  Writer writer;
};

/// The arguments of an agent as canonical JSON; fails with AGT_BAD_INPUT.
std::string checkArguments(const AgentProgram &program, const AgentDecl &agent,
                           const Json &given);

/// A new name for a run: time and chance.
std::string newRunId();

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_RUNNER_H
