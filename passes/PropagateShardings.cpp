// agt-propagate-shardings: from what the author says to how every value lies.
//
// Cuts spread along factors (ShardingRule.h), through an op from any of its
// values to all others, forwards and backwards until nothing changes. What is
// known is never changed: the first to arrive stays, and an op whose values
// disagree has its operands moved when the graph is partitioned.
#include "passes/Mesh/ShardingRule.h"
#include "passes/Mesh/Shardings.h"
#include "passes/Passes.h"

#include "dialect/Agt/Shapes.h"

namespace agt {
#define GEN_PASS_DEF_PROPAGATESHARDINGS
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

namespace {

class Propagation {
public:
  explicit Propagation(GraphOp graph, MeshOp mesh) : graph(graph), mesh(mesh) {}

  LogicalResult run();

private:
  struct Use {
    Value value;
    ArrayRef<int> factors;
  };

  LogicalResult takeStatement(ShardOp op);
  LogicalResult spread(Operation *op);
  LogicalResult checkEven(Operation *op, const ShardingRule &rule, int factor,
                          const DimSplit &split, bool &allowed);
  void note(Value value, unsigned dim, const DimSplit &split);

  GraphOp graph;
  MeshOp mesh;
  llvm::DenseMap<Operation *, ShardingRule> rules;
  bool changed = false;
};

} // namespace

static bool sharesAxis(const DimSplit &a, const DimSplit &b) {
  return llvm::any_of(a.axes, [&](StringAttr axis) {
    return llvm::is_contained(b.axes, axis);
  });
}

// A dim that is whole becomes cut, unless the axes cut another dim.
void Propagation::note(Value value, unsigned dim, const DimSplit &split) {
  ShardingAttr known = shardingOf(value);
  for (const DimSplit &other : known.getDims())
    if (sharesAxis(other, split))
      return;
  if (known.getDims()[dim].isCut())
    return;
  setSharding(value, known.with(dim, split));
  changed = true;
}

LogicalResult Propagation::takeStatement(ShardOp op) {
  for (auto [dim, split] : llvm::enumerate(op.getSharding().getDims())) {
    if (!split.isCut())
      continue;
    if (!cutOf(mesh, split))
      return op.emitError("a dim cut over several axes takes them as mesh '")
             << mesh.getSymName() << "' orders them, one after the other";
    note(op.getResult(), dim, split);
  }
  return success();
}

// A reshape lets an uneven cut end there; attention has no other way.
LogicalResult Propagation::checkEven(Operation *op, const ShardingRule &rule,
                                     int factor, const DimSplit &split,
                                     bool &allowed) {
  int64_t parts = cutOf(mesh, split)->parts;
  allowed = !unevenDim(op, rule, factor, split, parts);
  auto attention = dyn_cast<AttentionOp>(op);
  if (allowed || !attention)
    return success();
  return checkHeads(attention, rule, split, parts);
}

LogicalResult Propagation::spread(Operation *op) {
  auto [entry, isNew] = rules.try_emplace(op);
  if (isNew)
    entry->second = shardingRule(op);
  const ShardingRule &rule = entry->second;
  SmallVector<Use> uses;
  for (auto [value, factors] : llvm::zip(op->getResults(), rule.results))
    if (!factors.empty())
      uses.push_back({value, factors});
  for (auto [value, factors] : llvm::zip(op->getOperands(), rule.operands))
    if (!factors.empty())
      uses.push_back({value, factors});
  for (size_t factor = 0; factor < rule.free.size(); ++factor) {
    if (!rule.free[factor])
      continue;
    DimSplit split;
    for (const Use &use : uses)
      for (auto [dim, own] : llvm::enumerate(use.factors))
        if (own == int(factor) && !split.isCut())
          split = shardingOf(use.value).getDims()[dim];
    if (!split.isCut())
      continue;
    bool allowed = true;
    if (rule.even[factor] &&
        failed(checkEven(op, rule, factor, split, allowed)))
      return failure();
    if (!allowed)
      continue;
    for (const Use &use : uses)
      for (auto [dim, own] : llvm::enumerate(use.factors))
        if (own == int(factor))
          note(use.value, dim, split);
  }
  return success();
}

LogicalResult Propagation::run() {
  Block &body = graph.getBody().front();
  for (ShardOp op : graph.getOps<ShardOp>())
    if (failed(takeStatement(op)))
      return failure();
  do {
    changed = false;
    for (Operation &op : body.without_terminator())
      if (failed(spread(&op)))
        return failure();
    for (Operation &op : llvm::reverse(body.without_terminator()))
      if (failed(spread(&op)))
        return failure();
  } while (changed);
  return success();
}

namespace {

struct PropagateShardingsPass
    : agt::impl::PropagateShardingsBase<PropagateShardingsPass> {
  void runOnOperation() override {
    GraphOp graph = getOperation();
    if (MeshOp mesh = meshOf(graph))
      if (failed(Propagation(graph, mesh).run()))
        signalPassFailure();
  }
};

} // namespace
