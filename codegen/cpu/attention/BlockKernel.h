// BlockKernel: attention for a block of query rows.
//
// A workgroup has a block of query rows of one kv head. The query heads that
// share it are stacked: row r is query r / group of head r % group, so that
// neighbouring rows see nearly the same keys. Queries are scaled by
// scale * log2 e and copied once, row after row. Keys are taken in blocks of
// kBlockKeys: packed into panels [panel][dim][column], then for each tile of
// rows: scores by a tile product over the head's dims, the softmax of each row,
// and the same tile product of weights and values, added to the row's sums.
// For few rows packing would cost more than it saves: keys are read as they
// lie, a product is summed in the lanes of a register, and the sums of as many
// keys as there are lanes are added up by a transposition.
//
// Keys that a row does not see: their scores become -infinity, so their weights
// are 0. But 0 times a value may be NaN. Where a row sees all keys up to its
// own end, the product with values runs over keys that all rows of the tile
// see, and what a row sees beyond (at the diagonal of a causal mask) is added
// row by row. Where anything else decides (RowScores), the product runs over
// all keys of a block whose values are finite, and row by row over what each
// row sees where they are not.
//
// Rows beyond the end are the last row again: computed, not stored. Reads go
// beyond the end of a row of q, k or v by less than a panel (AGT_CPU_SLACK);
// what they bring stays in lanes and panel rows that nobody reads.
#ifndef AGT_CODEGEN_CPU_ATTENTION_BLOCKKERNEL_H
#define AGT_CODEGEN_CPU_ATTENTION_BLOCKKERNEL_H

#include "codegen/common/Partial.h"
#include "codegen/cpu/MicroKernel.h"
#include "codegen/cpu/Target.h"
#include "codegen/cpu/attention/Launch.h"

namespace agt::cpu {

struct BlockShape {
  TileShape tile;
  int64_t maxRows; // of a workgroup
  bool packed;     // keys are packed
};

class BlockKernel {
public:
  BlockKernel(CpuBuilder &b, const kernels::attention::AttentionSpec &spec,
              const BlockShape &shape);

  int64_t scratchBytes() const { return scratchEnd; }

  void build(const Launch &launch);

private:
  using Value = mlir::Value;

  void packQueries();
  void packKeys(Index firstKey, Index keys);
  void forKeyBlocks(Index tileEnd);
  void keyBlock(Index firstKey, Index keys, Index tileEnd);
  void scores(Index row, Index keys);
  void streamScores(Index row, Index firstKey, Index keys);
  void streamProducts(Index row, Index firstKey, Index key);
  Value withoutTail(Value x, Index dim);
  void rangeTile(Index row, Index firstKey);
  void pairTile(Index row, Index firstKey, Index keys, Value finite);
  void softmax(Index row, Index inTile, Index seenKeys);
  void maskRow(Pointer scores, Index seenKeys);
  void addValues(Index row, Index firstKey, Index keys);
  void addDiagonal(Index row, Index inTile, Index firstKey, Index from,
                   Index to);
  void addSeen(Index row, Index inTile, Index firstKey, Index keys);
  void loadScales(Index firstKey, Index keys);
  Value valuesAreFinite(Index firstKey, Index keys);
  void scaleWeights(Pointer row);
  void writeRow(Index row);
  void writeFinished(Index row, Value m, Value l);
  void writePartial(Index row, Value m, Value l);
  /// Of the block of keys from `firstKey`, how many a row sees.
  Index seen(Index row, Index firstKey);
  Index globalRow(Index row);

  CpuBuilder &b;
  kernels::attention::AttentionSpec spec;
  TileShape shape;
  int64_t maxRows;
  bool packed;
  int64_t lanes;
  int64_t headStride, valueStride; // of rows of dims in scratch
  int64_t scratchEnd = 0;
  int64_t queriesAt, sumsAt, keysAt, scoresAt, maximaAt, totalsAt, factorsAt,
      endsAt, partsAt, seenAt, keyScalesAt, valueScalesAt;
  /// Whether a row sees all keys up to its end, and nothing is done to q.k but
  /// a factor.
  bool simple;
  // While building.
  Pointer queries, sums, keys, weights, maxima, totals, factors, ends, parts;
  Pointer seenPairs, keyScales, valueScales;
  const Launch *launch = nullptr;
  Index firstRow, rowCount;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_ATTENTION_BLOCKKERNEL_H
