// LaunchSize: how the size of a launch follows from its scalars.
#ifndef AGT_CODEGEN_KERNELS_LAUNCHSIZE_H
#define AGT_CODEGEN_KERNELS_LAUNCHSIZE_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

namespace agt::kernels {

/// Expressions over the launch's scalars (symbol j is scalar j), evaluated by
/// the host in 64 bits. An attention has no `flops`: the host knows its masks.
struct LaunchSize {
  llvm::SmallVector<mlir::AffineExpr, 4> work;
  mlir::AffineExpr flops;
};

} // namespace agt::kernels

#endif // AGT_CODEGEN_KERNELS_LAUNCHSIZE_H
