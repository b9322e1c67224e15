// The graphs that `test` blocks call: on one device for all of them, or one for
// each position of a mesh, with their weights from their files.
#ifndef AGT_RUNTIME_AGENT_TESTGRAPHS_H
#define AGT_RUNTIME_AGENT_TESTGRAPHS_H

#include "runtime/Plan/Context.h"
#include "runtime/Program/ModelInputs.h"
#include "runtime/Value/Value.h"

namespace agt::rt {

class TestGraphs {
public:
  explicit TestGraphs(const agt_program *program);

  /// The results, one as it is and several as a list. Fails with StepFailure.
  Value run(Arena &arena, const agt_graph &graph, const Value *args,
            size_t nArgs);

private:
  const ManifestGraph &declared(const agt_graph &graph) const;
  const Weights &weightsOf(const agt_graph &graph);

  Manifest manifest;
  agt_context context;
  std::map<const agt_graph *, Weights> weights;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_TESTGRAPHS_H
