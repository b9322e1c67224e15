//===- Checks.cpp - Whether a run's sizes fit the ops ---------------------===//
//
// The front end requires what types cannot say, so a run of its output never
// fails here. IR written by hand may; the oracle then names the op instead of
// reading outside a tensor. The constraints are not written a second time: a
// copy of the op with the types of this run is verified.
//
//===----------------------------------------------------------------------===//

#include "reference/Checks.h"
#include "reference/Interpreter.h"

#include "dialect/Agt/Place.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;
using llvm::Error;

Error agt::reference::failAt(Operation *op, const llvm::Twine &message) {
  return llvm::make_error<RunError>(placeOf(op->getLoc()), message.str());
}

/// Verifies a copy of `op` whose operands have the types of this run.
static Error verifyWithSizes(Operation *op, ArrayRef<Datum> operands) {
  Block block;
  IRMapping mapping;
  for (auto [value, datum] : llvm::zip_equal(op->getOperands(), operands)) {
    Type type = value.getType();
    if (datum.tensor)
      type = cast<RankedTensorType>(type).clone(datum.tensor->shape);
    mapping.map(value, block.addArgument(type, value.getLoc()));
  }
  std::string message;
  ScopedDiagnosticHandler handler(op->getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (message.empty())
                                      message = diagnostic.str();
                                  });
  Operation *copy = op->clone(mapping);
  bool valid = succeeded(mlir::verify(copy, /*verifyRecursively=*/false));
  copy->destroy();
  return valid ? Error::success() : failAt(op, message);
}

static Error checkSize(Operation *op, const Datum &size) {
  if (size.integer >= 0)
    return Error::success();
  return failAt(op, "expected a size of at least 0, got " +
                        llvm::Twine(size.integer));
}

static Error checkSizes(Operation *op, ArrayRef<Datum> sizes) {
  for (const Datum &size : sizes)
    if (Error error = checkSize(op, size))
      return error;
  return Error::success();
}

static Error checkSlice(SliceOp op, ArrayRef<Datum> operands) {
  int64_t size = operands[0].tensor->shape[op.getAxis()];
  int64_t start = operands[1].integer, stop = operands[2].integer;
  if (0 <= start && start <= stop && stop <= size)
    return Error::success();
  return failAt(
      op, llvm::formatv("expected 0 <= start <= stop <= {0}, got {1} to {2}",
                        size, start, stop)
              .str());
}

static Error checkReshape(ReshapeOp op, ArrayRef<Datum> operands) {
  if (Error error = checkSizes(op, operands.drop_front()))
    return error;
  int64_t elements = 1;
  size_t next = 1;
  for (int64_t dim : op.getType().getShape())
    elements *= ShapedType::isDynamic(dim) ? operands[next++].integer : dim;
  if (elements == operands[0].tensor->size())
    return Error::success();
  return failAt(op, llvm::formatv("expected a shape of {0} elements, got {1}",
                                  operands[0].tensor->size(), elements)
                        .str());
}

/// Checks of operands that are numbers.
static Error checkNumbers(Operation *op, ArrayRef<Datum> operands) {
  return llvm::TypeSwitch<Operation *, Error>(op)
      .Case([&](SliceOp slice) { return checkSlice(slice, operands); })
      .Case([&](ReshapeOp reshape) { return checkReshape(reshape, operands); })
      .Case([&](FullOp) { return checkSizes(op, operands.drop_front()); })
      .Case<IotaOp, RopeTableOp>(
          [&](Operation *) { return checkSizes(op, operands); })
      .Default([](Operation *) { return Error::success(); });
}

Error agt::reference::checkOperands(Operation *op, ArrayRef<Datum> operands) {
  // One type for all leaves nothing open, and allows no other in a copy.
  if (!isa<AgtDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return Error::success();
  if (Error error = verifyWithSizes(op, operands))
    return error;
  return checkNumbers(op, operands);
}

Error agt::reference::checkResults(Operation *op, ArrayRef<Datum> results) {
  for (auto [result, datum] : llvm::zip_equal(op->getResults(), results)) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    bool agrees = type.getRank() == datum.tensor->rank();
    for (int64_t dim = 0; agrees && dim < type.getRank(); ++dim)
      agrees = type.isDynamicDim(dim) ||
               type.getDimSize(dim) == datum.tensor->shape[dim];
    if (agrees)
      continue;
    std::string declared;
    llvm::raw_string_ostream(declared) << type;
    return failAt(op, "expected a result of type " + declared +
                          ", got the shape " +
                          formatShape(datum.tensor->shape));
  }
  return Error::success();
}
