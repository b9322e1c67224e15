// Launch: what an attention kernel reads from its scalars before it starts:
// its kv head, where that lies, how the head's rows are numbered; and where
// positions, masks and biases are.
#ifndef AGT_CODEGEN_CPU_ATTENTION_LAUNCH_H
#define AGT_CODEGEN_CPU_ATTENTION_LAUNCH_H

#include "codegen/common/Partial.h"
#include "codegen/common/ScoreExpr.h"
#include "codegen/cpu/CpuBuilder.h"
#include "codegen/kernels/attention/AttentionSpec.h"

namespace agt::cpu {

class Launch {
public:
  using Value = mlir::Value;
  using Row = codegen::ScoreExpr::Row;

  Launch(CpuBuilder &b, const kernels::attention::AttentionSpec &spec);

  Index queries, keys, stacked; // tokens, tokens, query heads of the kv head
  Index headDim, valueDim;
  Index rows;          // stacked * queries
  Index block, blocks; // which part of the rows, of how many
  Index part, slot;    // of the keys and of kPartials, where keys are split
  Pointer k, v;        // the kv head's first token
  Index kToken, vToken;
  codegen::ScoreExpr score;

  // Row r is query r / stacked of the head's query head r % stacked.
  Pointer queryRow(Index row) const;
  Pointer outputRow(Index row) const;
  Row about(Index row) const;
  /// The row's first element of a mask or bias.
  Pointer pairs(kernels::attention::Buffer buffer, Index row) const;
  /// Position or segment of the batch entry's first key.
  Pointer tokens(kernels::attention::Buffer buffer) const;
  /// The scale of the keys' block.
  Pointer scale(kernels::attention::Buffer buffer, Index key) const;

  /// What the first launch found of rows `first` to `last` and keys of block
  /// `keyBlock` (of kBlockKeys): its words, joined.
  Value blockWord(Index first, Index last, Index keyBlock) const;
  /// Whether such a word has kMaySee, or kMayHide.
  Value hasBit(Value word, int32_t bit) const;

  codegen::FinishedRow finish(Index row, Value m, Value l) const;
  /// Stores the log-sum of a row, or its m and l, where they are asked for.
  void storeRow(Index row, Value m, Value l,
                const codegen::FinishedRow &finished) const;

  /// Leaves out blocks of keys that are not of the workgroup's part.
  void keepPart(codegen::KeyBlocks &blocks) const;
  /// The row's sums in kPartials; m and l are stored behind them.
  Pointer partialRow(Index row) const;
  void storePartial(Index row, Value m, Value l) const;

private:
  Pointer rowOf(Pointer base, Index row, Index head, Index token) const;
  Pointer buffer(kernels::attention::Buffer buffer) const;
  Value ofHead(kernels::attention::Buffer buffer, Index row) const;
  Index queryHead(Index row) const;

  CpuBuilder &b;
  const kernels::attention::AttentionSpec &spec;
  Index kvHeads, batch, kvHead;
  Pointer q, o;
  Index qHead, qToken, oHead, oToken;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_ATTENTION_LAUNCH_H
