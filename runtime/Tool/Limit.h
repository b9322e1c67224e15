// `limit: 5 per 1s, concurrent 2`: of a tool, over all runs of this process.
#ifndef AGT_RUNTIME_TOOL_LIMIT_H
#define AGT_RUNTIME_TOOL_LIMIT_H

#include "runtime/Agent/Execution.h"

namespace agt::rt {

/// Waits until the call may start; the slot is free again with the object.
/// A cancelled strand does not wait: its call is cut short at once.
class LimitSlot {
public:
  LimitSlot(const ToolDecl &tool, const CancelToken &cancel);
  ~LimitSlot();
  LimitSlot(const LimitSlot &) = delete;

private:
  struct State;
  static State &stateOf(const ToolDecl &tool);
  State *state = nullptr;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_LIMIT_H
