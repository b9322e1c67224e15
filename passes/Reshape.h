//===- Reshape.h - Reshapes by sizes, rows by numbers -----------*- C++ -*-===//

#ifndef AGT_PASSES_RESHAPE_H
#define AGT_PASSES_RESHAPE_H

#include "dialect/Agt/Shapes.h"

namespace agt {

/// The type of a tensor of these sizes; appends those that are not numbers, as
/// values, to `open`.
mlir::RankedTensorType typeOfSizes(mlir::OpBuilder &builder, mlir::Location loc,
                                   llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                   mlir::Type element,
                                   llvm::SmallVectorImpl<mlir::Value> &open);

/// The elements of `tensor` in the same order, in these sizes.
mlir::Value reshapeTo(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value tensor,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// Along `dim` of a tensor, the `count` elements whose numbers are in the i32
/// tensor `rows`: the dim goes to the front, and back.
mlir::Value takeRows(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value tensor, unsigned dim, mlir::Value rows,
                     mlir::OpFoldResult count);

} // namespace agt

#endif // AGT_PASSES_RESHAPE_H
