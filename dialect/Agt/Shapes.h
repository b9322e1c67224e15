//===- Shapes.h - Shapes of agt ops and how they are computed ---*- C++ -*-===//
//
// What verifiers, type inference and shape reification of the agt dialect
// share. A dim is a number or `?`. Two `?` that meet are equal (the front end
// has required it), so the size of an open dim of a result is that of any
// operand whose dim there is open as well.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_DIALECT_AGT_SHAPES_H
#define AGT_DIALECT_AGT_SHAPES_H

#include "dialect/Agt/Agt.h"

namespace agt {

using Dims = llvm::SmallVector<int64_t>;

/// Whether two dims can be the same size: one is open, or both are equal.
bool dimsAgree(int64_t a, int64_t b);

/// Whether two shapes have the same rank and dims that agree.
bool shapesAgree(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// NumPy's broadcasting: aligned at the last dim, 1 stretches. `?` and n != 1
/// give n, `?` and 1 or `?` give `?`. Nothing where two numbers disagree.
std::optional<Dims> broadcastShapes(llvm::ArrayRef<int64_t> a,
                                    llvm::ArrayRef<int64_t> b);

/// Whether `shape` stretches to `target`, which keeps its rank and dims.
bool broadcastsTo(llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> target);

/// Whether `shape` is that of positions of a tensor [batch..., ..., tokens,
/// dim]: [tokens] or [batch..., tokens] with the first dims of the tensor.
bool isPositionsOf(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> tensor);

/// The number of blocks of `block` tokens, `?` of `?`.
int64_t blocksOf(int64_t tokens, int64_t block);

/// The type of an element-by-element function of `operands`.
mlir::LogicalResult inferBroadcast(std::optional<mlir::Location> loc,
                                   mlir::ValueRange operands,
                                   mlir::Type elementType,
                                   llvm::SmallVectorImpl<mlir::Type> &results);

/// Whether a declared result type may stand for the inferred one: the same
/// element types, dims that agree.
bool compatibleResultTypes(mlir::TypeRange inferred, mlir::TypeRange declared);

/// The type of a tensor operand or result of an agt op.
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Emits `expected <what> <expected>, got <type>` unless `value` has the
/// element type of `expected` and a shape that agrees with it.
mlir::LogicalResult verifyTensor(mlir::Operation *op, llvm::StringRef what,
                                 mlir::Value value,
                                 llvm::ArrayRef<int64_t> shape,
                                 mlir::Type elementType);

/// Emits an error unless `value` is an axis of a tensor of `rank` dims.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t value,
                               int64_t rank);

/// Emits an error unless there is one size for each open dim of `types`.
mlir::LogicalResult verifySizes(mlir::Operation *op, mlir::TypeRange types,
                                mlir::ValueRange sizes);

/// The size of a dim: an index attribute, or a `tensor.dim`.
mlir::OpFoldResult dimOf(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor, int64_t dim);

/// The size as a value, made by `arith.constant` where it is a number.
mlir::Value asValue(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::OpFoldResult size);

/// Appends the dims of `result`: numbers where its type knows them, what
/// `size` gives (as a value) where it does not.
void reifyResult(mlir::OpBuilder &builder, mlir::Value result,
                 mlir::ReifiedRankedShapedTypeDims &shapes,
                 llvm::function_ref<mlir::OpFoldResult(int64_t)> size);

/// The size of the open dim `dim` of something that `operands` broadcast to
/// and that has `rank` dims.
mlir::OpFoldResult broadcastDim(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::ValueRange operands, int64_t dim,
                                int64_t rank);

/// Reifies an op whose one result is its operands broadcast.
mlir::LogicalResult reifyBroadcast(mlir::OpBuilder &builder,
                                   mlir::Operation *op,
                                   mlir::ReifiedRankedShapedTypeDims &shapes);

/// Reifies an op all of whose results have the shape of `input`.
mlir::LogicalResult reifyLike(mlir::OpBuilder &builder, mlir::Operation *op,
                              mlir::Value input,
                              mlir::ReifiedRankedShapedTypeDims &shapes);

/// Reifies an op whose operands `sizes` are the open dims of its results, in
/// order.
mlir::LogicalResult reifySizes(mlir::OpBuilder &builder, mlir::Operation *op,
                               mlir::ValueRange sizes,
                               mlir::ReifiedRankedShapedTypeDims &shapes);

} // namespace agt

#endif // AGT_DIALECT_AGT_SHAPES_H
