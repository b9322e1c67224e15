// agt-cut-at-leaves: see Passes.td.
#include "passes/Mesh/Partition.h"
#include "passes/Passes.h"

namespace agt {
#define GEN_PASS_DEF_CUTATLEAVES
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

namespace {

/// Cuts by the axes of some keys, between leaves.
class Cutter {
public:
  explicit Cutter(ArrayRef<DimSplit> keys) : keys(keys) {}

  /// Whether tokens that were dealt out one by one no longer are.
  bool wasStriped() const { return striped; }

  ShardingAttr cut(ShardingAttr sharding) {
    for (auto [dim, split] : llvm::enumerate(sharding.getDims())) {
      if (!isOfKeys(split) || ofLeaves(split.balance))
        continue;
      striped |= split.balance == Balance::Striped;
      DimSplit whole = split;
      whole.balance = split.balance == Balance::Contiguous
                          ? Balance::Leaves
                          : Balance::ZigzagLeaves;
      sharding = sharding.with(dim, whole);
    }
    return sharding;
  }

private:
  bool isOfKeys(const DimSplit &split) const {
    return split.isCut() && llvm::any_of(keys, [&](const DimSplit &key) {
             return key.axes == split.axes;
           });
  }

  ArrayRef<DimSplit> keys;
  bool striped = false;
};

struct CutAtLeavesPass : agt::impl::CutAtLeavesBase<CutAtLeavesPass> {
  void runOnOperation() override;
};

} // namespace

void CutAtLeavesPass::runOnOperation() {
  GraphOp graph = getOperation();
  MeshOp mesh = meshOf(graph);
  if (!mesh)
    return;
  SmallVector<DimSplit> keys =
      Partition(graph, mesh, /*explain=*/false).keysOnRings();
  Cutter cutter(keys);
  for (Value argument : graph.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      setSharding(argument, cutter.cut(shardingOf(argument)));
  for (Operation &op : graph.getBody().front()) {
    if (auto shard = dyn_cast<ShardOp>(op))
      shard.setShardingAttr(cutter.cut(shard.getSharding()));
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()))
        setSharding(result, cutter.cut(shardingOf(result)));
  }
  if (cutter.wasStriped())
    graph.emitRemark("striped tokens are dealt out as zigzag: with "
                     "--reproducible parts are whole blocks of ")
        << kLeafKeys << " tokens";
}
