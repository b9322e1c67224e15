// See Reshape.h.
#include "passes/Reshape.h"

#include "dialect/Agt/Agt.h"

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

Value agt::takeRows(OpBuilder &b, Location loc, Value tensor, unsigned dim,
                    Value rows, OpFoldResult count) {
  RankedTensorType type = tensorType(tensor);
  int64_t rank = type.getRank();
  SmallVector<int64_t> order{int64_t(dim)}, back;
  for (int64_t i = 0; i < rank; ++i)
    if (i != int64_t(dim))
      order.push_back(i);
  for (int64_t i = 0; i < rank; ++i)
    back.push_back(llvm::find(order, i) - order.begin());
  auto transposed = [&](Value of, ArrayRef<int64_t> permutation) -> Value {
    SmallVector<int64_t> shape;
    for (int64_t i : permutation)
      shape.push_back(tensorType(of).getDimSize(i));
    return TransposeOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), of,
        b.getDenseI64ArrayAttr(permutation));
  };
  OpFoldResult rest = b.getIndexAttr(1);
  SmallVector<OpFoldResult> result{count};
  for (int64_t i : ArrayRef(order).drop_front()) {
    OpFoldResult size = dimOf(b, loc, tensor, i);
    rest = getAsOpFoldResult(b.createOrFold<arith::MulIOp>(
        loc, asValue(b, loc, rest), asValue(b, loc, size)));
    result.push_back(size);
  }
  Value table = reshapeTo(b, loc, transposed(tensor, order),
                          {dimOf(b, loc, tensor, dim), rest});
  auto rowsType = RankedTensorType::get(
      {tensorType(rows).getDimSize(0), tensorType(table).getDimSize(1)},
      type.getElementType());
  Value taken = EmbedOp::create(b, loc, rowsType, table, rows);
  return transposed(reshapeTo(b, loc, taken, result), back);
}
