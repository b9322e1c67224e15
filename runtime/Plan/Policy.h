// The way that the attentions of a run go on rings.
#ifndef AGT_RUNTIME_PLAN_POLICY_H
#define AGT_RUNTIME_PLAN_POLICY_H

namespace agt::rt {

enum class Policy {
  None,   // there is nothing to choose, or nothing is forced
  PassKV, // keys and values go round
  PassQ   // queries go to the keys, and partial results back
};

/// "pass-kv", "pass-q", or "".
inline const char *policyName(Policy policy) {
  switch (policy) {
  case Policy::PassKV:
    return "pass-kv";
  case Policy::PassQ:
    return "pass-q";
  default:
    return "";
  }
}

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_POLICY_H
