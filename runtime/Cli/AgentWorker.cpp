// submit and worker: runs that are put into the queue, and a process that
// serves it.
#include "runtime/Agent/Worker.h"
#include "runtime/Cli/AgentCommands.h"
#include "runtime/Support/Text.h"

#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace agt::rt {

namespace {

std::atomic<int> asked{0}; // how often this process was told to end

void ask(int) {
  ++asked;
  // Who asks twice does not want to wait.
  if (asked > 1)
    _exit(128 + SIGTERM);
}

size_t concurrencyOf(const std::string &text) {
  if (text.empty())
    return WorkerOptions().concurrency;
  bool digits = text.size() <= 4 &&
                text.find_first_not_of("0123456789") == std::string::npos;
  long number = digits ? std::atol(text.c_str()) : 0;
  if (number < 1)
    fail(AGT_BAD_INPUT,
         "expected --concurrency N, 1 to 9999, got '" + text + "'");
  return size_t(number);
}

void tell(const std::string &run, const RunOutcome &outcome, bool all) {
  std::string how;
  if (outcome.code == AGT_OK)
    how = "done";
  else if (outcome.code == AGT_WAITING && !outcome.waits.empty())
    how = "waits: " + outcome.message;
  else
    how = (outcome.code == AGT_CANCELLED ? "" : "error: ") + outcome.message;
  bool stopped = outcome.code != AGT_OK && outcome.code != AGT_WAITING &&
                 outcome.code != AGT_CANCELLED;
  if (all || stopped)
    std::fprintf(stderr, "run %s %s%s\n", run.c_str(),
                 outcome.place.empty() ? "" : (outcome.place + ": ").c_str(),
                 how.c_str());
}

} // namespace

int submitCommand(const AgentProgram &program, StepLog &log,
                  const AgentOptions &options) {
  std::string id = createRun(program, log, options, "");
  printText(id + "\n");
  return AGT_OK;
}

int workerCommand(const AgentProgram &program, StepLog &log,
                  const AgentOptions &options) {
  WorkerOptions how;
  how.concurrency = concurrencyOf(options.concurrency);
  if (!options.notice.empty())
    how.noticeNs = parseDuration(options.notice);
  how.ending = [] { return asked > 0; };
  bool all = isatty(STDERR_FILENO);
  how.onOutcome = [all](const std::string &run, const RunOutcome &outcome) {
    tell(run, outcome, all);
  };
  struct sigaction action = {};
  action.sa_handler = ask;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  Worker(program, log, how).serve();
  return AGT_OK;
}

} // namespace agt::rt
