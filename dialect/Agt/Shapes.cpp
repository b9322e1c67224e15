//===- Shapes.cpp - Shapes of agt ops and how they are computed -----------===//

#include "dialect/Agt/Shapes.h"

using namespace mlir;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr int64_t kOpen = ShapedType::kDynamic;

bool agt::dimsAgree(int64_t a, int64_t b) {
  return a == b || a == kOpen || b == kOpen;
}

bool agt::shapesAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return dimsAgree(std::get<0>(pair), std::get<1>(pair));
         });
}

std::optional<agt::Dims> agt::broadcastShapes(ArrayRef<int64_t> a,
                                              ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Dims result(a);
  size_t skipped = a.size() - b.size();
  for (auto [i, dim] : llvm::enumerate(b)) {
    int64_t &mine = result[skipped + i];
    if (mine == 1 || (mine == kOpen && dim != 1))
      mine = dim;
    else if (dim != 1 && !dimsAgree(mine, dim))
      return std::nullopt;
  }
  return result;
}

bool agt::broadcastsTo(ArrayRef<int64_t> shape, ArrayRef<int64_t> target) {
  if (shape.size() > target.size())
    return false;
  ArrayRef<int64_t> tail = target.take_back(shape.size());
  return llvm::all_of(llvm::zip_equal(shape, tail), [](auto pair) {
    auto [from, to] = pair;
    return from == 1 || dimsAgree(from, to);
  });
}

bool agt::isPositionsOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> tensor) {
  if (shape.empty() || shape.size() >= tensor.size())
    return false;
  return dimsAgree(shape.back(), tensor[tensor.size() - 2]) &&
         shapesAgree(shape.drop_back(), tensor.take_front(shape.size() - 1));
}

int64_t agt::blocksOf(int64_t tokens, int64_t block) {
  return tokens == kOpen ? kOpen : llvm::divideCeil(tokens, block);
}

LogicalResult agt::inferBroadcast(std::optional<Location> loc,
                                  ValueRange operands, Type elementType,
                                  llvm::SmallVectorImpl<Type> &results) {
  Dims shape;
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return failure();
    std::optional<Dims> both = broadcastShapes(shape, type.getShape());
    if (!both)
      return emitOptionalError(loc, "expected shapes that broadcast, got ",
                               operands.front().getType(), " and ",
                               operand.getType());
    shape = std::move(*both);
  }
  results.push_back(RankedTensorType::get(shape, elementType));
  return success();
}

bool agt::compatibleResultTypes(TypeRange inferred, TypeRange declared) {
  return inferred.size() == declared.size() &&
         llvm::all_of(llvm::zip_equal(inferred, declared), [](auto pair) {
           auto a = dyn_cast<RankedTensorType>(std::get<0>(pair));
           auto b = dyn_cast<RankedTensorType>(std::get<1>(pair));
           return a && b && a.getElementType() == b.getElementType() &&
                  shapesAgree(a.getShape(), b.getShape());
         });
}

LogicalResult agt::verifyTensor(Operation *op, llvm::StringRef what,
                                Value value, ArrayRef<int64_t> shape,
                                Type elementType) {
  auto expected = RankedTensorType::get(shape, elementType);
  if (compatibleResultTypes(expected, value.getType()))
    return success();
  return op->emitOpError("expected ")
         << what << " of type " << expected << ", got " << value.getType();
}

LogicalResult agt::verifyAxis(Operation *op, int64_t value, int64_t rank) {
  if (value >= 0 && value < rank)
    return success();
  return op->emitOpError("expected an axis of a tensor of ")
         << rank << " dims, got " << value;
}

LogicalResult agt::verifySizes(Operation *op, TypeRange types,
                               ValueRange sizes) {
  size_t open = 0;
  for (Type type : types)
    open += cast<RankedTensorType>(type).getNumDynamicDims();
  if (open == sizes.size())
    return success();
  return op->emitOpError("expected ")
         << open << " sizes, one for each open dim of the results, got "
         << sizes.size();
}

OpFoldResult agt::dimOf(OpBuilder &builder, Location loc, Value tensor,
                        int64_t dim) {
  return tensor::getMixedSize(builder, loc, tensor, dim);
}

Value agt::asValue(OpBuilder &builder, Location loc, OpFoldResult size) {
  if (auto value = dyn_cast<Value>(size))
    return value;
  return arith::ConstantIndexOp::create(
      builder, loc, cast<IntegerAttr>(cast<Attribute>(size)).getInt());
}

void agt::reifyResult(OpBuilder &builder, Value result,
                      ReifiedRankedShapedTypeDims &shapes,
                      llvm::function_ref<OpFoldResult(int64_t)> size) {
  SmallVector<OpFoldResult> &dims = shapes.emplace_back();
  for (auto [i, dim] : llvm::enumerate(tensorType(result).getShape())) {
    if (dim == kOpen)
      dims.push_back(asValue(builder, result.getLoc(), size(i)));
    else
      dims.push_back(builder.getIndexAttr(dim));
  }
}

OpFoldResult agt::broadcastDim(OpBuilder &builder, Location loc,
                               ValueRange operands, int64_t dim, int64_t rank) {
  // A number other than 1 is the size itself; a 1 says nothing as long as
  // another operand is open.
  OpFoldResult size = builder.getIndexAttr(1);
  Value open;
  int64_t openDim = 0;
  for (Value operand : operands) {
    RankedTensorType type = tensorType(operand);
    int64_t own = dim - (rank - type.getRank());
    if (own < 0 || type.getDimSize(own) == 1)
      continue;
    if (!type.isDynamicDim(own))
      return builder.getIndexAttr(type.getDimSize(own));
    if (!open) {
      open = operand;
      openDim = own;
    }
  }
  return open ? dimOf(builder, loc, open, openDim) : size;
}

LogicalResult agt::reifyBroadcast(OpBuilder &builder, Operation *op,
                                  ReifiedRankedShapedTypeDims &shapes) {
  Value result = op->getResult(0);
  int64_t rank = tensorType(result).getRank();
  reifyResult(builder, result, shapes, [&](int64_t dim) {
    return broadcastDim(builder, op->getLoc(), op->getOperands(), dim, rank);
  });
  return success();
}

LogicalResult agt::reifyLike(OpBuilder &builder, Operation *op, Value input,
                             ReifiedRankedShapedTypeDims &shapes) {
  for (Value result : op->getResults())
    reifyResult(builder, result, shapes, [&](int64_t dim) {
      return dimOf(builder, op->getLoc(), input, dim);
    });
  return success();
}

LogicalResult agt::reifySizes(OpBuilder &builder, Operation *op,
                              ValueRange sizes,
                              ReifiedRankedShapedTypeDims &shapes) {
  size_t next = 0;
  for (Value result : op->getResults())
    reifyResult(builder, result, shapes,
                [&](int64_t) -> OpFoldResult { return sizes[next++]; });
  return success();
}
