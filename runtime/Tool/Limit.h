// `limit: 5 per 1s, concurrent 2`: of a tool or a model's endpoint, over all
// runs of all processes that share a step log.
#ifndef AGT_RUNTIME_TOOL_LIMIT_H
#define AGT_RUNTIME_TOOL_LIMIT_H

#include "runtime/Agent/Execution.h"

namespace agt::rt {

/// Waits until the call may start; the slot is free again with the object.
/// A cancelled strand does not wait, and has no slot.
class LimitSlot {
public:
  LimitSlot(StepLog &log, const ToolDecl &tool, const CancelToken &cancel);
  LimitSlot(StepLog &log, const LlmDecl &llm, const CancelToken &cancel);
  ~LimitSlot();
  LimitSlot(const LimitSlot &) = delete;

private:
  struct Gate;
  static Gate &gateOf(const std::string &name);
  void enter(const std::string &name, const LimitDecl &limit, int64_t timeoutNs,
             const CancelToken &cancel);
  bool wait(const CancelToken &cancel);

  StepLog &log;
  LimitedCall call;
  Gate *gate = nullptr; // set while the slot is held
};

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_LIMIT_H
