// MicroKernel: a tile of a matrix product in registers, and the transposition
// that puts its operands in the order it reads them.
#ifndef AGT_CODEGEN_CPU_MICROKERNEL_H
#define AGT_CODEGEN_CPU_MICROKERNEL_H

#include "codegen/cpu/CpuBuilder.h"

namespace agt::cpu {

/// A tile of `rows` x (`columns` * `lanes`) sums.
struct TileShape {
  int64_t rows;
  int64_t columns; // registers beside each other
  int64_t lanes;

  int64_t width() const { return columns * lanes; }
};

/// sum over k in [0, depth) of a(row, k) * b(k)[column]: `a` points at the
/// element of row 0 and k = 0, its rows `aStride` elements apart and its k one
/// element; `b` gives the registers of a k. Row by row, registers of a row
/// beside each other. Where `pairs`, elements of both sides are two bf16 in the
/// bits of an f32, and what is added is both products.
llvm::SmallVector<mlir::Value>
tileProduct(CpuBuilder &b, const TileShape &shape, Index depth, Pointer a,
            Index aStride,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(Index)> load,
            bool pairs = false);

/// The lanes x lanes elements of `rows` with rows and columns exchanged.
llvm::SmallVector<mlir::Value> transpose(CpuBuilder &b,
                                         llvm::ArrayRef<mlir::Value> rows);

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_MICROKERNEL_H
