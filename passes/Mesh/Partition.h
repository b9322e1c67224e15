//===- Partition.h - A graph as the program of one position -----*- C++ -*-===//
//
// The state of agt-convert-to-ring: for each value of the graph the part of it
// that this position holds, and sizes of wholes and parts. Ops of the graph are
// read, in order, and ops on parts are made in front of them; the old ones go
// at the end.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_PASSES_MESH_PARTITION_H
#define AGT_PASSES_MESH_PARTITION_H

#include "dialect/Ring/Ring.h"
#include "passes/Mesh/AttentionRemarks.h"
#include "passes/Mesh/ShardingRule.h"
#include "passes/Mesh/Shardings.h"

#include "mlir/IR/IRMapping.h"

namespace agt {

/// What can be chosen of the attentions of a graph: those whose keys are cut,
/// and lie as the queries do or meet whole ones, may go either way.
struct RingChoice {
  unsigned rings = 0;      // attentions
  int64_t largest = 1;     // places of the largest ring
  bool queriesCut = false; // of one at least
  std::string whyNone;     // where there are none
};

class Partition {
public:
  using Value = mlir::Value;

  /// With `explain` each attention says how it is shared (AttentionRemarks.h).
  Partition(GraphOp graph, MeshOp mesh, bool explain)
      : graph(graph), mesh(mesh), explains(explain), b(&graph.getBody()) {}

  mlir::LogicalResult run();
  /// Of a graph whose shardings are known.
  RingChoice choice();
  /// How the keys are cut that go round.
  llvm::SmallVector<DimSplit> keysOnRings();

private:
  /// The cut of each factor of an op.
  using Splits = llvm::SmallVector<DimSplit>;

  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertTensorOp(mlir::Operation *op);
  mlir::LogicalResult convertAttention(AttentionOp op, const ShardingRule &rule,
                                       const Splits &splits);
  /// Notes on the graph which inputs of an attention have elements that a run
  /// has to check (kDataChecks).
  void noteDataChecks(AttentionOp op);
  /// Whether the keys of an attention that is cut so are in parts, and meet the
  /// queries on a ring.
  static bool onRing(const ShardingRule &rule, const Splits &splits);
  /// Whether a statement says `via ulysses` of tokens that are cut so.
  bool isUlysses(const DimSplit &tokens);
  /// Cuts the heads by the axes that cut the tokens, which become whole.
  mlir::LogicalResult cutByHeads(AttentionOp op, const ShardingRule &rule,
                                 Splits &splits);
  void convertReturn(ReturnOp op);
  Splits splitsOf(mlir::Operation *op, const ShardingRule &rule);
  ShardingAttr required(Value operand, llvm::ArrayRef<int> factors,
                        const Splits &splits);
  /// The op on parts: operands by `mapping`, results and sizes those of parts.
  mlir::Operation *cloneOnParts(mlir::Operation *op, const ShardingRule &rule,
                                const Splits &splits, mlir::IRMapping &mapping);
  /// The part of `whole` that lies as `sharding` says, moved there if it lies
  /// otherwise.
  Value part(Value whole, ShardingAttr sharding);
  Value gathered(Value whole, ShardingAttr wanted);
  /// The same of a value of which this position holds `held`, which lies as
  /// `sharding` says.
  Value gathered(Value whole, Value held, ShardingAttr sharding,
                 ShardingAttr wanted);
  mlir::ArrayAttr cuts(ShardingAttr sharding);

  // Sizes.
  /// The size of a dim of a value of the graph, as a number of its arguments.
  mlir::OpFoldResult wholeSize(Value whole, int64_t dim);
  /// Of the part that `place` holds; this position's without it.
  mlir::OpFoldResult partSize(Value whole, int64_t dim, const DimSplit &split,
                              Value place = Value());
  mlir::RankedTensorType partType(Value whole, ShardingAttr sharding,
                                  llvm::SmallVectorImpl<Value> &sizes,
                                  Value placeOfCut = Value(), int64_t dim = -1);
  Value place(const DimSplit &split);
  Value index(mlir::OpFoldResult size);
  Value constant(int64_t number);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);

  /// The rows of a value that is whole everywhere that `split` gives this
  /// position along `dim`.
  Value picked(Value whole, Value held, unsigned dim, const DimSplit &split);

  // Attention (PartitionAttention.cpp).
  Value positions(Value place, mlir::OpFoldResult tokens,
                  const DimSplit &split);
  Value iota(mlir::OpFoldResult tokens);
  Value queryOffset(AttentionOp op);
  Value queryPositions(AttentionOp op, const DimSplit &split, Value lengths);
  /// What is known of a shared attention from its operands; parts of these are
  /// of the types given.
  SharedAttention shared(AttentionOp op, SharedAttention::Way way,
                         const DimSplit &split, mlir::Type query,
                         mlir::Type key, mlir::Type value, mlir::Type result);
  /// With `toKeys` all queries go to the keys (pass-Q), else keys go round.
  void ring(AttentionOp op, const ShardingRule &rule, const Splits &splits,
            bool toKeys);
  friend class RingBuilder;

  GraphOp graph;
  MeshOp mesh;
  bool explains;
  mlir::OpBuilder b;
  mlir::Location loc = b.getUnknownLoc();
  llvm::DenseMap<Value, std::pair<Value, ShardingAttr>> parts;
  llvm::DenseMap<std::pair<Value, mlir::Attribute>, Value> moved;
  llvm::DenseMap<std::pair<Value, int64_t>, mlir::OpFoldResult> sizes;
};

} // namespace agt

#endif // AGT_PASSES_MESH_PARTITION_H
