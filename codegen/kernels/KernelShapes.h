// KernelShapes: the sizes of everything in the body of an agt.kernel as
// expressions over the scalars of its launch.
//
// Scalars stand in the order of the inputs: the open dims of a tensor, the
// value of an `index`, the f32 bits of an `f64`. Symbol j is scalar j, for the
// host, which evaluates work and flops, and for the kernel, which reads it.
#ifndef AGT_CODEGEN_KERNELS_KERNELSHAPES_H
#define AGT_CODEGEN_KERNELS_KERNELSHAPES_H

#include "dialect/Agt/Agt.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"

namespace agt::kernels {

using Sizes = llvm::SmallVector<mlir::AffineExpr>;

class KernelShapes {
public:
  explicit KernelShapes(KernelOp kernel);

  /// The size of each dim of a tensor of the body.
  const Sizes &sizesOf(mlir::Value tensor);
  /// An `index` of the body.
  mlir::AffineExpr index(mlir::Value value);
  /// The number of the scalar that holds an `index` or `f64` argument.
  unsigned scalarOf(mlir::Value argument) const {
    return scalars.lookup(argument);
  }
  /// Number of elements.
  mlir::AffineExpr count(llvm::ArrayRef<mlir::AffineExpr> sizes);
  mlir::AffineExpr constant(int64_t value);

private:
  Sizes compute(mlir::Value tensor);
  mlir::AffineExpr computeDim(mlir::Value tensor, int64_t dim);
  mlir::AffineExpr broadcastDim(mlir::OperandRange operands, int64_t dim,
                                int64_t rank);

  mlir::MLIRContext *context;
  llvm::DenseMap<mlir::Value, unsigned> scalars;
  llvm::DenseMap<mlir::Value, Sizes> sizes;
};

} // namespace agt::kernels

#endif // AGT_CODEGEN_KERNELS_KERNELSHAPES_H
