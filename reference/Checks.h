//===- Checks.h - Whether a run's sizes fit the ops -------------*- C++ -*-===//

#ifndef AGT_REFERENCE_CHECKS_H
#define AGT_REFERENCE_CHECKS_H

#include "reference/Ops.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace agt::reference {

/// A RunError at the op's place.
llvm::Error failAt(mlir::Operation *op, const llvm::Twine &message);

/// Fails where the actual sizes of `operands` break a constraint of `op` that
/// its types left open.
llvm::Error checkOperands(mlir::Operation *op, llvm::ArrayRef<Datum> operands);

/// Fails where an input of the graph holds what makes no sense to `op`.
llvm::Error checkData(mlir::Operation *op, llvm::ArrayRef<Datum> operands);

/// Fails where results do not have the types the op declares.
llvm::Error checkResults(mlir::Operation *op, llvm::ArrayRef<Datum> results);

} // namespace agt::reference

#endif // AGT_REFERENCE_CHECKS_H
