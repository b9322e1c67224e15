// See EventTally.h.
#include "runtime/Ui/EventTally.h"

#include "runtime/Agent/History.h"
#include "runtime/Ui/ProcessMetrics.h"

#include <algorithm>

namespace agt::rt {

namespace {

struct CounterFamily {
  const char *name, *help;
  std::vector<const char *> labels;
};

// As EventTally::Counter numbers them.
const std::vector<CounterFamily> &counterFamilies() {
  static const std::vector<CounterFamily> all = {
      {"agt_steps_total",
       "Steps that are over: calls, questions and waits.",
       {"agent", "kind", "outcome"}},
      {"agt_step_attempts_total",
       "Attempts of calls and questions that are over.",
       {"agent", "kind", "outcome"}},
      {"agt_runs_ended_total", "Runs that are over.", {"agent", "outcome"}},
      {"agt_claims_total", "How often runs were claimed.", {"agent"}},
      {"agt_claims_lost_total",
       "Claims that ended without the run being let go of: its process died, "
       "or lost its lease.",
       {"agent"}},
      {"agt_steps_parked_total",
       "How often steps were parked for a person to say what became of them.",
       {"agent"}},
      {"agt_tokens_total",
       "Tokens that models took in and gave out.",
       {"agent", "model", "direction"}}};
  return all;
}

struct TimingFamily {
  const char *name, *help;
  std::vector<const char *> labels;
  std::vector<double> bounds; // seconds
};

const std::vector<TimingFamily> &timingFamilies() {
  static const std::vector<TimingFamily> all = {
      {"agt_step_attempt_duration_seconds",
       "How long attempts of calls and questions took.",
       {"agent", "kind"},
       {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300}},
      {"agt_wait_duration_seconds",
       "How long steps waited for an answer, a signal or a time.",
       {"agent", "kind"},
       {1, 10, 60, 300, 900, 3600, 14400, 86400, 604800}},
      {"agt_run_duration_seconds",
       "From when runs were made to when they were over.",
       {"agent", "outcome"},
       {0.1, 0.5, 1, 5, 10, 60, 300, 900, 3600, 14400, 86400, 604800}}};
  return all;
}

std::string kindOfCall(const EventBrief &event) {
  std::string segment = event.path.substr(event.path.rfind('/') + 1);
  if (segment.rfind("turn#", 0) == 0 || segment == "repair")
    return "turn";
  return event.about == "{\"llm\":\"" ? "ask" : "tool";
}

bool isFlag(const std::string &info, const char *key) {
  return infoMember(info, key) == true;
}

} // namespace

void Histogram::observe(double seconds, const std::vector<double> &bounds) {
  atMost.resize(bounds.size());
  for (size_t i = 0; i < bounds.size(); ++i)
    atMost[i] += seconds <= bounds[i];
  ++count;
  sum += seconds;
}

void Histogram::raise(const Histogram &other) {
  atMost.resize(std::max(atMost.size(), other.atMost.size()));
  for (size_t i = 0; i < other.atMost.size(); ++i)
    atMost[i] = std::max(atMost[i], other.atMost[i]);
  count = std::max(count, other.count);
  sum = std::max(sum, other.sum);
}

void EventTally::count(Counter counter, Labels labels, int64_t by) {
  counts[counter][std::move(labels)] += by;
}

void EventTally::time(Timing timing, Labels labels, int64_t ms) {
  times[timing][std::move(labels)].observe(
      double(std::max<int64_t>(ms, 0)) / 1000, timingFamilies()[timing].bounds);
}

void EventTally::raise(const EventTally &other) {
  for (size_t i = 0; i < counters; ++i)
    for (const auto &[labels, number] : other.counts[i]) {
      int64_t &ours = counts[i][labels];
      ours = std::max(ours, number);
    }
  for (size_t i = 0; i < timings; ++i)
    for (const auto &[labels, histogram] : other.times[i])
      times[i][labels].raise(histogram);
}

void EventTally::add(const EventBrief &event) {
  OpenRun &run = runs[event.run];
  if (event.path.empty())
    addToRun(event, run);
  else
    addStep(event, run);
}

void EventTally::addToRun(const EventBrief &event, OpenRun &run) {
  const char *outcome = nullptr;
  switch (event.kind) {
  case EventKind::RunStarted:
    run.startedMs = event.timeMs;
    break;
  case EventKind::Claimed:
    count(Claims, {event.agent});
    if (run.claimed)
      count(LostClaims, {event.agent});
    run.claimed = true;
    break;
  case EventKind::Released:
    run.claimed = false;
    break;
  case EventKind::RunDone:
    outcome = "done";
    break;
  case EventKind::RunFailed:
    outcome = "failed";
    break;
  case EventKind::Cancelled:
    outcome = "cancelled";
    break;
  default:
    break;
  }
  if (!outcome)
    return;
  count(RunsEnded, {event.agent, outcome});
  if (run.startedMs)
    time(RunSeconds, {event.agent, outcome}, event.timeMs - run.startedMs);
  runs.erase(event.run);
}

void EventTally::addStep(const EventBrief &event, OpenRun &run) {
  auto begin = [&](std::string kind) {
    run.steps[event.path] = {std::move(kind), event.timeMs, event.attempt};
  };
  switch (event.kind) {
  case EventKind::Intent:
    begin(infoMember(event.info, "wait").is_string()    ? "receive"
          : isFlag(event.info, "fork")                  ? "fork"
          : infoMember(event.info, "agent").is_string() ? "agent"
                                                        : kindOfCall(event));
    break;
  case EventKind::ApprovalAsked:
    begin("approval");
    break;
  case EventKind::Sleep:
    begin("sleep");
    break;
  case EventKind::Result:
  case EventKind::Approval:
    endStep(event, run, true);
    break;
  case EventKind::Failure:
    endStep(event, run, false);
    break;
  case EventKind::Unknown: {
    if (!run.steps.count(event.path))
      begin(kindOfCall(event)); // pure
    Open &open = run.steps[event.path];
    endAttempt(event, open, "unknown");
    open.unknown = true;
    break;
  }
  case EventKind::Reconciled:
    if (event.hasResult)
      endStep(event, run, true);
    break;
  case EventKind::Parked: {
    count(Parked, {event.agent});
    Open &open = run.steps[event.path];
    open.parked = true;
    open.beginMs = event.timeMs;
    break;
  }
  case EventKind::Decision: {
    auto parked = run.steps.find(event.path);
    if (parked != run.steps.end() && parked->second.parked) {
      time(WaitSeconds, {event.agent, "parked"},
           event.timeMs - parked->second.beginMs);
      run.steps.erase(parked);
      break;
    }
    count(Steps, {event.agent, event.hasResult ? "fork" : "join", "done"});
    run.steps.erase(event.path);
    break;
  }
  case EventKind::Cancelled:
    count(Steps, {event.agent,
                  run.steps.count(event.path) ? run.steps[event.path].kind
                                              : kindOfCall(event),
                  "cancelled"});
    run.steps.erase(event.path);
    break;
  default:
    break;
  }
}

void EventTally::endStep(const EventBrief &event, OpenRun &run, bool done) {
  auto found = run.steps.find(event.path);
  bool known = found != run.steps.end();
  Open open = known ? found->second : Open();
  if (!known) { // pure, or read
    open.kind = event.call ? kindOfCall(event) : "read";
    open.beginMs = event.timeMs;
    open.attempt = event.attempt;
  }
  if (open.kind == "tool" && infoMember(event.info, "model").is_string())
    open.kind = "ask"; // its arguments are long, and stand elsewhere
  bool last = done || !event.call || isFlag(event.info, "final");
  bool waited =
      open.kind == "approval" || open.kind == "sleep" || open.kind == "receive";
  if (open.parked || waited)
    time(WaitSeconds, {event.agent, open.parked ? "parked" : open.kind},
         event.timeMs - open.beginMs);
  else if (event.call && !(open.unknown && open.attempt == event.attempt))
    endAttempt(event, open, done ? "done" : "failed");
  if (event.call)
    addTokens(event);
  if (last)
    count(Steps, {event.agent, open.kind, done ? "done" : "failed"});
  run.steps.erase(event.path);
}

void EventTally::endAttempt(const EventBrief &event, Open &open,
                            const char *outcome) {
  count(Attempts, {event.agent, open.kind, outcome});
  open.attempt = event.attempt;
  // How long nobody was there is no time of a call.
  if (isFlag(event.info, "crash"))
    return;
  Json took = infoMember(event.info, "took");
  time(AttemptSeconds, {event.agent, open.kind},
       took.is_number_integer() ? took.get<int64_t>() / 1'000'000
                                : event.timeMs - open.beginMs);
}

// An ask counts the tokens of its turns as well.
void EventTally::addTokens(const EventBrief &event) {
  if ((event.tokensIn < 0 && event.tokensOut < 0) || isFlag(event.info, "part"))
    return;
  Json model = infoMember(event.info, "model");
  std::string name = model.is_string() ? model.get<std::string>() : "";
  count(Tokens, {event.agent, name, "in"},
        std::max<int64_t>(event.tokensIn, 0));
  count(Tokens, {event.agent, name, "out"},
        std::max<int64_t>(event.tokensOut, 0));
}

void EventTally::write(std::string &text) const {
  auto labelled = [](const std::vector<const char *> &names,
                     const Labels &values) {
    MetricLabels labels;
    for (size_t i = 0; i < names.size(); ++i)
      labels.emplace_back(names[i], values[i]);
    return labels;
  };
  for (size_t i = 0; i < counters; ++i) {
    const CounterFamily &family = counterFamilies()[i];
    MetricFamily out(text, family.name, "counter", family.help);
    for (const auto &[labels, number] : counts[i])
      out.add(double(number), labelled(family.labels, labels));
  }
  for (size_t i = 0; i < timings; ++i) {
    const TimingFamily &family = timingFamilies()[i];
    MetricFamily out(text, family.name, "histogram", family.help);
    for (const auto &[labels, histogram] : times[i])
      out.addHistogram(family.bounds, histogram.atMost, histogram.count,
                       histogram.sum, labelled(family.labels, labels));
  }
}

} // namespace agt::rt
