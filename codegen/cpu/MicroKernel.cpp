// See MicroKernel.h.
#include "codegen/cpu/MicroKernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace agt::cpu {

// sum + x * y, lane by lane: twice for the two bf16 of a lane.
static Value multiplyAdd(CpuBuilder &b, Value x, Value y, Value sum,
                         bool pairs) {
  if (!pairs)
    return b.fma(x, y, sum);
  ImplicitLocOpBuilder &builder = b.builder();
  int64_t lanes = cast<VectorType>(sum.getType()).getNumElements();
  auto halves = VectorType::get({2 * lanes}, builder.getBF16Type());
  auto of = [&](Value words) {
    return vector::BitCastOp::create(builder, halves, words).getResult();
  };
  return LLVM::CallIntrinsicOp::create(
             builder, sum.getType(),
             builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
             ValueRange{sum, of(x), of(y)})
      .getResult(0);
}

SmallVector<Value>
tileProduct(CpuBuilder &b, const TileShape &shape, Index depth, Pointer a,
            Index aStride, llvm::function_ref<SmallVector<Value>(Index)> load,
            bool pairs) {
  SmallVector<Value> zeros;
  {
    CpuBuilder::Lanes scope(b, shape.lanes);
    zeros.assign(shape.rows * shape.columns, b.f32(0));
  }
  SmallVector<Pointer> rows;
  for (int64_t r = 0; r < shape.rows; ++r)
    rows.push_back(a + aStride * r);
  return b.loop(
      b.index(0), depth, 1, zeros, [&](Index k, ArrayRef<Value> sums) {
        SmallVector<Value> right = load(k), next;
        for (int64_t r = 0; r < shape.rows; ++r) {
          Value left = b.splat(b.load(rows[r] + k), shape.lanes);
          for (int64_t c = 0; c < shape.columns; ++c)
            next.push_back(multiplyAdd(b, left, right[c],
                                       sums[r * shape.columns + c], pairs));
        }
        return next;
      });
}

// Blocks of `distance` columns change places with the rows that far away, for
// every power of two: the bits of the row and of the column number are
// exchanged one by one.
SmallVector<Value> transpose(CpuBuilder &b, ArrayRef<Value> rows) {
  SmallVector<Value> values(rows);
  int64_t lanes = static_cast<int64_t>(rows.size());
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> low(lanes), high(lanes);
    for (int64_t i = 0; i < lanes; ++i) {
      low[i] = i & distance ? lanes + i - distance : i;
      high[i] = i & distance ? lanes + i : i + distance;
    }
    for (int64_t r = 0; r < lanes; ++r) {
      if (r & distance)
        continue;
      Value x = values[r], y = values[r + distance];
      values[r] = b.shuffle(x, y, low);
      values[r + distance] = b.shuffle(x, y, high);
    }
  }
  return values;
}

} // namespace agt::cpu
