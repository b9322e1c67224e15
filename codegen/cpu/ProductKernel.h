// ProductKernel: matmul and linear on the CPU.
//
// A workgroup has a tile of rows by columns. In blocks of terms both
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

/// The most work of a workgroup. In scratch are a block of rows, one of columns
/// where `panels` says so, the sums, and as many columns as a register has
/// lanes while they become a panel.
struct ProductTile {
  int64_t rows, columns;
  int64_t terms; // of a block
  bool panels;

  // In floats.
  constexpr int64_t rightAt() const { return rows * terms; }
  constexpr int64_t sumsAt() const {
    return rightAt() + (panels ? columns * terms : 0);
  }
  constexpr int64_t decodedAt() const { return sumsAt() + rows * columns; }
  constexpr int64_t scratchBytes() const {
    return 4 * (decodedAt() + (panels ? 16 * terms : 0));
  }
};

/// A tensor of floats in memory, as an argument of the kernel.
struct DirectTensor {
  mlir::Value tensor;
  agt_dtype dtype;
};
/// What `tensor` is, or is cast to f32 from; nothing where it is anything else.
std::optional<DirectTensor> directTensor(mlir::Value tensor);

/// What unpacks an argument of the kernel to `tensor`; null where nothing does.
UnpackBlocksOp blocksOf(mlir::Value tensor);

/// The number of the buffer that an argument of the kernel is.
unsigned bufferOf(mlir::Value tensor);

/// Whether the kernel can multiply pairs of bf16 as they are (tileProduct()):
/// rows of weights by rows, both in memory and of whole pairs.
bool hasPairs(const kernels::ProductShape &shape);

class ProductKernel {
public:
  /// Rows are whole tiles in registers of every target. What is packed for a
  /// tile of rows is packed again for the next, so there are many; all that is
  /// in scratch takes 366 KiB, with blocks of 256 terms 585 KiB.
  static ProductTile packed(const kernels::ProductShape &shape);

  ProductKernel(InvocationBuilder &k, kernels::Evaluator &e,
                const kernels::ProductShape &shape, mlir::Value root,
                const Target &target, ProductTile tile, bool pairs = false);
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
  void packBlocks(Value first, Value count);
  /// The matrix [N, K] in memory, from a term on: its rows are the columns of
  /// the product. Those beyond the last are the last again.
  struct Weight {
    Pointer row(Index column) const;

    Pointer begin;
    Index stride, firstColumn, lastColumn;
  };
  Weight weightFrom(Value first);
  /// The terms of as many columns as there are lanes, `column` first.
  void packPanel(llvm::ArrayRef<Pointer> columns, agt_dtype dtype, Index column,
                 Index count);
  void multiply(Value count);
  void storeTile();
  int64_t termsOfElement() const { return pairs ? 2 : 1; }
  /// What is `floats` floats behind the beginning of scratch, where `v` stands.
  Pointer scratch(int64_t floats);
  /// Where an element behind them is, where `k` stands; indices are i32.
  Pointer at(int64_t floats, Value index);

  InvocationBuilder &k;
  kernels::Evaluator &e;
  const kernels::ProductShape &s;
  Value root;
  ProductTile tile;
  TileShape shape;
  bool pairs; // terms are pairs of bf16
  CpuBuilder v;
  Value batchNumber, firstRow, firstColumn, rowCount, columnCount;
  llvm::SmallVector<Value> batch;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_PRODUCTKERNEL_H
