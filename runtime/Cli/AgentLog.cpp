// runs, log, watch: what is in the log, for people and as JSON lines.
#include "runtime/Cli/AgentCommands.h"
#include "runtime/Log/EventJson.h"

#include <chrono>
#include <cstdio>
#include <thread>

namespace agt::rt {

namespace {

std::string shortened(const std::string &text) {
  if (text.size() <= 100)
    return text;
  size_t end = 97;
  while (end && (text[end] & 0xc0) == 0x80)
    --end;
  return text.substr(0, end) + "...";
}

std::string eventText(const Event &event) {
  char head[96];
  std::snprintf(head, sizeof head, "%6lld %s %-14s ", (long long)event.seq,
                wallText(event.timeMs).c_str(), eventKindName(event.kind));
  std::string out = head + event.path;
  if (event.attempt > 1)
    out += " (attempt " + std::to_string(event.attempt) + ")";
  if (!event.error.empty())
    out += " " + event.error;
  else if (!event.result.empty() && event.result != "null")
    out += " " + shortened(event.result);
  else if (!event.args.empty())
    out += " " + shortened(event.args);
  return out + "\n";
}

void show(const Event &event, bool json) {
  printText(json ? eventJson(event) + "\n" : eventText(event));
}

} // namespace

int runsCommand(StepLog &log, bool json) {
  for (const RunRow &run : log.runs()) {
    std::string status = statusText(run);
    if (json) {
      std::string out = "{";
      putText(out, "run", run.id);
      putText(out, "agent", run.agent);
      putText(out, "status", status);
      putText(out, "created", wallText(run.createdMs));
      putText(out, "changed", wallText(run.changedMs));
      if (!run.wake.empty())
        putText(out, "wake", wallText(Instant::parse(run.wake).wallMs));
      putText(out, "error", run.error);
      printText(out + "}\n");
      continue;
    }
    char line[256];
    std::snprintf(line, sizeof line, "%-20s %-16s %-11s %s", run.id.c_str(),
                  run.agent.c_str(), status.c_str(),
                  wallText(run.changedMs).c_str());
    printText(std::string(line) +
              (run.error.empty() ? "" : "  " + shortened(run.error)) + "\n");
  }
  return AGT_OK;
}

int logCommand(StepLog &log, const std::string &id, bool json) {
  needRun(log, id);
  for (const Event &event : log.events(id, 0))
    show(event, json);
  return AGT_OK;
}

int watchCommand(StepLog &log, const std::string &id, bool json) {
  needRun(log, id);
  int64_t seq = 0;
  while (true) {
    RunRow run = needRun(log, id); // before the events: none is missed
    for (const Event &event : log.events(id, seq)) {
      show(event, json);
      seq = event.seq;
    }
    std::fflush(stdout);
    if (isTerminal(run.status))
      return run.status == RunStatus::Done     ? AGT_OK
             : run.status == RunStatus::Failed ? AGT_FAILED
                                               : AGT_CANCELLED;
    int64_t version = log.version();
    for (int i = 0; i < 10 && log.version() == version; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

} // namespace agt::rt
