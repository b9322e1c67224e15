// Steps that wait for a person, a signal or a time. Each is a row: asked, and
// later answered from outside or by the clock. While there is no answer the
// step suspends and the function unwinds; waking is replay from the top.
#include "runtime/Agent/Execution.h"
#include "runtime/Log/Token.h"

#include <algorithm>

namespace agt::rt {

namespace {

// The wait of `site`: looks the answer up, else asks and suspends.
class Waiting {
public:
  Waiting(agt_scope *scope, const agt_site &site, EventKind asking,
          std::string args, std::string what)
      : scope(scope), strand(*scope->strand), site(site), asking(asking),
        args(std::move(args)), what(std::move(what)),
        path(scope->path(site.name)) {}

  const PastStep *look() {
    const PastStep *past = findPast(scope, site, args);
    if (past && past->state == PastState::Done)
      strand.budget->countStep();
    return past;
  }

  // The time at which the wait ends; asks first where nobody has yet.
  Instant deadline(const PastStep *past, int64_t within,
                   const std::string &more) {
    if (past && !past->until.empty())
      return Instant::parse(past->until);
    refuseNew(scope, path);
    strand.budget->openStep(strand.run.activeNs());
    Instant until = Instant::now().after(within);
    Event event = makeEvent(asking, path);
    event.args = args;
    event.hash = site.hash ? site.hash : "";
    event.info = "{" + more + "\"until\":" + jsonString(until.text()) + "}";
    strand.note(std::move(event));
    strand.commit();
    return until;
  }

  void answer(const std::string &result, const std::string &info) {
    Event event = makeEvent(EventKind::Result, path);
    event.result = result;
    event.info = info;
    strand.note(std::move(event));
  }

  [[noreturn]] void suspend(const Instant &until) {
    refuseNew(scope, path);
    PendingWait wait;
    wait.path = path;
    wait.what = what;
    wait.until = until.text();
    strand.run.suspend(std::move(wait));
    throw Unwind{AGT_STEP_SUSPENDED};
  }

private:
  agt_scope *scope;
  Strand &strand;
  const agt_site &site;
  EventKind asking;
  std::string args, what, path;
};

bool approve(agt_scope *scope, const agt_site &site, std::string_view text,
             std::string_view role, int64_t within, bool otherwise) {
  // What was shown is what is answered: the arguments are in the row, and an
  // answer is bound to them by their digest.
  std::string args = "{\"by\":" + jsonString(role) +
                     ",\"text\":" + jsonString(text) +
                     ",\"within\":" + std::to_string(within) + "}";
  Waiting waiting(scope, site, EventKind::ApprovalAsked, args, "approval");
  const PastStep *past = waiting.look();
  if (past && past->state == PastState::Done)
    return past->result == "true";
  Instant until = waiting.deadline(
      past, within, "\"shown\":" + jsonString(sha256Hex(args)) + ",");
  if (until.remaining() > 0)
    waiting.suspend(until);
  waiting.answer(otherwise ? "true" : "false", "{\"by\":\"deadline\"}");
  return otherwise;
}

void sleepFor(agt_scope *scope, const agt_site &site, int64_t duration) {
  Waiting waiting(scope, site, EventKind::Sleep, std::to_string(duration),
                  "sleep");
  const PastStep *past = waiting.look();
  if (past && past->state == PastState::Done)
    return;
  Instant until = waiting.deadline(past, duration, "");
  if (until.remaining() > 0)
    waiting.suspend(until);
  waiting.answer("null", "");
}

Value receive(agt_scope *scope, const agt_site &site, const std::string &name,
              uint32_t type, int64_t within) {
  Execution &run = scope->strand->run;
  std::string args = "{\"name\":" + jsonString(name) +
                     ",\"within\":" + std::to_string(within) + "}";
  Waiting waiting(scope, site, EventKind::Intent, args, "signal " + name);
  const PastStep *past = waiting.look();
  if (past && past->state == PastState::Done)
    return past->result == "null" ? nullptr
                                  : readLogged(scope, past->result, type);
  Instant until = waiting.deadline(past, within, "\"wait\":\"receive\",");
  if (std::optional<PastSignal> signal = run.takeSignal(jsonString(name))) {
    Value value = readLogged(scope, signal->value, type);
    waiting.answer(canonicalJson(value),
                   "{\"signal\":" + std::to_string(signal->seq) + "}");
    return value;
  }
  if (until.remaining() > 0)
    waiting.suspend(until);
  waiting.answer("null", "");
  return nullptr;
}

} // namespace

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_step_approve(agt_scope *scope, const agt_site *site,
                         const agt_value *text, const agt_value *role,
                         int64_t within, int32_t otherwise, int32_t *answer) {
  return guardSite(scope, site, [&](const agt_site &at) {
    *answer =
        approve(scope, at, textOf(text), textOf(role), within, otherwise != 0);
  });
}

int32_t agt_step_sleep(agt_scope *scope, const agt_site *site,
                       int64_t duration) {
  return guardSite(scope, site,
                   [&](const agt_site &at) { sleepFor(scope, at, duration); });
}

int32_t agt_step_receive(agt_scope *scope, const agt_site *site,
                         const char *name, uint32_t type, int64_t within,
                         const agt_value **result) {
  return guardSite(scope, site, [&](const agt_site &at) {
    *result = receive(scope, at, name, type, within);
  });
}
