// The commands of a program that are about runs.
#ifndef AGT_RUNTIME_CLI_AGENTCOMMANDS_H
#define AGT_RUNTIME_CLI_AGENTCOMMANDS_H

#include "runtime/Agent/Answers.h"
#include "runtime/Cli/AgentOptions.h"

namespace agt::rt {

/// Carries out one command; the exit code. `spans`: where the traces of what it
/// executes go, NULL: nowhere. Throws Failure.
int runAgentCommand(const AgentProgram &program, const AgentOptions &options,
                    const std::string &exe, SpanSink *spans);
/// Whether the command may execute steps.
bool executesSteps(const std::string &command);

// In AgentRuns.cpp: start and resume.
int startCommand(const AgentProgram &, StepLog &, const AgentOptions &,
                 const std::string &exe, SpanSink *);
int resumeCommand(const AgentProgram &, StepLog &, const std::string &id,
                  const AgentOptions &, const std::string &exe, SpanSink *);
int replayCommand(const AgentProgram &, StepLog &, const std::string &id);

/// The run that the command line asks for, made unless it is there; its id.
/// `owner`: as Runner::create has it.
std::string createRun(const AgentProgram &, StepLog &, const AgentOptions &,
                      const std::string &owner);

// In AgentWorker.cpp: the queue.
int submitCommand(const AgentProgram &, StepLog &, const AgentOptions &);
int workerCommand(const AgentProgram &, StepLog &, const AgentOptions &,
                  SpanSink *);

// In AgentUi.cpp: the console page.
int uiCommand(const AgentProgram &, const AgentOptions &, SpanSink *);
/// The program's name.
std::string titleOf(const AgentProgram &);

// In AgentLog.cpp: what is in the log, as text.
int runsCommand(StepLog &, bool json);
int logCommand(StepLog &, const std::string &id, bool json);
int watchCommand(StepLog &, const std::string &id, bool json);

// In AgentAnswers.cpp: what people say to runs.
int approveCommand(StepLog &, const AgentOptions &);
int resolveCommand(const AgentProgram &, StepLog &, const AgentOptions &);
int signalCommand(StepLog &, const AgentOptions &);
int cancelCommand(const AgentProgram &, StepLog &, const AgentOptions &,
                  SpanSink *);

// In AgentSurvey.cpp: for `agtc diff`.
int surveyCommand(const AgentProgram &, StepLog &);

// In AgentArchive.cpp: runs as a whole.
int forkCommand(StepLog &, const AgentOptions &);
int exportCommand(StepLog &, const std::string &id);
int importCommand(StepLog &, const std::string &file);
int gcCommand(StepLog &, const std::string &older);

void printText(const std::string &text);
/// Nanoseconds of "30d", "12h", "5m" or "10s".
int64_t parseDuration(const std::string &text);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_AGENTCOMMANDS_H
