// Tools that are commands: an argv, never a shell line.
#include "runtime/Agent/Secrets.h"
#include "runtime/Support/Text.h"
#include "runtime/Tool/Process.h"
#include "runtime/Tool/Sandbox.h"
#include "runtime/Tool/Tool.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace agt::rt {

std::vector<std::string> plainEnvironment(const AgentProgram &program) {
  std::vector<std::string> all;
  for (char **entry = environ; *entry; ++entry) {
    std::string text = *entry;
    std::string name = text.substr(0, text.find('='));
    bool secret = std::find(program.secrets.begin(), program.secrets.end(),
                            name) != program.secrets.end();
    if (!secret && name.rfind("AGT_", 0) != 0)
      all.push_back(text);
  }
  return all;
}

static AttemptResult ended(agt_scope *scope, const ToolDecl &tool,
                           const ProcessResult &process, int64_t timeout) {
  const Types &types = *scope->strand->run.program.types;
  const Type &type = types.at(tool.result);
  std::string complaint = excerpt(process.err);
  std::string behind = complaint.empty() ? "" : ": " + complaint;
  auto failed = [&](AttemptResult::Kind kind, const std::string &what) {
    return AttemptResult::failed(kind, "'" + tool.name + "' " + what);
  };
  switch (process.kind) {
  case ProcessResult::NotStarted:
    return failed(AttemptResult::NotSent,
                  std::string("could not be started: ") +
                      std::strerror(process.code));
  case ProcessResult::TimedOut:
    return failed(AttemptResult::Unknown,
                  "was killed after " + secondsText(double(timeout) / 1e9) +
                      behind);
  case ProcessResult::Cancelled:
    return failed(AttemptResult::Unknown, "was cancelled");
  case ProcessResult::Lost:
    return failed(AttemptResult::Unknown, "was lost with its supervisor");
  case ProcessResult::Signalled:
    return failed(AttemptResult::Unknown,
                  "was killed by signal " + std::to_string(process.code) +
                      " (" + strsignal(process.code) + ")" + behind);
  case ProcessResult::TooMany:
    return failed(AttemptResult::Unknown, "was killed: it had more than the " +
                                              std::to_string(process.code) +
                                              " processes of its sandbox");
  case ProcessResult::Exited:
    break;
  }
  if (process.outBytes > process.out.size())
    return failed(AttemptResult::Definite,
                  "printed " + bytesText(process.outBytes) +
                      ", more than the 8 MiB that are kept");
  try {
    if (isOutputRecord(type)) {
      Arena &arena = scope->arena();
      for (const std::string *text : {&process.out, &process.err})
        if (findInvalidUtf8(*text) != std::string::npos)
          throw StepFailure("the output is not UTF-8");
      return AttemptResult::done(makeRecord(
          arena, *type.shape,
          {makeBool(arena, process.code == 0), makeInt(arena, process.code),
           makeString(arena, process.out), makeString(arena, process.err)}));
    }
    if (process.code == 75)
      return failed(AttemptResult::Unknown, "ended with exit 75" + behind);
    if (process.code != 0)
      return failed(AttemptResult::Definite,
                    "ended with exit " + std::to_string(process.code) + behind);
    return AttemptResult::done(readOutput(scope, tool.result, process.out));
  } catch (StepFailure &failure) {
    return failed(AttemptResult::Definite,
                  "gave no valid answer: " + failure.message);
  }
}

AttemptResult performExec(agt_scope *scope, const ToolDecl &tool,
                          uint32_t index, const std::vector<Value> &args,
                          const Attempt &attempt) {
  Execution &run = scope->strand->run;
  Value request = toolRequest(scope, index, args, attempt);
  ProcessSpec spec;
  Value argv = request->elements[0], input = request->elements[1];
  for (uint64_t i = 0; i < argv->count; ++i) {
    spec.argv.emplace_back(textOf(argv->elements[i]));
    if (spec.argv.back().find('\0') != std::string::npos)
      throw StepFailure("argument " + std::to_string(i) + " of '" + tool.name +
                        "' holds a NUL, which no command can be given");
    if (holdsSecret(spec.argv.back()))
      throw StepFailure("argument " + std::to_string(i) + " of '" + tool.name +
                        "' holds a secret, which others could read");
  }
  if (spec.argv.empty())
    throw StepFailure("'" + tool.name + "' has an empty argv");
  spec.input = tool.stdinJson ? attempt.args
               : input        ? std::string(textOf(input))
                              : "";
  spec.environment = tool.sandbox ? sandboxEnvironment(*tool.sandbox)
                                  : plainEnvironment(run.program);
  for (auto [name, value] :
       {std::pair<const char *, std::string>{"AGT_TOKEN", attempt.token},
        {"AGT_RUN", run.run.id},
        {"AGT_STEP", attempt.path},
        {"AGT_ATTEMPT", std::to_string(attempt.number)}})
    spec.environment.push_back(std::string(name) + "=" + value);
  if (tool.sandbox)
    enterSandbox(*tool.sandbox, tool.name, spec);
  spec.timeoutNs = attempt.timeout;
  spec.guard = callGuard(thisProcess(), attempt.token);
  if (attempt.startByBootNs) {
    // In this order: should the process be stopped in between, it is the less.
    int64_t now = bootClockNs();
    spec.startByNs = now + attempt.startByBootNs - Instant::now().bootNs;
  }
  spec.cancelled = [cancel = attempt.cancel] { return cancel->cancelled(); };
  return ended(scope, tool, runProcess(spec), attempt.timeout);
}

} // namespace agt::rt
