//===- AgtElementwiseOps.cpp - Functions element by element ---------------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

/// The operands of `op` from `first` on have one element type.
static LogicalResult verifySameElementType(Operation *op, unsigned first = 0) {
  Type expected = tensorType(op->getOperand(first)).getElementType();
  for (Value operand : op->getOperands().drop_front(first + 1)) {
    Type got = tensorType(operand).getElementType();
    if (got != expected)
      return op->emitOpError("expected operands of one element type, got ")
             << expected << " and " << got;
  }
  return success();
}

/// The element type of the operand after `first` others.
static Type elementTypeOf(ValueRange operands, unsigned first = 0) {
  auto type = dyn_cast<ShapedType>(operands[first].getType());
  return type ? type.getElementType() : operands[first].getType();
}

// The types of binary functions: binary_c2 is what inferReturnTypes finds.
#define AGT_BINARY(OP)                                                         \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> loc, ValueRange operands,         \
      DictionaryAttr, OpaqueProperties, RegionRange,                           \
      SmallVectorImpl<Type> &types) {                                          \
    return inferBroadcast(loc, operands, elementTypeOf(operands), types);      \
  }                                                                            \
  bool OP::isCompatibleReturnTypes(TypeRange inferred, TypeRange declared) {   \
    return compatibleResultTypes(inferred, declared);                          \
  }                                                                            \
  /* binary_c1 */                                                              \
  LogicalResult OP::verify() { return verifySameElementType(*this); }          \
  LogicalResult OP::reifyResultShapes(OpBuilder &builder,                      \
                                      ReifiedRankedShapedTypeDims &shapes) {   \
    return reifyBroadcast(builder, *this, shapes);                             \
  }
AGT_BINARY(AddOp)
AGT_BINARY(SubOp)
AGT_BINARY(MulOp)
AGT_BINARY(DivOp)
AGT_BINARY(RemOp)
AGT_BINARY(MaxOp)
AGT_BINARY(MinOp)
AGT_BINARY(AndOp)
AGT_BINARY(OrOp)
#undef AGT_BINARY

#define AGT_UNARY(OP)                                                          \
  LogicalResult OP::reifyResultShapes(OpBuilder &builder,                      \
                                      ReifiedRankedShapedTypeDims &shapes) {   \
    return reifyLike(builder, *this, getInput(), shapes);                      \
  }
AGT_UNARY(NegOp)
AGT_UNARY(AbsOp)
AGT_UNARY(NotOp)
AGT_UNARY(ExpOp)
AGT_UNARY(LogOp)
AGT_UNARY(SqrtOp)
AGT_UNARY(RsqrtOp)
AGT_UNARY(TanhOp)
AGT_UNARY(SigmoidOp)
AGT_UNARY(SiluOp)
AGT_UNARY(GeluOp)
AGT_UNARY(GeluTanhOp)
AGT_UNARY(ReluOp)
AGT_UNARY(CosOp)
AGT_UNARY(SinOp)
AGT_UNARY(CastOp)
#undef AGT_UNARY

//===----------------------------------------------------------------------===//
// agt.compare, agt.select
//===----------------------------------------------------------------------===//

// compare_c2
LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &types) {
  return inferBroadcast(loc, operands, IntegerType::get(context, 1), types);
}

bool CompareOp::isCompatibleReturnTypes(TypeRange inferred,
                                        TypeRange declared) {
  return compatibleResultTypes(inferred, declared);
}

LogicalResult CompareOp::verify() {
  // compare_c1
  return verifySameElementType(*this);
}

LogicalResult
CompareOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyBroadcast(builder, *this, shapes);
}

// select_c2
LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &types) {
  return inferBroadcast(loc, operands, elementTypeOf(operands, 1), types);
}

bool SelectOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange declared) {
  return compatibleResultTypes(inferred, declared);
}

LogicalResult SelectOp::verify() {
  // select_c1
  return verifySameElementType(*this, /*first=*/1);
}

LogicalResult SelectOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyBroadcast(builder, *this, shapes);
}

//===----------------------------------------------------------------------===//
// agt.cast
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  // cast_c1
  RankedTensorType result = tensorType(getResult());
  return verifyTensor(*this, "a result", getResult(),
                      tensorType(getInput()).getShape(),
                      result.getElementType());
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}
