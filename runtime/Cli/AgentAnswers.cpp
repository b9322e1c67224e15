// approve, resolve, signal, cancel: what people say to runs. Each is a write
// from outside that holds only while the step is as it was seen, so that two
// answers to one question cannot both count.
#include "runtime/Cli/AgentCommands.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace agt::rt {

namespace {

bool endsWithStep(const std::string &path, const std::string &step) {
  return endsWith(path, step) && (path.size() == step.size() ||
                                  path[path.size() - step.size() - 1] == '/');
}

RunRow needOpenRun(StepLog &log, const std::string &id) {
  RunRow run = needRun(log, id);
  if (isTerminal(run.status))
    fail(AGT_BAD_INPUT,
         "the run '" + id + "' is over: it is " + runStatusName(run.status));
  return run;
}

std::string needJson(const std::string &text) {
  try {
    // Kept as it is written, but for the blanks around it.
    parseJson(text);
    size_t begin = text.find_first_not_of(" \t\r\n");
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
  } catch (StepFailure &failure) {
    fail(AGT_BAD_INPUT, "'" + text + "' is " + failure.message);
  }
}

void commit(StepLog &log, const std::string &run, Event event,
            std::optional<Expectation> expected) {
  Write write;
  write.run = run;
  write.events.push_back(std::move(event));
  write.expected = std::move(expected);
  if (log.commit({&write}).front() != Written::Yes)
    fail(AGT_BAD_INPUT,
         "somebody else was faster: look at the log of run '" + run + "'");
}

std::string whoAmI(const std::string &given) {
  if (!given.empty())
    return given;
  const char *user = std::getenv("USER");
  return user && *user ? user : "unknown";
}

} // namespace

std::string findStep(const History &history, const std::string &run,
                     const std::string &step, const std::string &noun,
                     const std::function<bool(const PastStep &)> &wanted) {
  std::vector<std::string> matches, all;
  for (const auto &[path, past] : history.steps) {
    if (!wanted(past))
      continue;
    all.push_back(path);
    if (path == step)
      return path;
    if (endsWithStep(path, step))
      matches.push_back(path);
  }
  if (matches.size() == 1)
    return matches.front();
  std::sort(matches.begin(), matches.end());
  std::sort(all.begin(), all.end());
  if (matches.empty())
    fail(AGT_BAD_INPUT,
         "the run '" + run + "' has no " + noun + " '" + step + "'" +
             (all.empty() ? ", it has none" : ", it has " + listText(all)));
  fail(AGT_BAD_INPUT,
       "'" + step + "' is the end of several steps: " + listText(matches));
}

int approveCommand(StepLog &log, const AgentOptions &options) {
  const std::string &id = options.words[0], &answer = options.words[2];
  if (answer != "yes" && answer != "no")
    fail(AGT_BAD_INPUT, "expected yes or no, got '" + answer + "'");
  needOpenRun(log, id);
  History history;
  history.load(log, id);
  std::string path = findStep(
      history, id, options.words[1], "open approval", [](const PastStep &past) {
        return past.state == PastState::Waiting && past.kind == "approval";
      });
  const PastStep &past = history.steps[path];
  if (Instant::parse(past.until).remaining() == 0)
    fail(AGT_BAD_INPUT, "the time for the approval '" + path + "' is over");
  Event event = makeEvent(EventKind::Approval, path);
  event.result = answer == "yes" ? "true" : "false";
  Json shown = infoMember(past.info, "shown");
  event.info = "{\"by\":" + jsonString(whoAmI(options.by)) +
               ",\"shown\":" + shown.dump() + "}";
  commit(log, id, std::move(event), Expectation{path, past.lastSeq});
  return AGT_OK;
}

int resolveCommand(const AgentProgram &program, StepLog &log,
                   const AgentOptions &options) {
  const std::string &id = options.words[0], &how = options.words[2];
  bool skip = how == "skip";
  if ((how != "retry" && how != "fail" && !skip) ||
      skip != (options.words.size() == 4))
    fail(AGT_BAD_INPUT,
         "expected 'retry', 'skip JSON' or 'fail', got '" + how + "'");
  needOpenRun(log, id);
  History history;
  history.load(log, id);
  std::string path = findStep(
      history, id, options.words[1], "parked step",
      [](const PastStep &past) { return past.state == PastState::Parked; });
  const PastStep &past = history.steps[path];
  Event event = makeEvent(EventKind::Decision, path);
  if (how == "retry") {
    event.info = "{\"resolve\":\"retry\"}";
  } else if (how == "fail") {
    event.kind = EventKind::Failure;
    event.error = "failed by " + whoAmI("") + ": " + past.error;
    event.info = "{\"final\":true}";
  } else {
    event.kind = EventKind::Result;
    event.result = needJson(options.words[3]);
    Json type = infoMember(past.info, "type");
    if (type.is_number()) {
      try {
        Arena arena;
        event.result = canonicalJson(program.types->read(
            arena, parseJson(event.result), type.get<uint32_t>(), {}));
      } catch (StepFailure &failure) {
        fail(AGT_BAD_INPUT,
             "the value does not fit the step: " + failure.message);
      }
    }
    event.info = "{\"by\":" + jsonString(whoAmI("")) + "}";
  }
  commit(log, id, std::move(event), Expectation{path, past.lastSeq});
  return AGT_OK;
}

int signalCommand(StepLog &log, const AgentOptions &options) {
  needOpenRun(log, options.words[0]);
  Event event = makeEvent(EventKind::Signal, "");
  event.args = jsonString(options.words[1]);
  event.result = needJson(options.words[2]);
  commit(log, options.words[0], std::move(event), std::nullopt);
  return AGT_OK;
}

int cancelCommand(const AgentProgram &program, StepLog &log,
                  const AgentOptions &options) {
  const std::string &id = options.words[0];
  RunRow run = needRun(log, id);
  if (run.status == RunStatus::Cancelled)
    return AGT_OK;
  needOpenRun(log, id);
  commit(log, id, makeEvent(EventKind::Cancel, ""), std::nullopt);
  // Whoever works on the run closes it; where nobody does, we do: calls that
  // were in flight are asked after first.
  for (int i = 0; i < 200; ++i) {
    run = needRun(log, id);
    if (isTerminal(run.status))
      break;
    if (!run.owned) {
      RunOutcome outcome;
      try {
        outcome = Runner(program, log).resume(id, {});
      } catch (const Failure &failure) {
        // A worker was faster, and closes it.
        if (failure.code == AGT_WAITING && needRun(log, id).owned)
          continue;
        throw;
      }
      if (outcome.code != AGT_CANCELLED)
        fail(outcome.code == AGT_OK ? AGT_BAD_INPUT : outcome.code,
             outcome.code == AGT_OK ? "the run '" + id + "' is done"
                                    : outcome.message);
      return AGT_OK;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (run.status == RunStatus::Cancelled)
    return AGT_OK;
  if (isTerminal(run.status))
    fail(AGT_BAD_INPUT, "the run '" + id +
                            "' ended before it could be "
                            "cancelled: it is " +
                            runStatusName(run.status));
  fail(AGT_WAITING, ownerText(run.owner) +
                        " has not let go of the run '" + id + "' yet");
}

} // namespace agt::rt
