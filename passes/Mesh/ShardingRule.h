//===- ShardingRule.h - Which dims of an op belong together -----*- C++ -*-===//
//
// An op as loops over factors: dims of operands and results that are walked by
// one loop have one factor. A factor that is `free` may be cut over positions,
// each of which then computes its part of the loop from parts of the operands;
// one that is not must be whole. The keys of an attention are a factor of their
// own: cut, they go round a ring.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_PASSES_MESH_SHARDINGRULE_H
#define AGT_PASSES_MESH_SHARDINGRULE_H

#include "dialect/Agt/Agt.h"

namespace agt {

struct ShardingRule {
  static constexpr int kNone =
      -1; // a dim that is stretched, or has one element

  /// By factor: whether it may be cut.
  llvm::SmallVector<bool> free;
  /// By factor: its loop runs over heads, and only even parts will do.
  llvm::SmallVector<bool> even;
  /// Of an attention: the factors of queries, keys and heads.
  int queries = kNone, keys = kNone, heads = kNone;
  /// By operand (result): the factor of each dim; empty for numbers.
  llvm::SmallVector<llvm::SmallVector<int>> operands, results;

  int add(bool isFree, bool isEven = false) {
    free.push_back(isFree);
    even.push_back(isEven);
    return free.size() - 1;
  }
};

/// The size of a dim of an `even` factor that cannot be cut so: parts must be
/// of equal size and follow each other, so that what belongs together (a query
/// head and its kv head, a head and its elements) is in one part. Nothing where
/// all can.
std::optional<int64_t> unevenDim(mlir::Operation *op, const ShardingRule &rule,
                                 int factor, const DimSplit &split,
                                 int64_t parts);

/// Says so on the attention where its heads cannot be shared like that.
mlir::LogicalResult checkHeads(AttentionOp op, const ShardingRule &rule,
                               const DimSplit &split, int64_t parts);

/// The rule of an op; where nothing is known of it every dim must be whole.
ShardingRule shardingRule(mlir::Operation *op);

} // namespace agt

#endif // AGT_PASSES_MESH_SHARDINGRULE_H
