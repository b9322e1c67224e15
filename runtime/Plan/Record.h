// What the functions that record plans share.
#ifndef AGT_RUNTIME_PLAN_RECORD_H
#define AGT_RUNTIME_PLAN_RECORD_H

#include "runtime/Plan/Plan.h"
#include "runtime/Support/Failure.h"

namespace agt::rt {

/// Fails about a plan that the compiler should not have made.
[[noreturn]] void failPlan(const agt_run &run, const std::string &text);

/// guard() for calls on a plan: a plan that failed once is dropped later.
template <typename Body> agt_status guardPlan(agt_run *run, Body &&body) {
  agt_status status = guard(body);
  if (status)
    run->failed = true;
  return status;
}

/// Fails with AGT_BAD_INPUT when count, dtype or rank of the inputs is not the
/// graph's. Where their data is elsewhere (`dataHere` is false) only their
/// shapes are looked at.
void checkArguments(const agt_graph &graph, const agt_tensor *in, size_t n_in,
                    size_t n_out, bool dataHere);

/// A plan with nothing in it, which the context owns.
agt_run &newPlan(agt_context &context, const agt_graph &graph,
                 const agt_tensor *in);

/// Fails when a result is missing.
void checkOutputs(const agt_run &run);

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_RECORD_H
