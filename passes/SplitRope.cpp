// agt-split-rope: the frequencies of a rotation do not depend on the data, and
// computing them needs more digits than a device has. They become a table that
// the host makes; what is left is element-wise.
#include "passes/Passes.h"

#include "dialect/Agt/Shapes.h"

namespace agt {
#define GEN_PASS_DEF_SPLITROPE
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

namespace {

struct SplitRopePass : agt::impl::SplitRopeBase<SplitRopePass> {
  void runOnOperation() override {
    SmallVector<RopeOp> ropes;
    getOperation()->walk([&](RopeOp op) { ropes.push_back(op); });
    for (RopeOp op : ropes)
      split(op);
    rotations += ropes.size();
  }

  static void split(RopeOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    RankedTensorType input = tensorType(op.getInput());
    OpFoldResult dims = op.getDims()
                            ? OpFoldResult(b.getIndexAttr(*op.getDims()))
                            : dimOf(b, loc, op.getInput(), input.getRank() - 1);
    std::optional<int64_t> number = getConstantIntValue(dims);
    int64_t rows = number ? *number / 2 : ShapedType::kDynamic;
    auto type = RankedTensorType::get({rows, 2}, b.getI32Type());
    Value table = RopeTableOp::create(b, loc, type, asValue(b, loc, dims),
                                      op.getBaseAttr(), op.getScaleAttr());
    Value turned =
        RotateOp::create(b, loc, op.getType(), op.getInput(), op.getPositions(),
                         table, op.getPairsAttr());
    op.replaceAllUsesWith(turned);
    op.erase();
  }
};

} // namespace
