// ScoreExpr: which keys a query sees, and what it makes of q.k. One place for
// all shapes of kernel: each gives rows and keys as values, and asks.
//
// Keys are seen from key 0 up to an end that grows with the row, or not at
// all; a kernel prunes whole blocks by the ends of its first and last row, and
// compares key numbers with a row's end elsewhere. Scores are in units of
// log 2 from here on: x log2(e), so that a power of two is the only
// exponential there is.
#ifndef AGT_CODEGEN_COMMON_SCOREEXPR_H
#define AGT_CODEGEN_COMMON_SCOREEXPR_H

#include "codegen/common/ValueBuilder.h"

namespace agt::codegen {

struct ScoreExpr {
  using Value = mlir::Value;

  bool causal = false;
  Value keys;         // number of keys
  Value causalOffset; // causal: row i sees keys j <= i + causalOffset
  Value scaleLog2;    // scale * log2(e)

  /// Number of keys that `row` sees: those below.
  Value visibleEnd(ValueBuilder &b, Value row) const;
  /// The score of a key that is not seen is -infinity, whatever q.k is.
  Value masked(ValueBuilder &b, Value score, Value key, Value end) const;
};

} // namespace agt::codegen

#endif // AGT_CODEGEN_COMMON_SCOREEXPR_H
