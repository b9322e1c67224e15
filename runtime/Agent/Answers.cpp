// See Answers.h.
#include "runtime/Agent/Answers.h"
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
    throw Overtaken("the run '" + id + "' is over: it is " +
                    runStatusName(run.status));
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
    throw Overtaken("somebody else was faster: look at the log of run '" + run +
                    "'");
}

// The value as the step's type has it.
std::string readAs(const AgentProgram &program, const PastStep &past,
                   const std::string &value) {
  Json type = infoMember(past.info, "type");
  if (!type.is_number())
    return value;
  try {
    Arena arena;
    return canonicalJson(
        program.types->read(arena, parseJson(value), type.get<uint32_t>(), {}));
  } catch (StepFailure &failure) {
    fail(AGT_BAD_INPUT, "the value does not fit the step: " + failure.message);
  }
}

} // namespace

RunRow needRun(StepLog &log, const std::string &id) {
  if (std::optional<RunRow> run = log.run(id))
    return *run;
  throw NotThere("there is no run '" + id + "' in the step log");
}

std::string whoAnswers(const std::string &given) {
  if (!given.empty())
    return given;
  const char *user = std::getenv("USER");
  return user && *user ? user : "unknown";
}

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
    throw NotThere(
        "the run '" + run + "' has no " + noun + " '" + step + "'" +
        (all.empty() ? ", it has none" : ", it has " + listText(all)));
  fail(AGT_BAD_INPUT,
       "'" + step + "' is the end of several steps: " + listText(matches));
}

void approveStep(StepLog &log, const std::string &run, const std::string &step,
                 bool yes, const std::string &by, const std::string &shown) {
  needOpenRun(log, run);
  History history;
  history.load(log, run);
  std::string path =
      findStep(history, run, step, "open approval", [](const PastStep &past) {
        return past.state == PastState::Waiting && past.kind == "approval";
      });
  const PastStep &past = history.steps[path];
  if (Instant::parse(past.until).remaining() == 0)
    throw Overtaken("the time for the approval '" + path + "' is over");
  Json asked = infoMember(past.info, "shown");
  if (!shown.empty() && asked != shown)
    throw Overtaken("the approval '" + path +
                    "' asks something else than what was shown");
  Event event = makeEvent(EventKind::Approval, path);
  event.result = yes ? "true" : "false";
  event.info = "{\"by\":" + jsonString(whoAnswers(by)) +
               ",\"shown\":" + asked.dump() + "}";
  commit(log, run, std::move(event), Expectation{path, past.lastSeq});
}

void resolveStep(const AgentProgram &program, StepLog &log,
                 const std::string &run, const std::string &step,
                 const std::string &how,
                 const std::optional<std::string> &value,
                 const std::string &by) {
  bool skip = how == "skip";
  if ((how != "retry" && how != "fail" && !skip) || skip != value.has_value())
    fail(AGT_BAD_INPUT,
         "expected 'retry', 'skip JSON' or 'fail', got '" + how + "'");
  needOpenRun(log, run);
  History history;
  history.load(log, run);
  std::string path =
      findStep(history, run, step, "parked step", [](const PastStep &past) {
        return past.state == PastState::Parked;
      });
  const PastStep &past = history.steps[path];
  Event event = makeEvent(EventKind::Decision, path);
  if (how == "retry") {
    event.info = "{\"resolve\":\"retry\"}";
  } else if (how == "fail") {
    event.kind = EventKind::Failure;
    event.error = "failed by " + whoAnswers(by) + ": " + past.error;
    event.info = "{\"final\":true}";
  } else {
    event.kind = EventKind::Result;
    event.result = readAs(program, past, needJson(*value));
    event.info = "{\"by\":" + jsonString(whoAnswers(by)) + "}";
  }
  commit(log, run, std::move(event), Expectation{path, past.lastSeq});
}

void sendSignal(StepLog &log, const std::string &run, const std::string &name,
                const std::string &value) {
  needOpenRun(log, run);
  Event event = makeEvent(EventKind::Signal, "");
  event.args = jsonString(name);
  event.result = needJson(value);
  commit(log, run, std::move(event), std::nullopt);
}

void cancelRun(const AgentProgram &program, StepLog &log, const std::string &id,
               SpanSink *spans) {
  RunRow run = needRun(log, id);
  if (run.status == RunStatus::Cancelled)
    return;
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
        ExecutionOptions options;
        options.spans = spans;
        outcome = Runner(program, log).resume(id, options);
      } catch (const Failure &failure) {
        // A worker was faster, and closes it or has done so by now.
        run = needRun(log, id);
        if (failure.code == AGT_WAITING &&
            (run.owned || isTerminal(run.status)))
          continue;
        throw;
      }
      if (outcome.code == AGT_OK)
        throw Overtaken("the run '" + id + "' is done");
      if (outcome.code != AGT_CANCELLED)
        fail(outcome.code, outcome.message);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (run.status == RunStatus::Cancelled)
    return;
  if (isTerminal(run.status))
    throw Overtaken("the run '" + id +
                    "' ended before it could be cancelled: it is " +
                    runStatusName(run.status));
  fail(AGT_WAITING,
       ownerText(run.owner) + " has not let go of the run '" + id + "' yet");
}

} // namespace agt::rt
