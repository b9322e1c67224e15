// Running the plans of a mesh: in one process, or one position a rank.
#ifndef AGT_RUNTIME_MESH_EXECUTE_H
#define AGT_RUNTIME_MESH_EXECUTE_H

#include "runtime/Mesh/Split.h"
#include "runtime/Plan/Context.h"
#include "runtime/Plan/Placed.h"

#include <optional>

namespace agt::rt {

/// Runs the plans of all positions in threads of this process, fills `out` and
/// the context's report. When it fails `out` owns nothing.
void executeTogether(agt_context &context, const agt_graph &graph,
                     const std::vector<agt_run *> &plans, agt_tensor *out);

/// Runs the plan of this process's rank, as all ranks do at the same time. Only
/// rank 0 has inputs, and only there `out` is filled. When it fails, it fails
/// on all ranks.
void executeAsRank(agt_context &context, const agt_graph &graph,
                   const std::vector<agt_run *> &plans, agt_tensor *out);

/// By axis of the mesh; 0 is as fast as it goes.
std::vector<double> axisRates(const agt_context &context, const agt_mesh &mesh);

/// The part of result `index` that the plan's position gives; nothing where a
/// position before it holds the same part.
std::optional<TensorPart> givenPart(const agt_run &plan, size_t index);

/// Calls make(i, out[i]) for all results; releases those made when one fails.
template <typename Make>
void makeResults(const agt_graph &graph, agt_tensor *out, Make &&make) {
  size_t done = 0;
  try {
    for (; done < graph.n_results; ++done)
      make(done, out[done]);
  } catch (...) {
    for (size_t i = 0; i <= done && i < graph.n_results; ++i)
      agt_tensor_release(&out[i]);
    throw;
  }
}

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_EXECUTE_H
