// See ProductShape.h.
#include "codegen/kernels/ProductShape.h"

using namespace mlir;

namespace agt::kernels {

ProductShape::ProductShape(KernelShapes &shapes, Operation *anchor)
    : op(anchor) {
  auto one = shapes.constant(1);
  resultSizes = shapes.sizesOf(anchor->getResult(0));
  if (auto linear = dyn_cast<LinearOp>(anchor)) {
    lhs = linear.getInput();
    rhs = linear.getWeight();
    bias = linear.getBias();
  } else {
    auto matmul = cast<MatmulOp>(anchor);
    lhs = matmul.getLhs();
    rhs = matmul.getRhs();
  }
  lhsSizes = shapes.sizesOf(lhs);
  rhsSizes = shapes.sizesOf(rhs);
  transposed = isa<LinearOp>(anchor);
  flat = rhsSizes.size() == 2;
  n = resultSizes.back();
  // Where both know it, the number.
  k = lhsSizes.back();
  AffineExpr other = transposed ? rhsSizes[1] : rhsSizes[rhsSizes.size() - 2];
  if (isa<AffineConstantExpr>(other))
    k = other;
  ArrayRef<AffineExpr> sizes = resultSizes;
  if (flat) {
    m = shapes.count(sizes.drop_back());
    batch = one;
  } else {
    m = sizes[sizes.size() - 2];
    batchSizes = Sizes(sizes.drop_back(2));
    batch = shapes.count(batchSizes);
  }
}

ProductShape::Indices ProductShape::batchIndices(Evaluator &e, Value tensor,
                                                 ArrayRef<Value> batch) const {
  const Sizes &own = e.kernelShapes().sizesOf(tensor);
  size_t leading = own.size() - 2, skipped = batch.size() - leading;
  Indices indices;
  for (size_t i = 0; i < leading; ++i) {
    bool stretched = own[i] == e.kernelShapes().constant(1);
    indices.push_back(stretched ? e.builder().i32(0) : batch[i + skipped]);
  }
  return indices;
}

Value ProductShape::lhsAt(Evaluator &e, ArrayRef<Value> batch, Value row,
                          Value index) const {
  KernelBuilder &b = e.builder();
  if (flat) {
    Value number = b.add(b.mul(row, e.size(k)), index);
    return e.element(lhs, e.at(lhsSizes, Linear{number}));
  }
  Indices indices = batchIndices(e, lhs, batch);
  indices.append({row, index});
  return e.element(lhs, e.at(lhsSizes, indices));
}

Value ProductShape::rhsAt(Evaluator &e, ArrayRef<Value> batch, Value index,
                          Value column) const {
  Indices indices = flat ? Indices() : batchIndices(e, rhs, batch);
  if (transposed)
    indices.append({column, index});
  else
    indices.append({index, column});
  return e.element(rhs, e.at(rhsSizes, indices));
}

Value ProductShape::finished(Evaluator &e, Value root, ArrayRef<Value> batch,
                             Value row, Value column, Linear number,
                             Value sum) const {
  Value result = op->getResult(0);
  if (bias)
    sum = e.builder().fadd(
        sum,
        e.element(bias, e.at(e.kernelShapes().sizesOf(bias), Indices{column})));
  if (result == root)
    return sum;
  Place place;
  if (flat && resultSizes.size() != 2) {
    place = e.at(resultSizes, number);
  } else {
    Indices indices(batch);
    indices.append({row, column});
    place = e.at(resultSizes, indices, number);
  }
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  e.pin(result, place, e.elementTypes().settle(element, sum));
  return e.unrounded(root, place);
}

} // namespace agt::kernels
