// agt-add-policies: see Passes.td.
#include "passes/Mesh/Partition.h"
#include "passes/Passes.h"

namespace agt {
#define GEN_PASS_DEF_ADDPOLICIES
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

namespace {

struct AddPoliciesPass : agt::impl::AddPoliciesBase<AddPoliciesPass> {
  void runOnOperation() override {
    for (GraphOp graph :
         llvm::make_early_inc_range(getOperation().getOps<GraphOp>()))
      if (MeshOp mesh = meshOf(graph))
        add(graph, Partition(graph, mesh, /*explain=*/false).choice());
  }

private:
  void add(GraphOp graph, const RingChoice &choice);
};

} // namespace

void AddPoliciesPass::add(GraphOp graph, const RingChoice &choice) {
  OpBuilder b(graph);
  if (!choice.rings)
    return graph->setAttr(kNoPolicy, b.getStringAttr(choice.whyNone));
  // Where some queries are whole and others cut, keys go round: that hides.
  StringRef asked = choice.queriesCut ? kPassKV : kPassQ;
  StringRef other = choice.queriesCut ? kPassQ : kPassKV;
  graph->setAttr(kPolicy, b.getStringAttr(asked));
  graph->setAttr(kRings, b.getI64IntegerAttr(choice.rings));
  if (choice.largest == 1)
    return;
  b.setInsertionPointAfter(graph);
  auto copy = cast<GraphOp>(b.clone(*graph));
  copy.setSymName((graph.getSymName() + "." + other).str());
  copy.setPrivate();
  copy->setAttr(kPolicy, b.getStringAttr(other));
  copy->setAttr(kPolicyOf, FlatSymbolRefAttr::get(graph.getSymNameAttr()));
}
