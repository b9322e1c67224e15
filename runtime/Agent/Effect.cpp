// See Effect.h. The machine of one step:
//
//   issue ──▶ done
//     │  ├──▶ not sent, definite failure ──▶ issue again while retries are left
//     │  └──▶ unknown ──┐
//   (crash) ────────────┴▶ pure, idempotent: issue again, same token
//                          reconcile: ask; found: done; not found, also not
//                            after settling: issue again; cannot tell: parked
//                          once: parked
//
// After a crash the repetition is no retry: nothing has failed. An attempt that
// was lost in this process counts against `retry` like a failure.
#include "runtime/Agent/Effect.h"

#include "runtime/Agent/Secrets.h"
#include "runtime/Log/Token.h"
#include "runtime/Support/FailPoint.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <thread>

namespace agt::rt {

namespace {
constexpr int64_t graceNs = 1'000'000'000; // behind a deadline, before asking
const char *const crashText =
    "the program stopped while the call was on its way";
} // namespace

void pauseStrand(Strand &strand, int64_t ns) {
  auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
  while (true) {
    strand.check();
    strand.leaveIfAsked();
    auto left = end - std::chrono::steady_clock::now();
    if (left <= left.zero())
      return;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(
        left, std::chrono::milliseconds(20)));
  }
}

namespace {

class EffectRun {
public:
  EffectRun(agt_scope *scope, const agt_site &site, const std::string &args,
            const Effect &effect)
      : scope(scope), strand(*scope->strand), site(site), effect(effect) {
    attempt.path = scope->path(site.name);
    attempt.args = args;
    attempt.number = 0;
    // A `once` that has begun is not torn down because a sibling won: only the
    // end of the whole run does that.
    attempt.cancel = effect.effect == EffectClass::Once ? &strand.run.cancel
                                                        : &strand.cancel;
  }

  Value run() {
    bool mayRepeat = effect.effect == EffectClass::Pure ||
                     effect.effect == EffectClass::Idempotent;
    const PastStep *past = findPast(scope, site, attempt.args, mayRepeat);
    if (past) {
      if (past->state == PastState::Done) {
        strand.budget->countStep();
        chargePast(*past);
        return readLogged(scope, past->result, effect.type);
      }
      if (past->state == PastState::Failed) {
        strand.budget->countStep();
        throw StepFailure(past->error);
      }
      attempt.token = past->token;
      attempt.number = past->attempt;
      failures = past->failures;
    }
    if (past && attempt.cancel->cancelled())
      cancelledEarlier(*past);
    refuseNew(scope, attempt.path);
    if (past && past->state == PastState::Parked)
      suspendParked(past->error);
    strand.budget->openStep(strand.run.activeNs());
    if (attempt.token.empty())
      attempt.token = stepToken(strand.run.run.id, attempt.path, attempt.args);
    if (past)
      if (std::optional<Value> value = recover(*past))
        return *value;
    return issueUntilDone();
  }

private:
  void chargePast(const PastStep &past) {
    Json cost = infoMember(past.info, "cost");
    strand.budget->settle(0, past.tokens,
                          cost.is_number() ? cost.get<double>() : 0);
  }

  Value issueUntilDone() {
    while (true) {
      AttemptResult result = issue();
      switch (result.kind) {
      case AttemptResult::Done:
        noteResult(EventKind::Result, result);
        return result.value;
      case AttemptResult::NotSent:
      case AttemptResult::Definite:
        failOrWait(EventKind::Failure, result);
        break;
      case AttemptResult::Unknown:
        noteUnknown(result, false);
        if (std::optional<Value> value = resolveUnknown(&result))
          return *value;
      }
    }
  }

  AttemptResult issue() {
    strand.check();
    std::shared_ptr<void> admission;
    if (effect.admit) { // before the intent: nothing is on its way yet
      strand.post();
      admission = effect.admit(attempt);
      strand.check();
    }
    ++attempt.number;
    beganNs = Instant::wallNs();
    attempt.timeout = effect.timeout;
    int64_t left = strand.budget->wallLeft(strand.run.activeNs());
    if (left >= 0)
      attempt.timeout = std::min(attempt.timeout, left);
    int64_t announced = Instant::now().bootNs;
    if (effect.effect == EffectClass::Pure) {
      strand.post(); // the call may take long; what is done is made durable
    } else {
      Event intent = makeEvent(EventKind::Intent, attempt.path);
      fill(intent);
      intent.args = attempt.args;
      intent.hash = site.hash ? site.hash : "";
      intent.info = "{\"until\":" +
                    jsonString(Instant::now().after(attempt.timeout).text()) +
                    "}";
      note(std::move(intent));
      strand.commit();
    }
    FailPoint::reach("effect.before");
    if (effect.effect != EffectClass::Pure)
      attempt.startByBootNs = strand.confirmOwner(announced);
    AttemptResult result = effect.perform(attempt);
    FailPoint::reach("effect.after");
    result.error = redact(std::move(result.error));
    if (result.kind != AttemptResult::Done && attempt.cancel->cancelled())
      cancelled(result);
    return result;
  }

  void fill(Event &event) {
    event.attempt = attempt.number;
    event.token = attempt.token;
    event.note = effect.note;
    event.beganNs = beganNs;
  }

  // `found`: by F, else by the call itself.
  void noteResult(EventKind kind, const AttemptResult &result) {
    Event event = makeEvent(kind, attempt.path);
    fill(event);
    if (effect.effect == EffectClass::Pure) {
      event.args = attempt.args;
      event.hash = site.hash ? site.hash : "";
    }
    event.result = canonicalJson(result.value);
    if (holdsSecret(event.result)) {
      // It has acted, and that is all the log may know.
      event.kind = EventKind::Failure;
      event.result.clear();
      event.error =
          effect.noun + " answered with a secret, which is not recorded";
      event.info = finalInfo("");
      std::string error = event.error;
      note(std::move(event));
      throw StepFailure(error);
    }
    event.info =
        kind == EventKind::Reconciled ? "{\"found\":true}" : result.info;
    event.tokensIn = result.tokensIn;
    event.tokensOut = result.tokensOut;
    note(std::move(event));
  }

  // A pure call has announced nothing: how long it took is said at its end.
  void note(Event event) {
    bool isEnd = event.kind == EventKind::Result ||
                 event.kind == EventKind::Failure ||
                 event.kind == EventKind::Unknown;
    if (effect.effect == EffectClass::Pure && isEnd && beganNs)
      event.info = with("\"took\":" + std::to_string(std::max<int64_t>(
                                          Instant::wallNs() - beganNs, 0)),
                        event.info);
    strand.note(std::move(event));
  }

  void noteUnknown(const AttemptResult &lost, bool crash) {
    failures += !crash;
    Event event = makeEvent(EventKind::Unknown, attempt.path);
    fill(event);
    event.error = lost.error;
    event.info = crash ? "{\"crash\":true}" : lost.info;
    note(std::move(event));
  }

  // Returns when the call may be made again.
  void failOrWait(EventKind kind, const AttemptResult &result) {
    ++failures;
    bool last = failures > effect.retry.attempts;
    Event event = makeEvent(kind, attempt.path);
    fill(event);
    event.args = attempt.args;
    event.hash = site.hash ? site.hash : "";
    event.error = result.error;
    event.info = last ? finalInfo(result.info) : result.info;
    note(std::move(event));
    if (last)
      throw StepFailure(result.error);
    strand.post();
    pauseStrand(strand, std::max<int64_t>(result.retryAfter, 0) +
                            effect.retry.delay(failures));
  }

  // Marks a failure as the last word on its step.
  static std::string finalInfo(const std::string &info) {
    return with("\"final\":true", info);
  }

  // The JSON object with one more member.
  static std::string with(const std::string &member, const std::string &info) {
    return "{" + member + (info.empty() ? "}" : "," + info.substr(1));
  }

  // What an earlier process has left; no value: issue.
  std::optional<Value> recover(const PastStep &past) {
    bool open = past.state == PastState::InFlight;
    if (!open && past.state != PastState::Unknown)
      return std::nullopt; // a person said "retry", or the delay is over
    if (open)
      noteUnknown(AttemptResult::failed(AttemptResult::Unknown, crashText),
                  true);
    if (effect.effect == EffectClass::Reconcile && open)
      awaitEndOf(past, [&](int64_t ns) { pauseStrand(strand, ns); });
    return resolveUnknown(nullptr);
  }

  // Until the attempt is known to be over: on the machine that made it, its
  // supervisor tells; elsewhere, and for what other machines do, its deadline.
  template <typename Pause> void awaitEndOf(const PastStep &past, Pause pause) {
    bool here = past.owner.empty() || ofThisMachine(past.owner);
    if (effect.endsWithProcess && here) {
      if (effect.awaitEnd)
        effect.awaitEnd(past);
    } else if (!past.until.empty()) {
      pause(Instant::parse(past.until).remaining() + graceNs);
    }
  }

  // `lost`: the attempt of this process that was lost; NULL after a crash.
  std::optional<Value> resolveUnknown(const AttemptResult *lost) {
    switch (effect.effect) {
    case EffectClass::Pure:
    case EffectClass::Idempotent:
      break;
    case EffectClass::Once:
      park("nobody knows whether " + effect.noun +
           " has acted: " + (lost ? lost->error : std::string(crashText)));
    case EffectClass::Reconcile:
      if (std::optional<Value> value = ask())
        return value;
    }
    if (!lost)
      return std::nullopt;
    // As failOrWait, but the attempt has been counted already.
    if (failures > effect.retry.attempts) {
      Event event = makeEvent(EventKind::Failure, attempt.path);
      fill(event);
      event.args = attempt.args;
      event.hash = site.hash ? site.hash : "";
      event.error = lost->error;
      event.info = finalInfo("");
      note(std::move(event));
      throw StepFailure(lost->error);
    }
    strand.post();
    pauseStrand(strand, std::max<int64_t>(lost->retryAfter, 0) +
                            effect.retry.delay(failures));
    return std::nullopt;
  }

  // Asks F; "not found" counts once the settling time is over.
  std::optional<Value> ask() {
    strand.post();
    for (int round = 0;; ++round) {
      FailPoint::reach("reconcile.before");
      Found found = effect.reconcile(attempt);
      FailPoint::reach("reconcile.after");
      if (found.kind == Found::Yes) {
        noteResult(EventKind::Reconciled, AttemptResult::done(found.value));
        return found.value;
      }
      if (found.kind == Found::CannotTell) {
        if (attempt.cancel->cancelled())
          strand.check();
        park("nobody can tell whether " + effect.noun +
             " has acted: " + redact(found.error));
      }
      Event event = makeEvent(EventKind::Reconciled, attempt.path);
      fill(event);
      event.info = "{\"found\":false}";
      note(std::move(event));
      if (round == 1 || effect.settle == 0)
        return std::nullopt;
      pauseStrand(strand, effect.settle);
    }
  }

  [[noreturn]] void park(const std::string &why) {
    Event event = makeEvent(EventKind::Parked, attempt.path);
    fill(event);
    event.error = why;
    event.info = "{\"type\":" + std::to_string(effect.type) + "}";
    note(std::move(event));
    strand.commit();
    suspendParked(why);
  }

  [[noreturn]] void suspendParked(const std::string &why) {
    PendingWait wait;
    wait.path = attempt.path;
    wait.what = why;
    wait.parked = true;
    strand.run.suspend(std::move(wait));
    throw Unwind{AGT_STEP_SUSPENDED};
  }

  // The attempt was cut short because the run or the branch is cancelled:
  // before it closes, find out what became of it.
  [[noreturn]] void cancelled(const AttemptResult &result) {
    if (strand.run.stopped()) // the intent stays: the next one recovers it
      throw Unwind{AGT_STEP_STOPPED};
    Event event = makeEvent(EventKind::Cancelled, attempt.path);
    fill(event);
    if (result.kind == AttemptResult::Unknown) {
      if (effect.effect == EffectClass::Reconcile) {
        CancelToken none;
        Attempt question = attempt;
        question.cancel = &none;
        Found found = effect.reconcile(question);
        if (found.kind == Found::Yes) {
          noteResult(EventKind::Reconciled, AttemptResult::done(found.value));
          strand.post();
          throw Unwind{AGT_STEP_CANCELLED};
        }
        event.error = found.kind == Found::No ? "it has not acted"
                                              : "nobody can tell whether " +
                                                    effect.noun + " has acted";
      } else if (effect.effect == EffectClass::Once) {
        event.error = "nobody knows whether " + effect.noun + " has acted";
      }
    }
    note(std::move(event));
    strand.post();
    throw Unwind{AGT_STEP_CANCELLED};
  }

  // The same for an attempt that an earlier process has left.
  void cancelledEarlier(const PastStep &past) {
    if (strand.run.stopped() || strand.run.options.replayOnly ||
        (past.state != PastState::InFlight && past.state != PastState::Unknown))
      return;
    // Pausing is what a cancelled strand does not do; this one has to.
    awaitEndOf(past, [&](int64_t ns) {
      using Clock = std::chrono::steady_clock;
      auto end = Clock::now() + std::chrono::nanoseconds(ns);
      while (!strand.run.stopped() && Clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    cancelled(AttemptResult::failed(AttemptResult::Unknown, crashText));
  }

  agt_scope *scope;
  Strand &strand;
  const agt_site &site;
  const Effect &effect;
  Attempt attempt;
  int64_t failures = 0;
  int64_t beganNs = 0; // this attempt
};

} // namespace

Value runEffect(agt_scope *scope, const agt_site &site, const std::string &args,
                const Effect &effect) {
  return EffectRun(scope, site, args, effect).run();
}

} // namespace agt::rt
