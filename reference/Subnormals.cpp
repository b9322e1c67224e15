//===- Subnormals.cpp - What devices may take for 0 -----------------------===//
//
// A device may read a subnormal f32 as 0 wherever it computes with one. What
// kernels only move, or read by its bits, it has to keep.
//
//===----------------------------------------------------------------------===//

#include "reference/Ops.h"

#include <cmath>

using namespace mlir;
using namespace agt;
using namespace agt::reference;

double agt::reference::flushed(const Tensor &tensor, int64_t i) {
  // Those of f16 and f8 are normal numbers of f32.
  bool wide = tensor.element == Element::F32 || tensor.element == Element::BF16;
  double magnitude = wide ? std::abs(tensor.reals[i]) : 0;
  return magnitude < kSmallestNormal ? magnitude : 0;
}

/// Moves, bits, or bounds of its own (norms and rotations).
static bool keepsSubnormals(Operation *op) {
  return isa<ReshapeOp, TransposeOp, SliceOp, ConcatOp, EmbedOp, SelectOp,
             tensor::CastOp, NegOp, AbsOp, ReluOp, LogOp, SqrtOp, RsqrtOp,
             RemOp, ArgmaxOp, TopkOp, RmsNormOp, LayerNormOp, RopeOp, RotateOp>(
      op);
}

void agt::reference::allowFlush(Operation *op,
                                llvm::MutableArrayRef<Datum> operands) {
  if (keepsSubnormals(op))
    return;
  for (Datum &operand : operands) {
    if (!operand.tensor || !operand.tensor->isFloat())
      continue;
    std::shared_ptr<Tensor> widened;
    for (int64_t i = 0; i < operand.tensor->size(); ++i) {
      double flush = flushed(*operand.tensor, i);
      if (flush <= operand.tensor->bound(i))
        continue;
      if (!widened)
        widened = std::make_shared<Tensor>(*operand.tensor);
      widened->setBound(i, flush);
    }
    if (widened)
      operand.tensor = std::move(widened);
  }
}
