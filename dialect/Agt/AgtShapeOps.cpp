//===- AgtShapeOps.cpp - Functions that move elements ---------------------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Shapes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace agt;

/// The number of elements of a shape without open dims.
static int64_t countElements(ArrayRef<int64_t> shape) {
  return ShapedType::getNumElements(shape);
}

//===----------------------------------------------------------------------===//
// agt.reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType input = tensorType(getInput());
  RankedTensorType result = tensorType(getResult());
  // reshape_c1
  if (failed(verifySizes(*this, result, getSizes())))
    return failure();
  // reshape_c2
  if (input.getElementType() != result.getElementType())
    return emitOpError("expected a result of element type ")
           << input.getElementType() << ", got " << result.getElementType();
  // reshape_c3
  if (input.hasStaticShape() && result.hasStaticShape() &&
      countElements(input.getShape()) != countElements(result.getShape()))
    return emitOpError("expected a result of ")
           << countElements(input.getShape()) << " elements, got "
           << countElements(result.getShape());
  return success();
}

LogicalResult
ReshapeOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifySizes(builder, *this, getSizes(), shapes);
}

/// With at most one open dim the number of elements fixes it, so that the
/// same type is the same shape.
OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType() && getType().getNumDynamicDims() <= 1 &&
      !llvm::is_contained(getType().getShape(), 0))
    return getInput();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// agt.transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  RankedTensorType input = tensorType(getInput());
  // transpose_c1
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, input.getRank())))
    return emitOpError("expected a permutation of 0 to ")
           << input.getRank() - 1 << ", got [" << getPermutation() << "]";
  // transpose_c2
  Dims shape;
  for (int64_t from : getPermutation())
    shape.push_back(input.getDimSize(from));
  return verifyTensor(*this, "a result", getResult(), shape,
                      input.getElementType());
}

LogicalResult
TransposeOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  reifyResult(builder, getResult(), shapes, [&](int64_t dim) {
    return dimOf(builder, getLoc(), getInput(), getPermutation()[dim]);
  });
  return success();
}

/// The identity goes; a transpose of a transpose is one.
OpFoldResult TransposeOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> own = getPermutation();
  if (getInput().getType() == getType() &&
      llvm::equal(own, llvm::seq<int64_t>(0, own.size())))
    return getInput();
  auto before = getInput().getDefiningOp<TransposeOp>();
  if (!before)
    return nullptr;
  SmallVector<int64_t> both;
  for (int64_t from : own)
    both.push_back(before.getPermutation()[from]);
  getInputMutable().assign(before.getInput());
  setPermutation(both);
  return getResult();
}

//===----------------------------------------------------------------------===//
// agt.slice
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  RankedTensorType input = tensorType(getInput());
  // slice_c1
  if (failed(verifyAxis(*this, getAxis(), input.getRank())))
    return failure();
  // slice_c2
  Dims shape(input.getShape());
  shape[getAxis()] = ShapedType::kDynamic;
  if (failed(verifyTensor(*this, "a result", getResult(), shape,
                          input.getElementType())))
    return failure();
  // slice_c3
  int64_t size = input.getDimSize(getAxis());
  int64_t taken = tensorType(getResult()).getDimSize(getAxis());
  if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(taken) &&
      taken > size)
    return emitOpError("expected at most ")
           << size << " elements along axis " << getAxis() << ", got " << taken;
  return success();
}

LogicalResult SliceOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  reifyResult(builder, getResult(), shapes, [&](int64_t dim) -> OpFoldResult {
    if (dim != static_cast<int64_t>(getAxis()))
      return dimOf(builder, getLoc(), getInput(), dim);
    return arith::SubIOp::create(builder, getLoc(), getStop(), getStart())
        .getResult();
  });
  return success();
}

/// A slice from 0 to the size of the axis is its input.
OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getInput().getType() != getType() || !matchPattern(getStart(), m_Zero()))
    return nullptr;
  int64_t size = tensorType(getInput()).getDimSize(getAxis());
  if (auto stop = getConstantIntValue(getStop()))
    return *stop == size ? getInput() : Value();
  auto dim = getStop().getDefiningOp<tensor::DimOp>();
  bool whole = dim && dim.getSource() == getInput() &&
               dim.getConstantIndex() == static_cast<int64_t>(getAxis());
  return whole ? getInput() : Value();
}

//===----------------------------------------------------------------------===//
// agt.concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  // concat_c1
  if (getInputs().empty())
    return emitOpError("expected at least one tensor, got none");
  // concat_c2
  RankedTensorType first = tensorType(getInputs().front());
  if (failed(verifyAxis(*this, getAxis(), first.getRank())))
    return failure();
  // concat_c3: what the others may differ in is the size of the axis.
  Dims shape(first.getShape());
  int64_t size = 0;
  for (Value input : getInputs()) {
    RankedTensorType type = tensorType(input);
    Dims expected = shape;
    if (type.getRank() == first.getRank())
      expected[getAxis()] = type.getDimSize(getAxis());
    if (failed(verifyTensor(*this, "a tensor", input, expected,
                            first.getElementType())))
      return failure();
    for (auto [mine, other] : llvm::zip_equal(shape, type.getShape()))
      mine = ShapedType::isDynamic(mine) ? other : mine;
    bool open = ShapedType::isDynamic(size) || type.isDynamicDim(getAxis());
    size = open ? ShapedType::kDynamic : size + type.getDimSize(getAxis());
  }
  // concat_c4
  shape[getAxis()] = size;
  return verifyTensor(*this, "a result", getResult(), shape,
                      first.getElementType());
}

LogicalResult ConcatOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  reifyResult(builder, getResult(), shapes, [&](int64_t dim) -> OpFoldResult {
    if (dim != static_cast<int64_t>(getAxis()))
      return dimOf(builder, loc, getInputs().front(), dim);
    Value total;
    for (Value input : getInputs()) {
      Value size = asValue(builder, loc, dimOf(builder, loc, input, dim));
      total = total ? arith::AddIOp::create(builder, loc, total, size) : size;
    }
    return total;
  });
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1 && getInputs().front().getType() == getType())
    return getInputs().front();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// agt.iota, agt.full, agt.embed
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  // iota_c1
  return verifyTensor(*this, "a result", getResult(), {ShapedType::kDynamic},
                      tensorType(getResult()).getElementType());
}

LogicalResult IotaOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  reifyResult(builder, getResult(), shapes,
              [&](int64_t) -> OpFoldResult { return getSize(); });
  return success();
}

LogicalResult FullOp::verify() {
  // full_c1
  return verifySizes(*this, getResult().getType(), getSizes());
}

LogicalResult FullOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifySizes(builder, *this, getSizes(), shapes);
}

LogicalResult EmbedOp::verify() {
  // embed_c1
  RankedTensorType table = tensorType(getTable());
  if (table.getRank() != 2)
    return emitOpError("expected a table of 2 dims, got ") << table;
  // embed_c2
  Dims shape(tensorType(getIds()).getShape());
  shape.push_back(table.getDimSize(1));
  return verifyTensor(*this, "a result", getResult(), shape,
                      table.getElementType());
}

LogicalResult EmbedOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  int64_t last = tensorType(getIds()).getRank();
  reifyResult(builder, getResult(), shapes, [&](int64_t dim) {
    return dim == last ? dimOf(builder, getLoc(), getTable(), 1)
                       : dimOf(builder, getLoc(), getIds(), dim);
  });
  return success();
}
