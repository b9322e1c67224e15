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
#include "codegen/spirv/ProductShape.h"

namespace agt::cpu {

class ProductKernel {
public:
  ProductKernel(InvocationBuilder &k, spirv::Evaluator &e,
                const spirv::ProductShape &shape, mlir::Value root,
                const Target &target);

  static constexpr int64_t rows = 84;     // of a workgroup
  static constexpr int64_t columns = 256; // likewise
  static constexpr int64_t terms = 128;   // of a block
  static constexpr int64_t scratchBytes =
      4 * (rows * terms + columns * terms + rows * columns);

  void build();

private:
  using Value = mlir::Value;

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
  spirv::Evaluator &e;
  const spirv::ProductShape &s;
  Value root;
  TileShape shape;
  CpuBuilder v;
  Value batchNumber, firstRow, firstColumn, rowCount, columnCount;
  llvm::SmallVector<Value> batch;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_PRODUCTKERNEL_H
