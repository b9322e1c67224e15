//===- Agt.h - The agt dialect ----------------------------------*- C++ -*-===//
//
// What the author wrote, with types. AgtDialect.td says what it means; the ops
// stand by kind in Agt*Ops.td, their verifiers and inference in files of the
// same names.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_DIALECT_AGT_AGT_H
#define AGT_DIALECT_AGT_AGT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/Agt/Effects.h"

#include "dialect/Agt/AgtDialect.h.inc"
#include "dialect/Agt/AgtEnums.h.inc"

namespace agt {
/// How one dim lies on a mesh: whole, or cut over axes, the slowest first.
struct DimSplit {
  llvm::SmallVector<mlir::StringAttr, 1> axes;
  Balance balance = Balance::Contiguous;

  bool isCut() const { return !axes.empty(); }
  bool operator==(const DimSplit &other) const {
    return axes == other.axes && balance == other.balance;
  }
  bool operator!=(const DimSplit &other) const { return !(*this == other); }
};
inline llvm::hash_code hash_value(const DimSplit &split) {
  return llvm::hash_combine(
      llvm::hash_combine_range(split.axes.begin(), split.axes.end()),
      split.balance);
}

/// The keys of a leaf (`agt.leaves`).
constexpr int64_t kLeafKeys = 128;
/// Whether parts hold whole leaves.
inline bool ofLeaves(Balance balance) {
  return balance == Balance::Leaves || balance == Balance::ZigzagLeaves;
}

/// What one block of quantised numbers is.
struct BlockLayout {
  int64_t numbers, bytes;
};
BlockLayout layoutOf(BlockFormat format);

// The C++ of Agt_Anchor, Agt_Pulled and Agt_Elementwise.
template <typename Op>
class Anchor : public mlir::OpTrait::TraitBase<Op, Anchor> {};
template <typename Op>
class Pulled : public mlir::OpTrait::TraitBase<Op, Pulled> {};
template <typename Op>
class Elementwise : public mlir::OpTrait::TraitBase<Op, Elementwise> {};
} // namespace agt

#define GET_ATTRDEF_CLASSES
#include "dialect/Agt/AgtAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Agt/AgtTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/Agt/AgtOps.h.inc"

#endif // AGT_DIALECT_AGT_AGT_H
