// The steps of one attention on a ring, as every place records them.
//
// Keys and values go round: sends are posted before the step that hides them
// and awaited after it; a place that has no use for a shard, and none behind
// it, neither receives it nor sends it on: both sides work that out from the
// same question (ring.needed), so that they agree. Or queries go to the keys:
// each place attends all of them to its own keys, and partial results go back.
#ifndef AGT_PASSES_MESH_RINGBUILDER_H
#define AGT_PASSES_MESH_RINGBUILDER_H

#include "passes/Mesh/Partition.h"

namespace agt {

/// Whether an attention asks where queries and keys stand.
bool goesByPosition(AttentionOp op);
/// The dim of tokens of queries, keys and values.
int64_t tokensDim(AttentionOp op);

/// Makes the steps of one attention.
class RingBuilder {
public:
  using Value = mlir::Value;

  RingBuilder(Partition &p, AttentionOp op, const ShardingRule &rule,
              const Partition::Splits &splits, bool toKeys)
      : p(p), b(p.b), loc(p.loc), op(op), rule(rule), splits(splits),
        meeting(splits), toKeys(toKeys), rows(splits[rule.queries]),
        keys(splits[rule.keys]), cut(*cutOf(p.mesh, keys)), dim(tokensDim(op)) {
    if (toKeys)
      meeting[rule.queries] = DimSplit();
    queries = meeting[rule.queries];
  }

  void run();

private:
  /// A tensor that goes round.
  struct Traveller {
    // By number: what of the attention it is.
    llvm::SmallVector<unsigned, 2> operands;
    Value whole;  // in the graph
    unsigned dim; // of tokens
    ring::Move move;
    ShardingAttr sharding;
    Value token;
  };
  /// A tensor that is here for all keys: each step takes those of its shard.
  struct Table {
    unsigned operand;
    unsigned dim;  // of tokens, or of blocks of them
    int64_t block; // tokens that have one element
    Value whole;
  };

  // What is given, and where it lies (RingOperands.cpp).
  void place(mlir::OpOperand &operand);
  /// Whether an operand is in one of the groups of the op.
  bool isOf(mlir::OpOperand &operand, std::initializer_list<unsigned> groups);
  Value gatheredQueries();
  /// The dim along which an operand goes round where keys do; nothing where it
  /// stays.
  std::optional<unsigned> dimThatTravels(mlir::OpOperand &operand);
  void travel(mlir::OpOperand &operand, unsigned at, ring::Move move);
  bool liesAsKeys(Value operand, unsigned at);
  Value columns(const Table &table, Value owner);
  Value lengthMask(Value owner);
  double bytesBesideKeys();

  void prepare();
  ring::ScheduleOp makeSchedule();
  /// The place so much further on.
  Value placeFurther(int64_t distance);
  Value ownerAt(int64_t step);
  Value needed(Value owner, int64_t step);
  Value sees(Value queryPlace, Value keyPlace);
  void post(Traveller &traveller, int64_t step);
  void await(Traveller &traveller, int64_t step);
  Value attend(int64_t step);
  Value goRound();
  Value goToKeys();
  void finish(Value partial);
  void say(mlir::Type result);

  /// What this step has of an operand, by its number among the groups of the
  /// op: null where there is none.
  Value held(unsigned group) {
    auto [start, length] = op.getODSOperandIndexAndLength(group);
    return length ? holds[start] : Value();
  }

  Partition &p;
  mlir::OpBuilder &b;
  mlir::Location loc;
  AttentionOp op;
  const ShardingRule &rule;
  const Partition::Splits &splits;
  Partition::Splits meeting; // where queries and keys meet
  bool toKeys;               // keys stay, and all queries go to them
  DimSplit rows;             // of the queries, as the graph has them
  DimSplit queries, keys;    // where they meet
  Cut cut;
  int64_t dim;
  ring::ViewAttr view; // null where positions do not say what is seen
  llvm::SmallVector<Traveller> travellers;
  llvm::SmallVector<Table> tables;
  llvm::SmallVector<Value>
      holds; // by operand: one value may be several of them
  Value ownPlace, queryTokens, keyTokens, offset, queryAt;
  Value leaves; // what all steps add to; null where partial results merge
  ring::PartialType type;
};

} // namespace agt

#endif // AGT_PASSES_MESH_RINGBUILDER_H
