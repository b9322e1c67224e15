// See MicroKernel.h.
#include "codegen/cpu/MicroKernel.h"

using namespace mlir;

namespace agt::cpu {

SmallVector<Value>
tileProduct(CpuBuilder &b, const TileShape &shape, Index depth, Pointer a,
            Index aStride, llvm::function_ref<SmallVector<Value>(Index)> load) {
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
            next.push_back(b.fma(left, right[c], sums[r * shape.columns + c]));
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
