//===- RingAttendOps.cpp - Attention in steps -----------------------------===//

#include "dialect/Agt/Shapes.h"
#include "dialect/Ring/Ring.h"

using namespace mlir;
using namespace agt;
using namespace agt::ring;

/// Whether `row` holds each of 0 .. n - 1 once.
static bool isPermutation(ArrayRef<int64_t> row) {
  SmallVector<bool> seen(row.size());
  for (int64_t number : row) {
    if (number < 0 || number >= int64_t(row.size()) || seen[number])
      return false;
    seen[number] = true;
  }
  return true;
}

LogicalResult ScheduleOp::verify() {
  SmallVector<ArrayRef<int64_t>> rows;
  for (Attribute row : getMeets()) {
    // schedule_c1
    auto numbers = dyn_cast<DenseI64ArrayAttr>(row);
    if (!numbers || numbers.size() != int64_t(getMeets().size()) ||
        !isPermutation(numbers.asArrayRef()))
      return emitOpError("expected permutations of ")
             << getMeets().size() << " places, got " << row;
    rows.push_back(numbers.asArrayRef());
  }
  // schedule_c2
  for (size_t step = 0; step < rows.size(); ++step) {
    SmallVector<int64_t> column;
    for (ArrayRef<int64_t> row : rows)
      column.push_back(row[step]);
    if (!isPermutation(column))
      return emitOpError("expected each place at a shard of its own in step ")
             << step;
  }
  // schedule_c3
  Operation *end = getBody().front().getTerminator();
  if (end->getOperandTypes() == getResultTypes())
    return success();
  return emitOpError("expected values of types ")
         << getResultTypes() << ", got " << end->getOperandTypes();
}

LogicalResult AttendOp::verify() {
  // attend_c1
  if (getStep() == 0 && getSees())
    return emitOpError("expected no 'sees' in the first step");
  // attend_c2
  Dims shape(tensorType(getQuery()).getShape());
  shape.back() = tensorType(getValue()).getShape().back();
  if (!shapesAgree(shape, getType().getSums().getShape()))
    return emitOpError("expected sums ")
           << RankedTensorType::get(shape, Float32Type::get(getContext()))
           << ", got " << getType().getSums();
  return success();
}

LogicalResult ScatterOp::verify() {
  // scatter_c1
  size_t parts = getCut().getParts();
  if (getRows().size() != parts || getSends().size() + 1 != parts ||
      getReceives().size() + 1 != parts)
    return emitOpError("expected rows of ")
           << parts << " places, and one fewer of what is sent and received, "
           << "got " << getRows().size() << ", " << getSends().size() << " and "
           << getReceives().size();
  // scatter_c2
  RankedTensorType all = getPartial().getType().getSums();
  Dims shape(all.getShape());
  int64_t dim = getCut().getDim();
  if (dim >= 0 && dim < all.getRank()) {
    shape[dim] = ShapedType::kDynamic;
    if (shapesAgree(shape, getType().getSums().getShape()))
      return success();
  }
  return emitOpError("expected sums of ")
         << all << " but for dim " << dim << ", got " << getType().getSums();
}

LogicalResult FinalizeOp::verify() {
  // finalize_c1
  ArrayRef<int64_t> sums = getPartial().getType().getSums().getShape();
  if (!shapesAgree(sums, tensorType(getResult()).getShape()))
    return emitOpError("expected the shape of ")
           << getPartial().getType().getSums() << ", got "
           << getResult().getType();
  // finalize_c2
  if (getLse() &&
      !shapesAgree(sums.drop_back(), tensorType(getLse()).getShape()))
    return emitOpError("expected a lse of the shape of ")
           << getPartial().getType().getSums() << " without its last dim, got "
           << getLse().getType();
  return success();
}
