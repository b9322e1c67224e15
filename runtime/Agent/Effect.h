// The life of a step that touches the world (docs/Agents.md, "Effects"):
// intent, attempt, outcome, and what a crash or a lost answer leads to.
//
// Tools and models differ in how an attempt is made; everything about when one
// is made, repeated, asked after or parked is here and once.
#ifndef AGT_RUNTIME_AGENT_EFFECT_H
#define AGT_RUNTIME_AGENT_EFFECT_H

#include "runtime/Agent/Execution.h"

#include <functional>
#include <optional>
#include <string>

namespace agt::rt {

/// One attempt, as those who make it see it.
struct Attempt {
  std::string path, token, args; // args: canonical JSON
  int64_t number = 1;
  int64_t timeout = 0; // nanoseconds
  /// What has not begun by then, by Instant's boot clock, must not begin: the
  /// run may be another process's. 0: whenever.
  int64_t startByBootNs = 0;
  bool isLate() const {
    return startByBootNs && Instant::now().bootNs > startByBootNs;
  }
  const CancelToken *cancel = nullptr;
};

struct AttemptResult {
  enum Kind { Done, NotSent, Unknown, Definite } kind = Definite;
  Value value = nullptr; // Done: of the step's type
  std::string error;     // else
  std::string info;      // JSON for the log
  int64_t tokensIn = -1, tokensOut = -1;
  int64_t retryAfter = 0; // nanoseconds that the other side asked for

  static AttemptResult done(Value value) {
    AttemptResult result;
    result.kind = Done;
    result.value = value;
    return result;
  }
  static AttemptResult failed(Kind kind, std::string error) {
    AttemptResult result;
    result.kind = kind;
    result.error = std::move(error);
    return result;
  }
};

/// What F of `reconcile F` found out.
struct Found {
  enum Kind { Yes, No, CannotTell } kind;
  Value value = nullptr; // Yes
  std::string error;     // CannotTell
};

struct Effect {
  std::string noun; // "the tool 'create_issue'", for messages
  EffectClass effect = EffectClass::Idempotent;
  Retry retry;
  int64_t timeout = 0;
  uint32_t type = 0; // of the result
  /// An attempt ends with this process (its tools die with it), so that after
  /// a crash nobody needs to wait for its deadline.
  bool endsWithProcess = true;
  int64_t settle = 0;
  std::shared_ptr<const StepNote> note; // for the run's trace
  /// Waits until an attempt may begin; it holds what is returned.
  std::function<std::shared_ptr<void>(const Attempt &)> admit;
  std::function<AttemptResult(const Attempt &)> perform;
  std::function<Found(const Attempt &)> reconcile;
  /// Returns when nothing of an earlier process's attempt is alive.
  std::function<void(const PastStep &past)> awaitEnd;
};

/// The value of the step at `site`: from the log, or by carrying it out.
/// Throws StepFailure and Unwind.
Value runEffect(agt_scope *scope, const agt_site &site, const std::string &args,
                const Effect &effect);

/// Sleeps, but not when the strand is cancelled or stopped: then it unwinds.
void pauseStrand(Strand &strand, int64_t ns);

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_EFFECT_H
