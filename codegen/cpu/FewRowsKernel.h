// FewRowsKernel: few rows by a matrix of weights on the CPU. It is bound by
// reading the matrix, which is read once, as it is stored: numbers of 16 bits
// and quantised blocks (agt.unpack_blocks) become vectors of f32 in registers,
// and these are multiplied at once.
#ifndef AGT_CODEGEN_CPU_FEWROWSKERNEL_H
#define AGT_CODEGEN_CPU_FEWROWSKERNEL_H

#include "codegen/cpu/ProductKernel.h"

namespace agt::cpu {

class FewRowsKernel : public ProductKernel {
public:
  /// Terms are whole blocks of every format.
  static constexpr ProductTile few = {4, 32, 2048, false};

  /// Whether the product is a linear whose weight is in memory, as blocks or
  /// as numbers (directTensor()).
  static bool takes(mlir::Operation *anchor);

  FewRowsKernel(InvocationBuilder &k, kernels::Evaluator &e,
                const kernels::ProductShape &shape, mlir::Value root,
                const Target &target);

private:
  using Sums = llvm::SmallVector<Value>; // vectors, of the same sum

  void addProducts(Value first, Value count) override;
  /// The sum of `count` terms of a row of the weight, from `row` on, times
  /// those from `x` on.
  Value sumOfBlocks(Pointer row, Pointer x, Index count);
  Value sumOfNumbers(Pointer row, Pointer x, Index count);
  Value sumOf(llvm::ArrayRef<Value> sums); // their lanes
  /// Adds the numbers of `block` times those from `x` on.
  Sums addBlock(Pointer block, Pointer x, llvm::ArrayRef<Value> sums);
  /// factor * q - offset, times the numbers from `x` on.
  void add(Value q, Value factor, Value offset, Pointer x, Sums &sums);

  Value half(Pointer byte);
  Value byteAt(Pointer block, int64_t byte);   // 0 to 255
  Value signedAt(Pointer block, int64_t byte); // as f32
  Value bytesAt(Pointer block, int64_t byte);  // a vector of i32, 0 to 255
  Sums addQ4_0(Pointer block, Pointer x, Sums sums);
  Sums addQ8_0(Pointer block, Pointer x, Sums sums);
  Sums addQ4_K(Pointer block, Pointer x, Sums sums);
  Sums addQ6_K(Pointer block, Pointer x, Sums sums);

  UnpackBlocksOp unpack; // null: numbers
  int64_t lanes;
  unsigned turn = 0; // which of the sums is next
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_FEWROWSKERNEL_H
