// Why a sharded attention is run as it is, and what that costs: the remarks of
// `agtc --explain`.
#ifndef AGT_PASSES_MESH_ATTENTIONREMARKS_H
#define AGT_PASSES_MESH_ATTENTIONREMARKS_H

#include "dialect/Agt/Agt.h"

#include "passes/Mesh/Shardings.h"

#include <optional>

namespace agt {

/// Tokens that an attention whose lengths are not known when it is compiled is
/// explained for.
constexpr int64_t kTokensExplained = 65536;

/// An attention that positions share, as one of them has it.
struct SharedAttention {
  enum class Way {
    PassKV,  // keys and values go round
    PassQ,   // keys stay, partial results are combined
    Ulysses, // every position has all tokens of some heads
    Apart    // every position has all keys for its queries
  };
  Way way;
  AttentionOp op;
  MeshOp mesh;
  /// What is cut: tokens of the keys; heads; tokens of the queries.
  DimSplit split;
  Cut cut;
  /// Tokens of the whole, where they are known.
  std::optional<int64_t> queryTokens, keyTokens;
  /// Parts of query, key, value and result that the position has.
  mlir::RankedTensorType query, key, value, result;
  /// Bytes of a key token that go round with it: positions, segments, masks.
  double auxOfToken = 0;
  /// What is seen does not follow from how many tokens there are: positions are
  /// data, or lengths move them.
  bool positionsAreData = false;
  /// Keys were in parts and have been gathered.
  bool keysAreGathered = false;
  /// The graph does no more with the results than return them, which parts of
  /// will do for.
  bool isReturned = false;
  /// Attentions of the graph that go either way, chosen at launch; 0 where the
  /// way is settled.
  int64_t chosen = 0;
};

/// Says on the attention's line how it is run, and in notes why and at what
/// cost.
void explain(const SharedAttention &attention);

} // namespace agt

#endif // AGT_PASSES_MESH_ATTENTIONREMARKS_H
