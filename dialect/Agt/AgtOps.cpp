//===- AgtOps.cpp - What is generated for the ops -------------------------===//
//
// A file of its own: it is most of the dialect's compile time.
//
//===----------------------------------------------------------------------===//

#include "dialect/Agt/Agt.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "dialect/Agt/AgtOps.cpp.inc"
