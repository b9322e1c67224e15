// See Timeline.h.
#include "runtime/Ui/Timeline.h"

#include "runtime/Log/EventJson.h"
#include "runtime/Value/Value.h"

namespace agt::rt {

namespace {

// What a page shows at once; the rest is asked for.
constexpr size_t inlineText = 4096;

bool isOpen(const TimelineStep &step) {
  return !step.attempts.empty() && step.attempts.back().endMs < 0;
}

std::string kindOfCall(const Event &event) {
  std::string segment = event.path.substr(event.path.rfind('/') + 1);
  if (segment.rfind("turn#", 0) == 0 || segment == "repair")
    return "turn";
  Json args = Json::parse(event.args, nullptr, false);
  if (args.is_object() && args.contains("llm") && args["llm"].is_string())
    return "ask";
  return "tool";
}

void putTime(std::string &out, const char *key, int64_t ms) {
  if (ms >= 0)
    putText(out, key, wallText(ms));
}

void putNumber(std::string &out, const char *key, int64_t number) {
  if (number >= 0)
    putJson(out, key, std::to_string(number));
}

std::string attemptJson(const StepAttempt &attempt) {
  std::string out = "{";
  putNumber(out, "attempt", attempt.number);
  putTime(out, "begin", attempt.beginMs);
  putTime(out, "end", attempt.endMs);
  putText(out, "outcome", attempt.outcome);
  putText(out, "error", attempt.error);
  return out + "}";
}

// What a person is asked, and who may answer.
void putQuestion(std::string &out, const TimelineStep &step) {
  Json args = Json::parse(step.args, nullptr, false);
  if (!args.is_object())
    return;
  if (step.kind == "approval") {
    putText(out, "question", args.value("text", ""));
    putText(out, "role", args.value("by", ""));
    if (Json shown = infoMember(step.info, "shown"); shown.is_string())
      putText(out, "shown", shown.get<std::string>());
  } else if (step.kind == "receive") {
    putText(out, "signal", args.value("name", ""));
  }
}

} // namespace

const char *stateName(PastState state) {
  static const char *const names[] = {"in_flight", "done",    "retry",
                                      "failed",    "unknown", "parked",
                                      "waiting",   "decided", "cancelled"};
  return names[int(state)];
}

std::string branchOf(const std::string &path) {
  // The step's own brackets, if any, are in front of its last `/`.
  size_t end = path.rfind(']');
  return end == std::string::npos ? "" : path.substr(0, end + 1);
}

void putValue(std::string &out, const char *key, const std::string &json,
              int64_t seq) {
  if (json.size() <= inlineText)
    return putText(out, key, json);
  std::string value = "{";
  putText(value, "handle", std::to_string(seq) + "." + key);
  putJson(value, "bytes", std::to_string(json.size()));
  putJson(out, key, value + "}");
}

TimelineStep &Timeline::stepAt(const std::string &path) {
  auto [found, fresh] = index.emplace(path, steps.size());
  if (fresh) {
    steps.emplace_back();
    steps.back().path = path;
    steps.back().kind = "step";
  }
  return steps[found->second];
}

int64_t Timeline::estimateBegin(const std::string &path) const {
  for (std::string branch = branchOf(path);;) {
    auto over = overMs.find(branch);
    if (over != overMs.end())
      return over->second;
    if (branch.empty())
      return -1;
    branch = branchOf(branch.substr(0, branch.rfind('[')));
  }
}

void Timeline::begin(TimelineStep &step, const Event &event) {
  StepAttempt attempt;
  attempt.number = event.attempt;
  attempt.beginMs = event.timeMs;
  step.attempts.push_back(std::move(attempt));
  if (step.beginMs < 0)
    step.beginMs = event.timeMs;
  step.endMs = -1;
}

void Timeline::end(TimelineStep &step, const Event &event,
                   const char *outcome) {
  if (!isOpen(step)) {
    StepAttempt attempt;
    attempt.number = event.attempt;
    Json took = infoMember(event.info, "took");
    bool known = took.is_number_integer();
    attempt.beginMs = known ? event.timeMs - took.get<int64_t>() / 1'000'000
                      : step.attempts.empty()
                          ? std::min(estimateBegin(event.path), event.timeMs)
                          : step.attempts.back().endMs;
    step.beginEstimated |= step.attempts.empty() && !known;
    if (step.beginMs < 0)
      step.beginMs = attempt.beginMs;
    step.attempts.push_back(std::move(attempt));
  }
  StepAttempt &attempt = step.attempts.back();
  attempt.endMs = step.endMs = event.timeMs;
  attempt.outcome = outcome;
  attempt.error = event.error;
  overMs[branchOf(event.path)] = event.timeMs;
}

void Timeline::apply(const Event &event) {
  history.apply(event);
  lastSeq = event.seq;
  lastMs = event.timeMs;
  if (event.kind == EventKind::Claimed)
    overMs.clear(); // branches start anew
  if (event.path.empty()) {
    if (event.kind == EventKind::Claimed)
      overMs[""] = event.timeMs;
    return;
  }
  TimelineStep &step = stepAt(event.path);
  step.lastSeq = event.seq;
  if (!event.info.empty())
    step.info = event.info;
  if (!event.args.empty()) {
    step.args = event.args;
    step.argsSeq = event.seq;
  }
  if (event.tokensIn >= 0)
    step.tokensIn = std::max<int64_t>(step.tokensIn, 0) + event.tokensIn;
  if (event.tokensOut >= 0)
    step.tokensOut = std::max<int64_t>(step.tokensOut, 0) + event.tokensOut;
  if (Json cost = infoMember(event.info, "cost"); cost.is_number())
    step.usd = std::max(step.usd, 0.0) + cost.get<double>();
  step.part |= infoMember(event.info, "part") == true;
  if (!event.token.empty() && step.kind == "step" && !event.args.empty())
    step.kind = kindOfCall(event);
  switch (event.kind) {
  case EventKind::Intent:
    if (infoMember(event.info, "wait").is_string())
      step.kind = "receive";
    else if (infoMember(event.info, "fork").is_boolean())
      step.kind = "fork";
    else if (infoMember(event.info, "agent").is_string())
      step.kind = "agent";
    begin(step, event);
    break;
  case EventKind::ApprovalAsked:
    step.kind = "approval";
    begin(step, event);
    break;
  case EventKind::Sleep:
    step.kind = "sleep";
    begin(step, event);
    break;
  case EventKind::Result:
  case EventKind::Approval:
    step.result = event.result;
    step.resultSeq = event.seq;
    step.error.clear();
    end(step, event, "done");
    break;
  case EventKind::Reconciled:
    if (infoMember(event.info, "found") != true)
      break;
    step.result = event.result;
    step.resultSeq = event.seq;
    step.error.clear();
    if (!isOpen(step) && !step.attempts.empty()) {
      // The attempt that nobody knew of has acted.
      step.attempts.back().outcome = "done";
      step.attempts.back().endMs = step.endMs = event.timeMs;
      overMs[branchOf(event.path)] = event.timeMs;
    } else {
      end(step, event, "done");
    }
    break;
  case EventKind::Failure:
    step.error = event.error;
    // An attempt that was unknown and is the last one is not another one.
    if (!isOpen(step) && !step.attempts.empty() &&
        step.attempts.back().number == event.attempt)
      step.attempts.back().outcome = "failed";
    else
      end(step, event, "failed");
    break;
  case EventKind::Unknown:
    step.error = event.error;
    end(step, event, "unknown");
    break;
  case EventKind::Parked:
    step.error = event.error;
    step.endMs = -1;
    break;
  case EventKind::Decision:
    if (event.result.empty())
      break; // a person said "retry"
    if (step.kind == "step")
      step.kind =
          event.result.find("\"parts\"") == std::string::npos ? "join" : "fork";
    step.result = event.result;
    step.resultSeq = event.seq;
    end(step, event, "decided");
    break;
  case EventKind::Cancelled:
    if (!event.error.empty())
      step.error = event.error;
    if (isOpen(step))
      end(step, event, "cancelled");
    step.endMs = event.timeMs;
    break;
  default:
    break;
  }
  const PastStep &past = history.steps[event.path];
  step.state = stateName(past.state);
  step.until = past.until;
}

std::string stepJson(const TimelineStep &step) {
  std::string out = "{";
  putText(out, "path", step.path);
  putText(out, "kind", step.kind);
  putText(out, "state", step.state);
  putTime(out, "begin", step.beginMs);
  putTime(out, "end", step.endMs);
  if (step.beginEstimated)
    putJson(out, "begin_estimated", "true");
  std::string attempts;
  for (const StepAttempt &attempt : step.attempts)
    attempts += (attempts.empty() ? "" : ",") + attemptJson(attempt);
  putJson(out, "attempts", "[" + attempts + "]");
  putNumber(out, "tokens_in", step.tokensIn);
  putNumber(out, "tokens_out", step.tokensOut);
  if (step.usd >= 0)
    putJson(out, "usd", Json(step.usd).dump());
  putValue(out, "args", step.args, step.argsSeq);
  putValue(out, "result", step.result, step.resultSeq);
  putText(out, "error", step.error);
  bool waits = step.state == "waiting" || step.state == "parked";
  if (step.state == "waiting" && !step.until.empty())
    putTime(out, "until", Instant::parse(step.until).wallMs);
  if (waits)
    putQuestion(out, step);
  for (const char *key : {"model", "finish", "by"})
    if (Json member = infoMember(step.info, key); member.is_string())
      putText(out, key, member.get<std::string>());
  putJson(out, "seq", std::to_string(step.lastSeq));
  return out + "}";
}

} // namespace agt::rt
