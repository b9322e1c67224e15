//===- RingPlaceOps.cpp - Places on the mesh, parts of tensors ------------===//

#include "dialect/Agt/Shapes.h"
#include "dialect/Ring/Ring.h"
#include "dialect/Ring/Verify.h"

using namespace mlir;
using namespace agt;
using namespace agt::ring;

LogicalResult agt::ring::verifyCuts(Operation *op, ArrayAttr cuts,
                                    int64_t rank) {
  llvm::SmallDenseSet<int64_t> dims;
  for (CutAttr cut : cuts.getAsRange<CutAttr>())
    if (cut.getDim() < 0 || cut.getDim() >= rank ||
        !dims.insert(cut.getDim()).second)
      return op->emitOpError("expected cuts of different dims of ")
             << rank << ", got " << cuts;
  return success();
}

static LogicalResult verifyPositive(Operation *op, StringRef what,
                                    int64_t number) {
  if (number > 0)
    return success();
  return op->emitOpError("expected ") << what << " above 0, got " << number;
}

LogicalResult PlaceOp::verify() {
  // place_c1
  return success(succeeded(verifyPositive(*this, "parts", getParts())) &&
                 succeeded(verifyPositive(*this, "a step", getStep())));
}

OpFoldResult PlaceOp::fold(FoldAdaptor) {
  if (getParts() != 1)
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), 0);
}

LogicalResult ExtentOp::verify() {
  // extent_c1
  return verifyPositive(*this, "parts", getParts());
}

LogicalResult PartOp::verify() {
  // part_c1
  if (!isa<BlockArgument>(getInput()))
    return emitOpError("expected an argument of the graph, got a value of its "
                       "body");
  // part_c2
  if (failed(verifySizes(*this, getType(), getSizes())))
    return failure();
  // part_c3
  return verifyCuts(*this, getCuts(), tensorType(getInput()).getRank());
}

LogicalResult PartOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifySizes(builder, *this, getSizes(), shapes);
}

LogicalResult WholeOp::verify() {
  // whole_c1
  for (Operation *user : (*this)->getUsers())
    if (!isa<ReturnOp>(user))
      return emitOpError("expected 'agt.return' as its reader, got '")
             << user->getName() << "'";
  // whole_c2
  if (failed(verifySizes(*this, getType(), getSizes())))
    return failure();
  // whole_c3
  return verifyCuts(*this, getCuts(), tensorType(getInput()).getRank());
}

LogicalResult WholeOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  return reifySizes(builder, *this, getSizes(), shapes);
}

LogicalResult PositionsOp::verify() {
  // positions_c1
  if (tensorType(getResult()).getRank() != 1)
    return emitOpError("expected one dim, got ") << getType();
  if (failed(verifySizes(*this, getType(), getSizes())))
    return failure();
  // positions_c2
  return verifyPositive(*this, "parts", getParts());
}

LogicalResult
PositionsOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifySizes(builder, *this, getSizes(), shapes);
}
