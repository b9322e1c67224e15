// agt-convert-to-ring: see passes/Mesh/Partition.h for how.
#include "passes/Mesh/Partition.h"
#include "passes/Passes.h"

namespace agt {
#define GEN_PASS_DEF_CONVERTTORING
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

namespace {

struct ConvertToRingPass : agt::impl::ConvertToRingBase<ConvertToRingPass> {
  using ConvertToRingBase::ConvertToRingBase;

  void runOnOperation() override {
    GraphOp graph = getOperation();
    if (MeshOp mesh = meshOf(graph))
      // Of a graph that is there twice one speaks.
      if (failed(Partition(graph, mesh, explain && !graph->hasAttr(kPolicyOf))
                     .run()))
        signalPassFailure();
  }
};

} // namespace
