//===- RingMoveOps.cpp - Transfers between positions ----------------------===//

#include "dialect/Agt/Shapes.h"
#include "dialect/Ring/Ring.h"
#include "dialect/Ring/Verify.h"

using namespace mlir;
using namespace agt;
using namespace agt::ring;

LogicalResult ShiftOp::verify() {
  // shift_c1
  RankedTensorType held = getResult().getType().getTensor();
  RankedTensorType sent = tensorType(getInput());
  Dims shape(sent.getShape());
  int64_t dim = getCut().getDim();
  if (dim >= 0 && dim < sent.getRank())
    shape[dim] = ShapedType::kDynamic;
  if (held.getElementType() != sent.getElementType() ||
      !shapesAgree(shape, held.getShape()))
    return emitOpError("expected a token of ") << sent << ", got " << held;
  // shift_c2
  int64_t by = getBy(), parts = getCut().getParts();
  if (by > 0 && by < std::max<int64_t>(parts, 2))
    return success();
  return emitOpError("expected a distance above 0 and below ")
         << parts << ", got " << by;
}

LogicalResult AwaitOp::verify() {
  // await_c1
  if (getToken().getType().getTensor() != getType())
    return emitOpError("expected ")
           << getToken().getType().getTensor() << ", got " << getType();
  // await_c2
  return verifySizes(*this, getType(), getSizes());
}

LogicalResult AwaitOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  return reifySizes(builder, *this, getSizes(), shapes);
}

LogicalResult GatherOp::verify() {
  // gather_c1
  if (failed(verifySizes(*this, getType(), getSizes())))
    return failure();
  // gather_c2
  SmallVector<Attribute> all(getCuts().getValue());
  if (getKept())
    all.append(getKept()->begin(), getKept()->end());
  return verifyCuts(*this, ArrayAttr::get(getContext(), all),
                    tensorType(getInput()).getRank());
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifySizes(builder, *this, getSizes(), shapes);
}
