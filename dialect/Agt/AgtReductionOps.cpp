//===- AgtReductionOps.cpp - Products, reductions, norms, rotation --------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

static constexpr int64_t kOpen = ShapedType::kDynamic;

/// `value` is `shape` with the element type of `like`.
static LogicalResult verifyLike(Operation *op, StringRef what, Value value,
                                ArrayRef<int64_t> shape, Value like) {
  return verifyTensor(op, what, value, shape,
                      tensorType(like).getElementType());
}

static LogicalResult verifyRank(Operation *op, StringRef what, Value value,
                                int64_t least) {
  if (tensorType(value).getRank() >= least)
    return success();
  return op->emitOpError("expected ") << what << " of at least " << least
                                      << " dims, got " << value.getType();
}

static LogicalResult verifyBlock(Operation *op, int64_t block) {
  if (block > 0)
    return success();
  return op->emitOpError("expected a block of at least 1 token, got ") << block;
}

//===----------------------------------------------------------------------===//
// agt.matmul, agt.linear
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  // matmul_c1
  if (failed(verifyRank(*this, "operands", getLhs(), 2)) ||
      failed(verifyRank(*this, "operands", getRhs(), 2)))
    return failure();
  ArrayRef<int64_t> lhs = tensorType(getLhs()).getShape();
  ArrayRef<int64_t> rhs = tensorType(getRhs()).getShape();
  // matmul_c2
  if (tensorType(getLhs()).getElementType() !=
      tensorType(getRhs()).getElementType())
    return emitOpError("expected operands of one element type, got ")
           << getLhs().getType() << " and " << getRhs().getType();
  // matmul_c3
  if (!dimsAgree(lhs.back(), rhs[rhs.size() - 2]))
    return emitOpError("expected ")
           << lhs.back() << " rows in the second operand, got "
           << rhs[rhs.size() - 2];
  // matmul_c4
  std::optional<Dims> shape =
      broadcastShapes(lhs.drop_back(2), rhs.drop_back(2));
  if (!shape)
    return emitOpError("expected leading dims that broadcast, got ")
           << getLhs().getType() << " and " << getRhs().getType();
  // matmul_c5
  shape->push_back(lhs[lhs.size() - 2]);
  shape->push_back(rhs.back());
  return verifyLike(*this, "a result", getResult(), *shape, getLhs());
}

LogicalResult MatmulOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  int64_t rank = tensorType(getResult()).getRank();
  reifyResult(builder, getResult(), shapes, [&](int64_t dim) {
    if (dim < rank - 2)
      return broadcastDim(builder, getLoc(), {getLhs(), getRhs()}, dim, rank);
    Value from = dim == rank - 2 ? getLhs() : getRhs();
    return dimOf(builder, getLoc(), from,
                 tensorType(from).getRank() - (rank - dim));
  });
  return success();
}

LogicalResult LinearOp::verify() {
  // linear_c1
  if (failed(verifyRank(*this, "an input", getInput(), 1)))
    return failure();
  Dims shape(tensorType(getInput()).getShape());
  // linear_c2
  if (failed(verifyLike(*this, "a weight", getWeight(), {kOpen, shape.back()},
                        getInput())))
    return failure();
  shape.back() = tensorType(getWeight()).getDimSize(0);
  // linear_c3
  if (getBias() && failed(verifyLike(*this, "a bias", getBias(), {shape.back()},
                                     getInput())))
    return failure();
  // linear_c4
  return verifyLike(*this, "a result", getResult(), shape, getInput());
}

LogicalResult LinearOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  int64_t last = tensorType(getResult()).getRank() - 1;
  reifyResult(builder, getResult(), shapes, [&](int64_t dim) {
    return dim == last ? dimOf(builder, getLoc(), getWeight(), 0)
                       : dimOf(builder, getLoc(), getInput(), dim);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// agt.reduce, agt.argmax, agt.topk, agt.softmax
//===----------------------------------------------------------------------===//

/// `shape` without the dim `axis`, or with 1 in its place.
static Dims reducedShape(ArrayRef<int64_t> shape, int64_t axis, bool keep) {
  Dims result(shape);
  if (keep)
    result[axis] = 1;
  else
    result.erase(result.begin() + axis);
  return result;
}

/// The dims of the result of a reduction along `axis` that does not keep it.
static void reifyReduced(OpBuilder &builder, Value result, Value input,
                         int64_t axis, bool keep,
                         ReifiedRankedShapedTypeDims &shapes) {
  reifyResult(builder, result, shapes, [&](int64_t dim) {
    return dimOf(builder, result.getLoc(), input,
                 !keep && dim >= axis ? dim + 1 : dim);
  });
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = tensorType(getInput());
  // reduce_c1
  if (failed(verifyAxis(*this, getAxis(), input.getRank())))
    return failure();
  // reduce_c2
  return verifyLike(*this, "a result", getResult(),
                    reducedShape(input.getShape(), getAxis(), getKeep()),
                    getInput());
}

LogicalResult ReduceOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  reifyReduced(builder, getResult(), getInput(), getAxis(), getKeep(), shapes);
  return success();
}

LogicalResult ArgmaxOp::verify() {
  RankedTensorType input = tensorType(getInput());
  // argmax_c1
  if (failed(verifyAxis(*this, getAxis(), input.getRank())))
    return failure();
  // argmax_c2
  return verifyLike(*this, "a result", getResult(),
                    reducedShape(input.getShape(), getAxis(), /*keep=*/false),
                    getResult());
}

LogicalResult ArgmaxOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  reifyReduced(builder, getResult(), getInput(), getAxis(), /*keep=*/false,
               shapes);
  return success();
}

LogicalResult TopkOp::verify() {
  // topk_c1
  if (failed(verifyRank(*this, "an input", getInput(), 1)))
    return failure();
  // topk_c2
  Dims shape(tensorType(getInput()).getShape());
  int64_t k = getK();
  if (k < 0 || (shape.back() != kOpen && k > shape.back())) {
    InFlightDiagnostic diag = emitOpError("expected k of 0 to ");
    if (shape.back() == kOpen)
      diag << "the size of the last dim";
    else
      diag << shape.back();
    return diag << ", got " << k;
  }
  // topk_c3
  shape.back() = k;
  if (failed(verifyLike(*this, "values", getValues(), shape, getInput())))
    return failure();
  // topk_c4
  return verifyLike(*this, "indices", getIndices(), shape, getIndices());
}

LogicalResult TopkOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  int64_t last = tensorType(getInput()).getRank() - 1;
  for (Value result : getResults())
    reifyResult(builder, result, shapes, [&](int64_t dim) -> OpFoldResult {
      return dim == last ? builder.getIndexAttr(getK())
                         : dimOf(builder, getLoc(), getInput(), dim);
    });
  return success();
}

LogicalResult SoftmaxOp::verify() {
  // softmax_c1
  return verifyAxis(*this, getAxis(), tensorType(getInput()).getRank());
}

LogicalResult
SoftmaxOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, *this, getInput(), shapes);
}

//===----------------------------------------------------------------------===//
// agt.rms_norm, agt.layer_norm
//===----------------------------------------------------------------------===//

/// Both norms; `bias` may be null.
static LogicalResult verifyNorm(Operation *op, Value input, Value weight,
                                Value bias, Value result) {
  // rms_norm_c1, layer_norm_c1
  if (failed(verifyRank(op, "an input", input, 1)))
    return failure();
  ArrayRef<int64_t> shape = tensorType(input).getShape();
  // rms_norm_c2, layer_norm_c2
  if (failed(verifyLike(op, "a weight", weight, {shape.back()}, input)))
    return failure();
  // layer_norm_c3
  if (bias && failed(verifyLike(op, "a bias", bias, {shape.back()}, input)))
    return failure();
  // rms_norm_c3, layer_norm_c4
  return verifyLike(op, "a result", result, shape, input);
}

LogicalResult RmsNormOp::verify() {
  return verifyNorm(*this, getInput(), getWeight(), /*bias=*/{}, getResult());
}

LogicalResult
RmsNormOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, *this, getInput(), shapes);
}

LogicalResult LayerNormOp::verify() {
  return verifyNorm(*this, getInput(), getWeight(), getBias(), getResult());
}

LogicalResult
LayerNormOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, *this, getInput(), shapes);
}

//===----------------------------------------------------------------------===//
// agt.rope
//===----------------------------------------------------------------------===//

LogicalResult RopeOp::verify() {
  // rope_c1
  if (failed(verifyRank(*this, "an input", getInput(), 2)))
    return failure();
  ArrayRef<int64_t> shape = tensorType(getInput()).getShape();
  // rope_c2
  if (!isPositionsOf(tensorType(getPositions()).getShape(), shape))
    return emitOpError("expected positions [tokens] or [batch..., tokens] of ")
           << getInput().getType() << ", got " << getPositions().getType();
  // rope_c3
  int64_t last = shape.back();
  int64_t dims = getDims() ? static_cast<int64_t>(*getDims()) : last;
  if (dims != kOpen &&
      (dims < 0 || dims % 2 != 0 || (last != kOpen && dims > last))) {
    InFlightDiagnostic diag = emitOpError("expected an even number of dims");
    if (last != kOpen)
      diag << " up to " << last;
    return diag << ", got " << dims;
  }
  // rope_c4
  return verifyLike(*this, "a result", getResult(), shape, getInput());
}

LogicalResult RopeOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, *this, getInput(), shapes);
}

//===----------------------------------------------------------------------===//
// agt.quantize, agt.dequantize
//===----------------------------------------------------------------------===//

/// The shape of the scales of values [..., heads, tokens, dim].
static Dims scalesShape(ArrayRef<int64_t> values, int64_t block) {
  Dims shape(values.drop_back());
  shape.back() = blocksOf(shape.back(), block);
  return shape;
}

LogicalResult QuantizeOp::verify() {
  // quantize_c1
  if (failed(verifyRank(*this, "an input", getInput(), 2)))
    return failure();
  // quantize_c2
  int64_t block = getBlock();
  if (failed(verifyBlock(*this, block)))
    return failure();
  // quantize_c3
  ArrayRef<int64_t> shape = tensorType(getInput()).getShape();
  if (failed(verifyLike(*this, "values", getValues(), shape, getValues())))
    return failure();
  // quantize_c4
  return verifyLike(*this, "scales", getScales(), scalesShape(shape, block),
                    getScales());
}

LogicalResult
QuantizeOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  reifyResult(builder, getValues(), shapes, [&](int64_t dim) {
    return dimOf(builder, getLoc(), getInput(), dim);
  });
  int64_t tokens = tensorType(getScales()).getRank() - 1;
  reifyResult(builder, getScales(), shapes, [&](int64_t dim) -> OpFoldResult {
    OpFoldResult size = dimOf(builder, getLoc(), getInput(), dim);
    if (dim != tokens)
      return size;
    Value block = arith::ConstantIndexOp::create(builder, getLoc(), getBlock());
    return arith::CeilDivUIOp::create(builder, getLoc(),
                                      asValue(builder, getLoc(), size), block)
        .getResult();
  });
  return success();
}

LogicalResult DequantizeOp::verify() {
  // dequantize_c1
  if (failed(verifyRank(*this, "values", getValues(), 2)))
    return failure();
  // dequantize_c2
  int64_t block = getBlock();
  if (failed(verifyBlock(*this, block)))
    return failure();
  // dequantize_c3
  ArrayRef<int64_t> shape = tensorType(getValues()).getShape();
  if (failed(verifyLike(*this, "scales", getScales(), scalesShape(shape, block),
                        getScales())))
    return failure();
  // dequantize_c4
  return verifyLike(*this, "a result", getResult(), shape, getResult());
}

LogicalResult
DequantizeOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  return reifyLike(builder, *this, getValues(), shapes);
}
