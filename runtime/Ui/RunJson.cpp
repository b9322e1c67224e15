// See RunJson.h.
#include "runtime/Ui/RunJson.h"

#include "runtime/Log/EventJson.h"
#include "runtime/Value/Value.h"

namespace agt::rt {

namespace {

std::string textMember(const std::string &args, const char *key) {
  Json json = infoMember(args, key);
  return json.is_string() ? json.get<std::string>() : "";
}

// What a run waits for at one step; "" for a step that does not wait.
std::string waitJson(const Event &event) {
  std::string kind, text;
  switch (event.kind) {
  case EventKind::ApprovalAsked:
    kind = "approval";
    text = textMember(event.args, "text");
    break;
  case EventKind::Sleep:
    kind = "sleep";
    break;
  case EventKind::Parked:
    kind = "parked";
    text = event.error;
    break;
  case EventKind::Intent:
    if (!infoMember(event.info, "wait").is_string())
      return "";
    kind = "receive";
    text = textMember(event.args, "name");
    break;
  default:
    return "";
  }
  std::string out = "{";
  putText(out, "path", event.path);
  putText(out, "kind", kind);
  putText(out, "text", text);
  if (std::string until = textMember(event.info, "until"); !until.empty())
    putText(out, "until", wallText(Instant::parse(until).wallMs));
  return out + "}";
}

void putRun(std::string &out, const RunRow &run) {
  putText(out, "id", run.id);
  putText(out, "agent", run.agent);
  putText(out, "program", run.program);
  putText(out, "status", statusText(run));
  putText(out, "created", wallText(run.createdMs));
  putText(out, "changed", wallText(run.changedMs));
  if (!run.wake.empty())
    putText(out, "wake", wallText(Instant::parse(run.wake).wallMs));
  if (run.owned)
    putText(out, "owner", ownerText(run.owner));
  putText(out, "error", run.error);
}

void putTotals(std::string &out, size_t steps, int64_t in, int64_t given) {
  putJson(out, "steps", std::to_string(steps));
  putJson(out, "tokens_in", std::to_string(in));
  putJson(out, "tokens_out", std::to_string(given));
}

} // namespace

std::string runJson(const RunSummary &summary) {
  std::string out = "{";
  putRun(out, summary.run);
  putTotals(out, size_t(summary.steps), summary.tokensIn, summary.tokensOut);
  std::string waits;
  for (const Event &event : summary.open)
    if (std::string wait = waitJson(event); !wait.empty())
      waits += (waits.empty() ? "" : ",") + wait;
  if (!waits.empty())
    putJson(out, "waits", "[" + waits + "]");
  return out + "}";
}

std::string timelineJson(const RunRow &run, const std::vector<Event> &events,
                         int64_t after) {
  Timeline timeline;
  for (const Event &event : events)
    timeline.apply(event);
  std::string out = "{", whole = "{";
  putRun(whole, run);
  int64_t in = 0, given = 0;
  double usd = 0;
  bool priced = false;
  std::string steps;
  for (const TimelineStep &step : timeline.steps) {
    if (!step.part && step.kind != "agent") { // its steps are counted
      in += std::max<int64_t>(step.tokensIn, 0);
      given += std::max<int64_t>(step.tokensOut, 0);
      usd += std::max(step.usd, 0.0);
      priced |= step.usd >= 0;
    }
    if (step.lastSeq > after)
      steps += (steps.empty() ? "" : ",") + stepJson(step);
  }
  putTotals(whole, timeline.steps.size(), in, given);
  if (priced)
    putJson(whole, "usd", Json(usd).dump());
  for (const Event &event : events) {
    if (event.kind == EventKind::RunStarted)
      putValue(whole, "args", event.args, event.seq);
    else if (event.kind == EventKind::RunDone)
      putValue(whole, "result", event.result, event.seq);
  }
  if (timeline.history.cancelRequested)
    putJson(whole, "cancel_asked", "true");
  out += "\"run\":" + whole + "},\"steps\":[" + steps + "]";
  putJson(out, "seq", std::to_string(timeline.lastSeq));
  putText(out, "now", wallText(Instant::now().wallMs));
  return out + "}";
}

} // namespace agt::rt
