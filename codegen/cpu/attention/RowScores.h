// RowScores: what positions, masks and biases make of a row's products with a
// block of keys, lanes along the keys.
#ifndef AGT_CODEGEN_CPU_ATTENTION_ROWSCORES_H
#define AGT_CODEGEN_CPU_ATTENTION_ROWSCORES_H

#include "codegen/cpu/attention/Launch.h"

namespace agt::cpu {

class RowScores {
public:
  using Value = mlir::Value;

  RowScores(CpuBuilder &b, const kernels::attention::AttentionSpec &spec,
            const Launch &launch, int64_t lanes)
      : b(b), spec(spec), launch(launch), lanes(lanes) {}

  /// Products (times score.factor) of row `row` with the kBlockKeys keys from
  /// `firstKey`, whose scales are at `scales`, become scores. `seen` gets 1.0
  /// for each pair that is seen, else 0, and scores of the others become
  /// -infinity; not where `masked` is off, for blocks that all rows see whole.
  void apply(Index row, Index firstKey, Pointer scores, Pointer scales,
             Pointer seen, bool masked);

private:
  codegen::ScoreExpr::Row splat(const codegen::ScoreExpr::Row &row);
  codegen::ScoreExpr::Key keys(Index row, Index first);

  CpuBuilder &b;
  const kernels::attention::AttentionSpec &spec;
  const Launch &launch;
  int64_t lanes;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_ATTENTION_ROWSCORES_H
