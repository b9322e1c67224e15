// Launch: what an attention kernel reads from its scalars before it starts:
// its kv head, where that lies, and how the head's rows are numbered.
#ifndef AGT_CODEGEN_CPU_ATTENTION_LAUNCH_H
#define AGT_CODEGEN_CPU_ATTENTION_LAUNCH_H

#include "codegen/common/ScoreExpr.h"
#include "codegen/cpu/CpuBuilder.h"
#include "codegen/spirv/attention/AttentionSpec.h"

namespace agt::cpu {

struct Launch {
  Launch(CpuBuilder &b, const spirv::attention::AttentionSpec &spec);

  Index queries, keys, stacked; // tokens, tokens, query heads of the kv head
  Index headDim, valueDim;
  Index rows;          // stacked * queries
  Index block, blocks; // which part of the rows, of how many
  Pointer k, v;        // the kv head's first token
  Index kToken, vToken;
  mlir::Value scaleLog2;

  /// Row r is query r / stacked of the head's query head r % stacked.
  Pointer queryRow(Index row) const;
  Pointer outputRow(Index row) const;
  /// Keys that a row sees: those below.
  Index visibleEnd(Index row) const;

private:
  Pointer rowOf(Pointer base, Index row, Index head, Index token) const;

  Pointer q, o;
  Index qHead, qToken, oHead, oToken;
  Index causalOffset;
  bool causal;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_ATTENTION_LAUNCH_H
