// approve, resolve, signal, cancel, as words of the command line; what they do
// is in Agent/Answers.cpp.
#include "runtime/Agent/Answers.h"
#include "runtime/Cli/AgentCommands.h"

namespace agt::rt {

int approveCommand(StepLog &log, const AgentOptions &options) {
  const std::string &answer = options.words[2];
  if (answer != "yes" && answer != "no")
    fail(AGT_BAD_INPUT, "expected yes or no, got '" + answer + "'");
  approveStep(log, options.words[0], options.words[1], answer == "yes",
              options.by, "");
  return AGT_OK;
}

int resolveCommand(const AgentProgram &program, StepLog &log,
                   const AgentOptions &options) {
  std::optional<std::string> value;
  if (options.words.size() == 4)
    value = options.words[3];
  resolveStep(program, log, options.words[0], options.words[1],
              options.words[2], value, "");
  return AGT_OK;
}

int signalCommand(StepLog &log, const AgentOptions &options) {
  sendSignal(log, options.words[0], options.words[1], options.words[2]);
  return AGT_OK;
}

int cancelCommand(const AgentProgram &program, StepLog &log,
                  const AgentOptions &options, SpanSink *spans) {
  cancelRun(program, log, options.words[0], spans);
  return AGT_OK;
}

} // namespace agt::rt
