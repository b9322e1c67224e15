// See Reshape.h.
#include "passes/Reshape.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

RankedTensorType agt::typeOfSizes(OpBuilder &builder, Location loc,
                                  ArrayRef<OpFoldResult> sizes, Type element,
                                  SmallVectorImpl<Value> &open) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    shape.push_back(known.value_or(ShapedType::kDynamic));
    if (!known)
      open.push_back(asValue(builder, loc, size));
  }
  return RankedTensorType::get(shape, element);
}

Value agt::reshapeTo(OpBuilder &builder, Location loc, Value tensor,
                     ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> open;
  RankedTensorType type = typeOfSizes(
      builder, loc, sizes, tensorType(tensor).getElementType(), open);
  return ReshapeOp::create(builder, loc, type, tensor, open);
}
