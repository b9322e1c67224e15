// BlockRowsKernel: few rows by a matrix of quantised blocks (agt.unpack_blocks)
// on the CPU. It is bound by reading the matrix, which is read once, as it is
// stored: blocks become vectors of numbers in registers, and these are
// multiplied at once.
#ifndef AGT_CODEGEN_CPU_BLOCKROWSKERNEL_H
#define AGT_CODEGEN_CPU_BLOCKROWSKERNEL_H

#include "codegen/cpu/ProductKernel.h"

namespace agt::cpu {

class BlockRowsKernel : public ProductKernel {
public:
  /// Terms are whole blocks of every format.
  static constexpr ProductTile few = {4, 32, 2048, false};

  /// Whether the product is a linear whose weight is blocks in memory.
  static bool takes(mlir::Operation *anchor);

  BlockRowsKernel(InvocationBuilder &k, kernels::Evaluator &e,
                  const kernels::ProductShape &shape, mlir::Value root,
                  const Target &target);

private:
  using Sums = llvm::SmallVector<Value>; // vectors, of the same sum

  void addProducts(Value first, Value count) override;
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

  UnpackBlocksOp unpack;
  int64_t lanes;
  unsigned turn = 0; // which of the sums is next
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_BLOCKROWSKERNEL_H
