// submit and worker: runs that are put into the queue, and a process that
// serves it.
#include "runtime/Agent/Worker.h"
#include "runtime/Cli/AgentCommands.h"
#include "runtime/Cli/Ending.h"
#include "runtime/Cli/MetricsServer.h"
#include "runtime/Support/Text.h"

#include <cstdio>
#include <unistd.h>

namespace agt::rt {

namespace {

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
                  const AgentOptions &options, SpanSink *spans) {
  WorkerOptions how;
  how.spans = spans;
  how.concurrency = concurrencyOf(options.concurrency);
  if (!options.notice.empty())
    how.noticeNs = parseDuration(options.notice);
  how.ending = toldToEnd;
  bool all = isatty(STDERR_FILENO);
  how.onOutcome = [all](const std::string &run, const RunOutcome &outcome) {
    tell(run, outcome, all);
  };
  awaitEnding();
  Worker worker(program, log, how);
  std::optional<MetricsServer> metrics;
  if (!options.metrics.empty())
    metrics.emplace(program, options, worker);
  worker.serve();
  return AGT_OK;
}

} // namespace agt::rt
