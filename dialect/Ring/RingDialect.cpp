//===- RingDialect.cpp - Registration -------------------------------------===//

#include "dialect/Ring/Ring.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace agt::ring;

#include "dialect/Ring/RingDialect.cpp.inc"
#include "dialect/Ring/RingEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Ring/RingAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Ring/RingTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/Ring/RingOps.cpp.inc"

void RingDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Ring/RingOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Ring/RingAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Ring/RingTypes.cpp.inc"
      >();
}

LogicalResult
PartialType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                    RankedTensorType sums, int64_t base) {
  if (!sums.getElementType().isF32())
    return emitError() << "expected sums in f32, got " << sums;
  if (base != 2)
    return emitError() << "expected base 2, got " << base;
  return success();
}
