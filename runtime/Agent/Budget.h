// Budgets: a tree of what may be used and what was. A child draws from all
// above it. Replayed steps are counted (they were paid for), but only new ones
// are refused: the sums after a replay are those before the crash.
#ifndef AGT_RUNTIME_AGENT_BUDGET_H
#define AGT_RUNTIME_AGENT_BUDGET_H

#include "runtime/Agent/Declarations.h"

#include <mutex>

namespace agt::rt {

class Budget {
public:
  /// `startNs`: the run's working time when this one began.
  Budget(Budget *parent, const BudgetDecl &limits, std::string agent,
         int64_t startNs)
      : parent(parent), limits(limits), agent(std::move(agent)),
        startNs(startNs) {}

  /// Before a new step; throws StepFailure when nothing is left for it.
  void openStep(int64_t activeNs);
  /// A step that is in the log already.
  void countStep();
  /// Before a model call that may use so many; throws StepFailure when nothing
  /// is left. The reservation goes with settle().
  void reserve(int64_t tokens);
  void settle(int64_t reserved, int64_t used, double usd);
  /// What a model call may use at most; -1: no bound.
  int64_t tokensLeft();
  int64_t tokensUsed();
  /// What is left of the wall time; -1: no bound.
  int64_t wallLeft(int64_t activeNs);

private:
  [[noreturn]] void exhausted(const std::string &what);

  Budget *parent;
  BudgetDecl limits;
  std::string agent;
  int64_t startNs;
  std::mutex mutex;
  int64_t steps = 0, used = 0, reserved = 0;
  double spent = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_BUDGET_H
