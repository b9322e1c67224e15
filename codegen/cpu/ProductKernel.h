// ProductKernel: matmul and linear on the CPU.
//
// A workgroup has a tile of rows by columns. In blocks of 128 terms both
// operands are copied to scratch: rows as they are, columns into panels
// [panel][term][column]; then a tile product in registers adds each piece to
// the sums in scratch. What the operands are made of (casts, reshapes, slices)
// is evaluated while copying, once a tile; what follows the product while
// storing.
#ifndef AGT_CODEGEN_CPU_PRODUCTKERNEL_H
#define AGT_CODEGEN_CPU_PRODUCTKERNEL_H

#include "codegen/cpu/InvocationBuilder.h"
#include "codegen/cpu/MicroKernel.h"
#include "codegen/cpu/Target.h"
#include "codegen/kernels/ProductShape.h"

namespace agt::cpu {

/// The work of a workgroup. In scratch are a block of rows, one of columns
/// where `panels` says so, and the sums.
struct ProductTile {
  int64_t rows, columns;
  int64_t terms; // of a block
  bool panels;

  // In floats.
  constexpr int64_t rightAt() const { return rows * terms; }
  constexpr int64_t sumsAt() const {
    return rightAt() + (panels ? columns * terms : 0);
  }
  constexpr int64_t scratchBytes() const {
    return 4 * (sumsAt() + rows * columns);
  }
};

/// A tensor of floats in memory, as an argument of the kernel.
struct DirectTensor {
  mlir::Value tensor;
  agt_dtype dtype;
};
/// What `tensor` is, or is cast to f32 from; nothing where it is anything else.
std::optional<DirectTensor> directTensor(mlir::Value tensor);

/// The number of the buffer that an argument of the kernel is.
unsigned bufferOf(mlir::Value tensor);

class ProductKernel {
public:
  static constexpr ProductTile packed = {84, 256, 128, true};

  ProductKernel(InvocationBuilder &k, kernels::Evaluator &e,
                const kernels::ProductShape &shape, mlir::Value root,
                const Target &target, ProductTile tile = packed);
  virtual ~ProductKernel() = default;

  void build();

protected:
  using Value = mlir::Value;

  /// Adds the products of terms `first` to `first + count` to the sums; those
  /// of the rows are in scratch.
  virtual void addProducts(Value first, Value count);

  void place();
  void clearSums();
  void packLeft(Value first, Value count);
  void packRight(Value first, Value count);
  void packRows(Value first, Value count);
  void packDirect(Value first, Value count);
  void multiply(Value count);
  void storeTile();
  /// Where an element of scratch is; indices are i32.
  Pointer at(int64_t floats, Value index);

  InvocationBuilder &k;
  kernels::Evaluator &e;
  const kernels::ProductShape &s;
  Value root;
  ProductTile tile;
  TileShape shape;
  CpuBuilder v;
  Value batchNumber, firstRow, firstColumn, rowCount, columnCount;
  llvm::SmallVector<Value> batch;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_PRODUCTKERNEL_H
