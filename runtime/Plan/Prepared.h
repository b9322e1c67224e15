// A plan kept on its device, to be run as often as is wanted with other content
// in its inputs: what a step of generation costs is then the step alone.
#ifndef AGT_RUNTIME_PLAN_PREPARED_H
#define AGT_RUNTIME_PLAN_PREPARED_H

#include "runtime/Plan/Context.h"
#include "runtime/Plan/Placed.h"

namespace agt::rt {

class PreparedPlan {
public:
  /// Records the plan of `graph` for inputs of these shapes and makes it ready
  /// to run. The inputs' data and shapes stay where they are.
  PreparedPlan(agt_context &context, const agt_graph &graph,
               const std::vector<agt_tensor> &in);

  /// Uploads the inputs that are not residents, and runs.
  void run();
  /// Bytes `offset` to `offset + bytes - 1` of a result of the last run.
  void read(size_t result, uint64_t offset, void *to, uint64_t bytes);
  const std::vector<int64_t> &shape(size_t result) const;
  /// Bytes of device memory, residents not counted.
  uint64_t peakBytes() const { return placed->report.peakBytes; }
  size_t launches() const { return placed->launches(); }

private:
  std::unique_ptr<agt_run> plan;
  std::unique_ptr<PlacedPlan> placed;
  std::unique_ptr<CommandList> list; // NULL when there is no launch
};

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_PREPARED_H
