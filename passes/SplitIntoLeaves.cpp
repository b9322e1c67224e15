// agt-split-into-leaves: see Passes.td.
#include "passes/Mesh/RingBuilder.h"
#include "passes/Passes.h"

#include "dialect/Agt/Attributes.h"
#include "dialect/Agt/Shapes.h"

namespace agt {
#define GEN_PASS_DEF_SPLITINTOLEAVES
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

static void split(AttentionOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  Value tokens = asValue(b, loc, dimOf(b, loc, op.getKey(), tokensDim(op)));
  Value none =
      LeavesOp::create(b, loc, tokens, b.getI64IntegerAttr(1),
                       BalanceAttr::get(b.getContext(), Balance::Leaves));
  auto all = AttentionOp::create(
      b, loc, none.getType(), /*second=*/Type(), op.getQuery(), op.getKey(),
      op.getValue(), op.getScale(), op.getMasks(), op.getBias(),
      /*sink=*/Value(), op.getAlibi(), op.getQPos(), op.getKvPos(),
      op.getQSeg(), op.getKvSeg(), op.getQCu(), op.getKvCu(), op.getKvLen(),
      op.getKScale(), op.getVScale(), /*enabled=*/Value(), none, first,
      op.getCausalAttr(), op.getWindowLeftAttr(), op.getWindowRightAttr(),
      op.getPinAttr(), op.getSoftcapAttr(), op.getKBlockAttr(),
      op.getVBlockAttr(), op.getLayoutAttr(), b.getUnitAttr());
  all->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  auto root = RootOp::create(b, loc, op->getResultTypes(), all.getResult(),
                             op.getQuery(), op.getValue(), op.getSink(),
                             op.getLayoutAttr());
  op->replaceAllUsesWith(root);
  op.erase();
}

namespace {

struct SplitIntoLeavesPass
    : agt::impl::SplitIntoLeavesBase<SplitIntoLeavesPass> {
  void runOnOperation() override {
    getOperation()->setAttr(kReproducible, UnitAttr::get(&getContext()));
    for (auto op :
         llvm::make_early_inc_range(getOperation().getOps<AttentionOp>()))
      if (!op.getPartial())
        split(op);
  }
};

} // namespace
