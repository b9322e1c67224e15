// See ScoreExpr.h.
#include "codegen/common/ScoreExpr.h"

using mlir::Value;

namespace agt::codegen {

Value ScoreExpr::visibleEnd(ValueBuilder &b, Value row) const {
  if (!causal)
    return keys;
  Value end = b.add(b.add(row, causalOffset), 1);
  return b.maxS(b.minS(end, keys), b.i32(0));
}

Value ScoreExpr::masked(ValueBuilder &b, Value score, Value key,
                        Value end) const {
  return b.select(b.lt(key, end), score, b.f32Bits(0xff800000));
}

} // namespace agt::codegen
