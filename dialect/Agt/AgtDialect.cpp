//===- AgtDialect.cpp - Registration, constants, inlining -----------------===//
//
// A graph is inlined into its callers before kernels are formed. Its body is
// one block that ends in `agt.return`, so a call is replaced by the body and
// its results by the operands of the return; where the two sides know
// different dims, a `tensor.cast` stands between.
//
//===----------------------------------------------------------------------===//

#include "dialect/Agt/Agt.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialect/Agt/AgtDialect.cpp.inc"
#include "dialect/Agt/AgtEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Agt/AgtAttrs.cpp.inc"

namespace {
struct AgtInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable,
                       bool wouldBeCloned) const final {
    return isa<agt::CallOp>(call) && isa<agt::GraphOp>(callable);
  }
  bool isLegalToInline(Region *dest, Region *src, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return true;
  }
  bool isLegalToInline(Operation *op, Region *dest, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return true;
  }

  void handleTerminator(Operation *op, ValueRange results) const final {
    for (auto [result, value] : llvm::zip_equal(results, op->getOperands()))
      result.replaceAllUsesWith(value);
  }

  Operation *materializeCallConversion(OpBuilder &builder, Value input,
                                       Type type, Location loc) const final {
    if (!tensor::CastOp::areCastCompatible(input.getType(), type))
      return nullptr;
    return tensor::CastOp::create(builder, loc, type, input);
  }
};
} // namespace

void agt::AgtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/Agt/AgtOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Agt/AgtAttrs.cpp.inc"
      >();
  addAgentTypes();
  addInterfaces<AgtInlinerInterface>();
}

Operation *agt::AgtDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
