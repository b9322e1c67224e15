// `limit: 5 per 1s, concurrent 2`: of a tool, over all runs of all processes
// that share a step log.
#ifndef AGT_RUNTIME_TOOL_LIMIT_H
#define AGT_RUNTIME_TOOL_LIMIT_H

#include "runtime/Agent/Execution.h"

namespace agt::rt {

/// Waits until the call may start; the slot is free again with the object.
/// A cancelled strand does not wait, and has no slot.
class LimitSlot {
public:
  LimitSlot(StepLog &log, const ToolDecl &tool, const CancelToken &cancel);
  ~LimitSlot();
  LimitSlot(const LimitSlot &) = delete;

private:
  struct Gate;
  static Gate &gateOf(const ToolDecl &tool);
  bool wait(const CancelToken &cancel);

  StepLog &log;
  LimitedCall call;
  Gate *gate = nullptr; // set while the slot is held
};

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_LIMIT_H
