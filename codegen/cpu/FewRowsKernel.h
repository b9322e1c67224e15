// FewRowsKernel: few rows by a matrix of weights on the CPU. It is bound by
// reading the matrix, which is read as it is stored: numbers of 16 bits
// and quantised blocks (agt.unpack_blocks) become vectors of f32 in registers,
// and these are multiplied at once. Numbers that are a factor times whole ones
// have it applied to the sum of their products.
#ifndef AGT_CODEGEN_CPU_FEWROWSKERNEL_H
#define AGT_CODEGEN_CPU_FEWROWSKERNEL_H

#include "codegen/cpu/ProductKernel.h"

namespace agt::cpu {

class FewRowsKernel : public ProductKernel {
public:
  /// Terms are whole blocks of every format.
  static constexpr ProductTile few = {12, 32, 2048, false};
  /// For so many what is read is decoded once. One row less is as good as all.
  static constexpr int64_t rowsAtOnce = 4;

  /// Whether the product is a linear whose weight is in memory, as blocks or
  /// as numbers (directTensor()).
  static bool takes(mlir::Operation *anchor);

  FewRowsKernel(InvocationBuilder &k, kernels::Evaluator &e,
                const kernels::ProductShape &shape, mlir::Value root,
                const Target &target);

private:
  /// By row, the vectors that make up its sum.
  using Sums = llvm::SmallVector<llvm::SmallVector<Value>>;

  void addProducts(Value first, Value count) override;
  void addColumn(Pointer weight, Pointer left, Pointer sums, int64_t rows,
                 Index terms);
  /// The sums of `count` terms of a row of the weight, from `weight` on, times
  /// those of `rows` rows from `x` on.
  llvm::SmallVector<Value> sumsOfBlocks(Pointer weight, Pointer x, int64_t rows,
                                        Index count);
  llvm::SmallVector<Value> sumsOfNumbers(Pointer weight, Pointer x,
                                         int64_t rows, Index count);
  /// Adds the numbers of `block` times those from `x` on; which of a row's sums
  /// are the first to be added to is `turn`.
  void addBlock(Pointer block, Pointer x, unsigned turn, Sums &sums);
  Sums zeros(int64_t rows);
  llvm::SmallVector<Value> total(llvm::ArrayRef<Value> sums, int64_t rows);

  UnpackBlocksOp unpack; // null: numbers
  int64_t lanes;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_FEWROWSKERNEL_H
