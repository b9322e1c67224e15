// ProductShape: what a matmul or linear multiplies, and what becomes of a sum.
#ifndef AGT_CODEGEN_KERNELS_PRODUCTSHAPE_H
#define AGT_CODEGEN_KERNELS_PRODUCTSHAPE_H

#include "codegen/kernels/Evaluator.h"

namespace agt::kernels {

/// lhs [batch, M, K] by rhs [batch, K, N] or its transpose.
struct ProductShape {
  ProductShape(KernelShapes &shapes, mlir::Operation *anchor);

  mlir::Operation *op;
  mlir::Value lhs, rhs, bias;
  Sizes lhsSizes, rhsSizes, resultSizes, batchSizes;
  mlir::AffineExpr batch, m, n, k;
  bool transposed; // rhs is [N, K]
  bool flat;       // no batch: lhs is a matrix whatever its rank

  using Indices = llvm::SmallVector<mlir::Value>;
  /// The leading indices of an operand, which may be stretched.
  Indices batchIndices(Evaluator &e, mlir::Value tensor,
                       llvm::ArrayRef<mlir::Value> batch) const;
  mlir::Value lhsAt(Evaluator &e, llvm::ArrayRef<mlir::Value> batch,
                    mlir::Value row, mlir::Value index) const;
  mlir::Value rhsAt(Evaluator &e, llvm::ArrayRef<mlir::Value> batch,
                    mlir::Value index, mlir::Value column) const;
  /// What the kernel stores for a sum: bias added, and the rest of the body
  /// (`root` is the kernel's result). `number` is the element's, in C order.
  mlir::Value finished(Evaluator &e, mlir::Value root,
                       llvm::ArrayRef<mlir::Value> batch, mlir::Value row,
                       mlir::Value column, Linear number,
                       mlir::Value sum) const;
};

} // namespace agt::kernels

#endif // AGT_CODEGEN_KERNELS_PRODUCTSHAPE_H
