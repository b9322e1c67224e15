// What an attention on a ring is given, and where it lies: what goes round with
// the keys, what is here for all of them, and what each step has of that.
#include "passes/Mesh/RingBuilder.h"

#include "passes/Reshape.h"

#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

// Whether a value of the graph is in parts as the keys are.
bool RingBuilder::liesAsKeys(Value operand, unsigned at) {
  while (auto shard = operand.getDefiningOp<ShardOp>())
    operand = shard.getOperand();
  return !isa<BlockArgument>(operand) &&
         p.parts.lookup(operand).second.getDims()[at] == keys;
}

void RingBuilder::travel(OpOperand &operand, unsigned at, ring::Move move) {
  unsigned number = operand.getOperandNumber();
  ShardingAttr sharding =
      p.required(operand.get(), rule.operands[number], meeting);
  holds[number] = p.part(operand.get(), sharding);
  for (Traveller &other : travellers)
    if (other.whole == operand.get() && other.sharding == sharding) {
      other.operands.push_back(number);
      return;
    }
  travellers.push_back({{number}, operand.get(), at, move, sharding, {}});
}

// Queries that are cut move to the keys, whoever computed them: arguments are
// no exception, since the author has said where they lie.
Value RingBuilder::gatheredQueries() {
  Value query = op.getQuery();
  const auto &factors = rule.operands[0];
  ShardingAttr own = p.required(query, factors, splits);
  ShardingAttr all = p.required(query, factors, meeting);
  return p.gathered(query, p.part(query, own), own, all);
}

bool RingBuilder::isOf(OpOperand &operand,
                       std::initializer_list<unsigned> groups) {
  unsigned number = operand.getOperandNumber();
  return llvm::any_of(groups, [&](unsigned group) {
    auto [start, length] = op.getODSOperandIndexAndLength(group);
    return number >= start && number < start + length;
  });
}

// Keys and values go round, and positions and segments with them. What has an
// element for each pair (masks, biases) is at the place of its queries, with
// all keys; so are scales, whose blocks no cut of tokens keeps whole. What the
// keys alone have of masks and biases goes round if it lies in parts as they
// do, and is here already if it does not.
std::optional<unsigned> RingBuilder::dimThatTravels(OpOperand &operand) {
  using Op = AttentionOp;
  const auto &factors = rule.operands[operand.getOperandNumber()];
  unsigned at = llvm::find(factors, rule.keys) - factors.begin();
  if (at == factors.size() ||
      isOf(operand, {Op::odsIndex_k_scale, Op::odsIndex_v_scale}))
    return std::nullopt;
  bool ofPairs = isOf(operand, {Op::odsIndex_masks, Op::odsIndex_bias});
  if (ofPairs && (llvm::is_contained(factors, rule.queries) ||
                  !liesAsKeys(operand.get(), at)))
    return std::nullopt;
  return at;
}

void RingBuilder::place(OpOperand &operand) {
  using Op = AttentionOp;
  if (!isa<RankedTensorType>(operand.get().getType()))
    return;
  unsigned number = operand.getOperandNumber();
  const auto &factors = rule.operands[number];
  bool isScale = isOf(operand, {Op::odsIndex_k_scale, Op::odsIndex_v_scale});
  unsigned at = isScale ? factors.size() - 1
                        : llvm::find(factors, rule.keys) - factors.begin();
  bool ofKeys = at < factors.size();
  if (toKeys && rows.isCut() && isOf(operand, {Op::odsIndex_query})) {
    holds[number] = gatheredQueries();
    return;
  }
  if (std::optional<unsigned> travels = dimThatTravels(operand);
      travels && !toKeys) {
    bool isKey = isOf(operand, {Op::odsIndex_key, Op::odsIndex_value});
    return travel(operand, *travels, isKey ? ring::Move::KV : ring::Move::Aux);
  }
  Partition::Splits whole(meeting);
  bool isTable = isScale || (ofKeys && !toKeys);
  if (isTable)
    whole[rule.keys] = DimSplit();
  holds[number] =
      p.part(operand.get(), p.required(operand.get(), factors, whole));
  if (!isTable)
    return;
  int64_t block = !isScale                                ? 1
                  : isOf(operand, {Op::odsIndex_k_scale}) ? *op.getKBlock()
                                                          : *op.getVBlock();
  tables.push_back({number, at, block, holds[number]});
}

// The elements of a table for the keys of the shard of `owner`.
Value RingBuilder::columns(const Table &table, Value owner) {
  OpFoldResult tokens = p.wholeSize(op.getKey(), dim);
  Value numbers = p.positions(owner, tokens, keys);
  if (table.block > 1) {
    Value block =
        ScalarOp::create(b, loc, RankedTensorType::get({}, b.getI32Type()),
                         p.constant(std::min<int64_t>(table.block, INT32_MAX)));
    numbers = DivOp::create(b, loc, numbers, block);
  }
  return takeRows(b, loc, table.whole, table.dim, numbers,
                  p.partSize(op.getKey(), dim, keys, owner));
}

// Keys at or past their sequence's length are not seen: [batch..., 1, 1, keys].
Value RingBuilder::lengthMask(Value owner) {
  Value lengths = held(AttentionOp::odsIndex_kv_len);
  Value numbers = p.positions(owner, p.wholeSize(op.getKey(), dim), keys);
  RankedTensorType given = tensorType(lengths);
  int64_t batchRank = tensorType(op.getQuery()).getRank() - 3;
  SmallVector<int64_t> shape;
  if (given.getRank() && batchRank) {
    shape.assign(given.getShape().begin(), given.getShape().end());
    shape.append(3, 1);
    SmallVector<Value> open;
    for (int64_t i = 0; i < given.getRank(); ++i)
      if (given.isDynamicDim(i))
        open.push_back(p.index(dimOf(b, loc, lengths, i)));
    lengths = ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, b.getI32Type()), lengths, open);
  }
  auto seen = broadcastShapes(tensorType(numbers).getShape(),
                              tensorType(lengths).getShape());
  return CompareOp::create(b, loc, RankedTensorType::get(*seen, b.getI1Type()),
                           Compare::LT, numbers, lengths);
}

// Bytes of one token of what goes round with the keys, or would if they did,
// open dims counted as one.
double RingBuilder::bytesBesideKeys() {
  using Op = AttentionOp;
  double bytes = 0;
  llvm::SmallDenseSet<Value> counted;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        isOf(operand, {Op::odsIndex_key, Op::odsIndex_value}))
      continue;
    std::optional<unsigned> dim = dimThatTravels(operand);
    if (!dim || !counted.insert(operand.get()).second)
      continue;
    RankedTensorType type = tensorType(holds[operand.getOperandNumber()]);
    double row = std::max(type.getElementTypeBitWidth() / 8, 1u);
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (i != int64_t(*dim) && !type.isDynamicDim(i))
        row *= double(type.getDimSize(i));
    bytes += row;
  }
  return bytes;
}
