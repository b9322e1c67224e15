// See History.h.
#include "runtime/Agent/History.h"

namespace agt::rt {

Json infoMember(const std::string &info, const char *key) {
  if (info.empty() || info[0] != '{')
    return Json();
  Json json = Json::parse(info, nullptr, false);
  auto found = json.is_object() ? json.find(key) : json.end();
  return found == json.end() ? Json() : *found;
}

static void takeWait(PastStep &step, const Event &event, const char *kind) {
  step.state = PastState::Waiting;
  step.args = event.args;
  step.hash = event.hash;
  step.kind = kind;
}

static void takeIntent(PastStep &step, const Event &event) {
  Json wait = infoMember(event.info, "wait");
  if (wait.is_string())
    return takeWait(step, event, "receive");
  step.state = PastState::InFlight;
  step.attempt = event.attempt;
  step.token = event.token;
  step.args = event.args;
  step.hash = event.hash;
}

static void takeEnd(PastStep &step, const Event &event) {
  // Pure steps have no intent: the result brings the arguments.
  if (!event.args.empty())
    step.args = event.args;
  if (!event.hash.empty())
    step.hash = event.hash;
  if (event.kind == EventKind::Failure) {
    bool last = infoMember(event.info, "final").is_boolean();
    step.state = last ? PastState::Failed : PastState::Retry;
    step.error = event.error;
    ++step.failures;
    return;
  }
  step.state = PastState::Done;
  step.result = event.result;
  step.tokens = std::max<int64_t>(event.tokensIn, 0) +
                std::max<int64_t>(event.tokensOut, 0);
}

void History::forgetBelow(const std::string &path) {
  std::string prefix = path + "/";
  for (auto step = steps.begin(); step != steps.end();)
    if (step->first.compare(0, prefix.size(), prefix) == 0)
      step = steps.erase(step);
    else
      ++step;
}

void History::apply(const Event &event) {
  lastSeq = event.seq;
  switch (event.kind) {
  case EventKind::Signal:
    signals.push_back({event.seq, event.args, event.result});
    break;
  case EventKind::Cancel:
    cancelRequested = true;
    break;
  case EventKind::Claimed:
    if (claimedMs >= 0)
      activeMs += std::max<int64_t>(lastMs - claimedMs, 0);
    claimedMs = event.timeMs;
    if (Json claimant = infoMember(event.info, "owner"); claimant.is_string())
      owner = claimant.get<std::string>();
    break;
  case EventKind::Released:
    if (claimedMs >= 0)
      activeMs += std::max<int64_t>(event.timeMs - claimedMs, 0);
    claimedMs = -1;
    break;
  default:
    break;
  }
  // What comes from outside says nothing of how long the owner was alive.
  bool outside = event.kind == EventKind::Signal ||
                 event.kind == EventKind::Cancel ||
                 event.kind == EventKind::Approval;
  if (!outside)
    lastMs = event.timeMs;
  if (event.path.empty() || event.kind == EventKind::Signal)
    return;

  if (Json entries = infoMember(event.info, "entries"); entries.is_array())
    for (const Json &entry : entries)
      ++mockUses[infoMember(event.info, "llm").get<uint32_t>()]
                [entry.get<size_t>()];
  // Begun anew as something else: what was below it then is no part of it.
  if (auto old = steps.find(event.path);
      event.kind == EventKind::Intent && old != steps.end() &&
      !old->second.hash.empty() && !event.hash.empty() &&
      old->second.hash != event.hash)
    forgetBelow(event.path);
  PastStep &step = steps[event.path];
  step.lastSeq = event.seq;
  if (!event.info.empty())
    step.info = event.info;
  Json until = infoMember(event.info, "until");
  if (until.is_string())
    step.until = until.get<std::string>();
  switch (event.kind) {
  case EventKind::Intent:
    takeIntent(step, event);
    step.owner = owner;
    break;
  case EventKind::Result:
  case EventKind::Approval:
  case EventKind::Failure:
    takeEnd(step, event);
    if (Json signal = infoMember(event.info, "signal"); signal.is_number())
      taken.insert(signal.get<int64_t>());
    break;
  case EventKind::Unknown:
    step.state = PastState::Unknown;
    step.error = event.error;
    step.failures += !infoMember(event.info, "crash").is_boolean();
    break;
  case EventKind::Reconciled:
    if (infoMember(event.info, "found") == true)
      takeEnd(step, event);
    break;
  case EventKind::Parked:
    step.state = PastState::Parked;
    step.error = event.error;
    break;
  case EventKind::Decision:
    if (event.info == "{\"resolve\":\"retry\"}") {
      step.state = PastState::Retry;
      break;
    }
    step.state = PastState::Decided;
    step.args = event.args;
    step.result = event.result;
    step.hash = event.hash;
    break;
  case EventKind::ApprovalAsked:
    takeWait(step, event, "approval");
    break;
  case EventKind::Sleep:
    takeWait(step, event, "sleep");
    break;
  case EventKind::Cancelled:
    step.state = PastState::Cancelled;
    break;
  default:
    break;
  }
}

void History::load(StepLog &log, const std::string &run) {
  for (const Event &event : log.events(run, lastSeq))
    apply(event);
}

} // namespace agt::rt
