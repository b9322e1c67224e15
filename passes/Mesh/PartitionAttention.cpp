// Attention on a mesh. Where the keys are whole, each position attends its
// queries to them; where they are cut as the queries are, they go round a ring:
// attention.md section 2, and RingDialect.td for the terms.
//
// Every place records the same steps. Sends are posted before the step that
// hides them and awaited after it; a place that has no use for a shard, and
// none behind it, neither receives it nor sends it on: both sides work that out
// from the same question (ring.needed), so that they agree.
#include "passes/Analysis/RingSchedule.h"
#include "passes/Mesh/Partition.h"

#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

static bool goesByPosition(AttentionOp op) {
  return op.getCausal() != Causal::None || op.getWindowLeft() ||
         op.getWindowRight() || op.getAlibi();
}

static int64_t tokensDim(AttentionOp op) {
  int64_t rank = tensorType(op.getQuery()).getRank();
  return rank - (op.getLayout() == Layout::HSD ? 2 : 3);
}

Value Partition::positions(Value placeOf, OpFoldResult tokens,
                           const DimSplit &split) {
  int64_t parts = cutOf(mesh, split)->parts;
  int64_t pieces = split.balance == Balance::Zigzag ? 2 * parts : parts;
  std::optional<int64_t> known = getConstantIntValue(tokens);
  SmallVector<Value> open;
  int64_t size = ShapedType::kDynamic;
  auto balance = BalanceAttr::get(b.getContext(), split.balance);
  if (known && *known % pieces == 0)
    size = *known / parts;
  else
    open.push_back(ring::ExtentOp::create(b, loc, placeOf, index(tokens),
                                          b.getI64IntegerAttr(parts), balance));
  return ring::PositionsOp::create(
      b, loc, RankedTensorType::get(size, b.getI32Type()), placeOf,
      index(tokens), open, b.getI64IntegerAttr(parts), balance);
}

// 0, 1, ... of tokens that are whole.
Value Partition::iota(OpFoldResult tokens) {
  std::optional<int64_t> known = getConstantIntValue(tokens);
  auto type = RankedTensorType::get({known.value_or(ShapedType::kDynamic)},
                                    b.getI32Type());
  return IotaOp::create(b, loc, type, index(tokens));
}

// What is added to the number of a query for its position.
Value Partition::queryOffset(AttentionOp op) {
  if (op.getCausal() == Causal::TopLeft)
    return constant(0);
  int64_t dim = tokensDim(op);
  return sub(index(wholeSize(op.getKey(), dim)),
             index(wholeSize(op.getQuery(), dim)));
}

// Positions of this place's queries; with `lengths`, by sequence of the batch.
Value Partition::queryPositions(AttentionOp op, const DimSplit &split,
                                Value lengths) {
  int64_t dim = tokensDim(op);
  OpFoldResult tokens = wholeSize(op.getQuery(), dim);
  Value numbers = split.isCut()
                      ? positions(place(split), tokens, split)
                      : iota(tokens);
  bool ofLengths = lengths && op.getCausal() != Causal::TopLeft;
  Value offset =
      ofLengths ? sub(constant(0), index(tokens)) : queryOffset(op);
  Type i32 = b.getI32Type();
  Value shift = ScalarOp::create(b, loc, RankedTensorType::get({}, i32), offset);
  Value at = AddOp::create(b, loc, numbers, shift);
  if (!ofLengths)
    return at;
  RankedTensorType type = tensorType(lengths);
  int64_t batchRank = tensorType(op.getQuery()).getRank() - 3;
  if (type.getRank() && batchRank) {
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(1);
    SmallVector<Value> open;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        open.push_back(index(dimOf(b, loc, lengths, i)));
    lengths = ReshapeOp::create(b, loc, RankedTensorType::get(shape, i32),
                                lengths, open);
  }
  return AddOp::create(b, loc, at, lengths);
}

bool Partition::isUlysses(const DimSplit &tokens) {
  if (!tokens.isCut())
    return false;
  return llvm::any_of(graph.getOps<ShardOp>(), [&](ShardOp op) {
    return op.getVia() == Via::Ulysses &&
           llvm::any_of(op.getSharding().getDims(), [&](const DimSplit &split) {
             return split.axes == tokens.axes;
           });
  });
}

LogicalResult Partition::cutByHeads(AttentionOp op, const ShardingRule &rule,
                                    Splits &splits) {
  DimSplit &queries = splits[rule.queries], &keys = splits[rule.keys];
  DimSplit tokens = isUlysses(queries) ? queries : keys, heads;
  for (Attribute axis : mesh.getAxes()) {
    auto name = cast<StringAttr>(axis);
    if (llvm::is_contained(tokens.axes, name) ||
        llvm::is_contained(splits[rule.heads].axes, name))
      heads.axes.push_back(name);
  }
  std::optional<Cut> cut = cutOf(mesh, heads);
  if (!cut)
    return op.emitError("heads are shared over axes that mesh '")
           << mesh.getSymName()
           << "' has one after the other, and these are not";
  splits[rule.heads] = heads;
  queries = keys = DimSplit();
  return checkHeads(op, rule, heads, cut->parts);
}

LogicalResult Partition::convertAttention(AttentionOp op,
                                          const ShardingRule &rule,
                                          const Splits &given) {
  Splits splits(given);
  DimSplit &keys = splits[rule.keys];
  const DimSplit &queries = splits[rule.queries];
  if ((isUlysses(queries) || isUlysses(keys)) &&
      failed(cutByHeads(op, rule, splits)))
    return failure();
  // Cut as the queries are, keys go round; where the queries are whole they stay,
  // and partial results move.
  if (keys.isCut() && (keys.axes == queries.axes || !queries.isCut()))
    return ring(op, rule, splits);
  // Keys that lie elsewhere come here whole.
  keys = DimSplit();
  IRMapping mapping;
  for (auto [operand, factors] : llvm::zip(op->getOperands(), rule.operands))
    if (isa<RankedTensorType>(operand.getType()))
      mapping.map(operand, part(operand, required(operand, factors, splits)));
  auto local = cast<AttentionOp>(cloneOnParts(op, rule, splits, mapping));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(local);
  if (queries.isCut() && goesByPosition(op) && !op.getQPos())
    local.getQPosMutable().assign(
        queryPositions(op, queries, local.getKvLen()));
  return success();
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

namespace agt {

/// Makes the steps of one attention.
class RingBuilder {
public:
  RingBuilder(Partition &p, AttentionOp op, const ShardingRule &rule,
              const Partition::Splits &splits)
      : p(p), b(p.b), loc(p.loc), op(op), rule(rule), splits(splits),
        queries(splits[rule.queries]), keys(splits[rule.keys]),
        cut(*cutOf(p.mesh, keys)), dim(tokensDim(op)) {}

  LogicalResult run();

private:
  /// Queries are whole: keys stay, partial results are combined.
  bool stationary() const { return !queries.isCut(); }
  /// A tensor that goes round.
  struct Traveller {
    Value whole; // in the graph
    unsigned dim; // of tokens
    ring::Move move;
    ShardingAttr sharding;
    Value held, token;
  };

  LogicalResult checkOperands();
  void prepare();
  ring::ScheduleOp makeSchedule();
  Value ownerAt(int64_t step);
  Value needed(Value owner, int64_t step);
  Value sees(Value owner);
  void post(Traveller &traveller, int64_t step);
  void await(Traveller &traveller, int64_t step);
  Value attend(int64_t step);
  Value lengthMask(Value owner);
  void finish(Value partial);

  Value held(Value operand) {
    for (Traveller &traveller : travellers)
      if (traveller.whole == operand)
        return traveller.held;
    return operand ? here.lookup(operand) : Value();
  }

  Partition &p;
  OpBuilder &b;
  Location loc;
  AttentionOp op;
  const ShardingRule &rule;
  const Partition::Splits &splits;
  DimSplit queries, keys;
  Cut cut;
  int64_t dim;
  ring::ViewAttr view; // null where positions do not say what is seen
  SmallVector<Traveller> travellers;
  llvm::DenseMap<Value, Value> here; // parts of what stays
  Value place, queryTokens, keyTokens, offset, queryAt;
  ring::PartialType type;
};

} // namespace agt

LogicalResult RingBuilder::checkOperands() {
  for (MutableOperandRange range : {op.getMasksMutable(), op.getBiasMutable()})
    for (OpOperand &operand : range)
      if (llvm::is_contained(rule.operands[operand.getOperandNumber()],
                             rule.keys))
        return op.emitError("a mask or bias over keys that go round a ring "
                            "cannot be compiled yet");
  return success();
}

void RingBuilder::prepare() {
  place = p.place(keys);
  queryTokens = p.index(p.wholeSize(op.getQuery(), dim));
  keyTokens = p.index(p.wholeSize(op.getKey(), dim));
  offset = p.queryOffset(op);
  auto travel = [&](Value operand, unsigned number, ring::Move move) {
    if (!operand)
      return;
    const auto &factors = rule.operands[number];
    unsigned at = llvm::find(factors, rule.keys) - factors.begin();
    if (at == factors.size())
      return; // the same for all keys
    ShardingAttr sharding = p.required(operand, factors, splits);
    travellers.push_back(
        {operand, at, move, sharding, p.part(operand, sharding), {}});
  };
  travel(op.getKey(), 1, ring::Move::KV);
  if (op.getValue() != op.getKey())
    travel(op.getValue(), 2, ring::Move::KV);
  auto also = [&](MutableOperandRange range) {
    for (OpOperand &operand : range)
      travel(operand.get(), operand.getOperandNumber(), ring::Move::Aux);
  };
  also(op.getKvPosMutable());
  also(op.getKvSegMutable());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    const auto &factors = rule.operands[operand.getOperandNumber()];
    if (!llvm::is_contained(factors, rule.keys))
      here[operand.get()] = p.part(
          operand.get(), p.required(operand.get(), factors, splits));
  }
  Value lengths = op.getKvLen() ? here.lookup(op.getKvLen()) : Value();
  if (goesByPosition(op) && !op.getQPos())
    queryAt = p.queryPositions(op, queries, lengths);
  // Lengths move the queries, sequence by sequence.
  bool known = !op.getQPos() && !op.getKvPos() &&
               (!lengths || op.getCausal() == Causal::TopLeft ||
                !goesByPosition(op));
  bool windowed = op.getWindowLeft() || op.getWindowRight();
  if (known)
    view = ring::ViewAttr::get(
        b.getContext(), cut.parts, queries.balance, keys.balance,
        op.getCausal() != Causal::None,
        op.getWindowLeft() ? int64_t(*op.getWindowLeft()) : -1,
        op.getWindowRight() ? int64_t(*op.getWindowRight()) : -1,
        windowed ? int64_t(op.getPin()) : 0);
  SmallVector<int64_t> sums(
      tensorType(here.lookup(op.getQuery())).getShape());
  sums.back() = tensorType(held(op.getValue())).getShape().back();
  type = ring::PartialType::get(
      b.getContext(), RankedTensorType::get(sums, b.getF32Type()), 2);
}

ring::ScheduleOp RingBuilder::makeSchedule() {
  analysis::Ring shape;
  shape.places = cut.parts;
  SmallVector<Attribute> meets;
  for (int64_t row = 0; row < cut.parts; ++row) {
    SmallVector<int64_t> owners;
    for (int64_t step = 0; step < cut.parts; ++step)
      owners.push_back(shape.owner(row, step));
    meets.push_back(b.getDenseI64ArrayAttr(owners));
  }
  auto schedule = ring::ScheduleOp::create(
      b, loc, TypeRange{type}, b.getStringAttr("pass_kv"),
      b.getArrayAttr(meets));
  schedule.getBody().emplaceBlock();
  return schedule;
}

Value RingBuilder::ownerAt(int64_t step) {
  if (step == 0)
    return place;
  return b.createOrFold<arith::RemUIOp>(
      loc, p.add(place, p.constant(cut.parts - step)), p.constant(cut.parts));
}

Value RingBuilder::needed(Value owner, int64_t step) {
  if (!view)
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return ring::NeededOp::create(b, loc, owner, b.getI64IntegerAttr(step),
                                queryTokens, keyTokens, offset, view);
}

Value RingBuilder::sees(Value owner) {
  if (view)
    return ring::SeesOp::create(b, loc, place, owner, queryTokens, keyTokens,
                                offset, view);
  Value tokens =
      p.index(p.partSize(op.getKey(), dim, keys, owner));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, tokens,
                               p.constant(0));
}

void RingBuilder::post(Traveller &traveller, int64_t step) {
  Value next = ownerAt(step + 1);
  SmallVector<Value> open;
  RankedTensorType arrives = p.partType(traveller.whole, traveller.sharding,
                                        open, next, traveller.dim);
  Value size = p.index(
      p.partSize(traveller.whole, traveller.dim, keys, next));
  auto how = ring::CutAttr::get(b.getContext(), traveller.dim, keys.axes.back(),
                                cut.parts, cut.step, keys.balance);
  traveller.token = ring::ShiftOp::create(
      b, loc, ring::TokenType::get(b.getContext(), arrives), traveller.held,
      size, needed(ownerAt(step), step), needed(next, step), traveller.move,
      how);
}

void RingBuilder::await(Traveller &traveller, int64_t step) {
  SmallVector<Value> open;
  RankedTensorType arrives =
      p.partType(traveller.whole, traveller.sharding, open, ownerAt(step),
                 traveller.dim);
  traveller.held =
      ring::AwaitOp::create(b, loc, arrives, traveller.token, open);
}

// Keys at or past their sequence's length are not seen: [batch..., 1, 1, keys].
Value RingBuilder::lengthMask(Value owner) {
  Value lengths = here.lookup(op.getKvLen());
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
  return CompareOp::create(b, loc,
                           RankedTensorType::get(*seen, b.getI1Type()),
                           Compare::LT, numbers, lengths);
}

Value RingBuilder::attend(int64_t step) {
  Value owner = ownerAt(step);
  SmallVector<Value> masks;
  for (Value mask : op.getMasks())
    masks.push_back(held(mask));
  if (op.getKvLen())
    masks.push_back(lengthMask(owner));
  Value keyAt = held(op.getKvPos());
  if (goesByPosition(op) && !keyAt)
    keyAt = p.positions(owner, p.wholeSize(op.getKey(), dim), keys);
  Value queryPositions = op.getQPos() ? held(op.getQPos()) : queryAt;
  return ring::AttendOp::create(
      b, loc, type, held(op.getQuery()), held(op.getKey()),
      held(op.getValue()), step ? sees(owner) : Value(), op.getScale(), masks,
      held(op.getBias()), held(op.getAlibi()), queryPositions, keyAt,
      held(op.getQSeg()), held(op.getKvSeg()), /*k_scale=*/Value(),
      /*v_scale=*/Value(), owner, b.getI64IntegerAttr(step),
      op.getCausalAttr(), op.getWindowLeftAttr(), op.getWindowRightAttr(),
      op.getPinAttr(), op.getSoftcapAttr(), op.getKBlockAttr(),
      op.getVBlockAttr(), op.getLayoutAttr());
}

void RingBuilder::finish(Value partial) {
  SmallVector<Type> types;
  SmallVector<ShardingAttr> shardings;
  SmallVector<Value> open;
  for (auto [result, factors] : llvm::zip(op->getResults(), rule.results)) {
    shardings.push_back(p.required(result, factors, splits));
    types.push_back(p.partType(result, shardings.back(), open));
  }
  auto done = ring::FinalizeOp::create(
      b, loc, types[0], types.size() > 1 ? types[1] : Type(), partial,
      held(op.getSink()), op.getLayoutAttr());
  for (auto [result, made, sharding] :
       llvm::zip(op->getResults(), done->getResults(), shardings))
    p.parts[result] = {made, sharding};
}

LogicalResult RingBuilder::run() {
  if (failed(checkOperands()))
    return failure();
  prepare();
  if (stationary()) {
    auto how = ring::CutAttr::get(b.getContext(), 0, keys.axes.back(),
                                  cut.parts, cut.step, Balance::Contiguous);
    finish(ring::CombineOp::create(b, loc, attend(0), how));
    return success();
  }
  ring::ScheduleOp schedule = makeSchedule();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&schedule.getBody().front());
    Value partial;
    for (int64_t step = 0; step < cut.parts; ++step) {
      bool last = step + 1 == cut.parts;
      if (!last)
        for (Traveller &traveller : travellers)
          post(traveller, step);
      Value now = attend(step);
      Value sees = now.getDefiningOp<ring::AttendOp>().getSees();
      partial = partial ? ring::MergeOp::create(b, loc, partial, now, sees)
                              .getResult()
                        : now;
      if (!last)
        for (Traveller &traveller : travellers)
          await(traveller, step + 1);
    }
    ring::YieldOp::create(b, loc, partial);
  }
  finish(schedule.getResult(0));
  return success();
}

LogicalResult Partition::ring(AttentionOp op, const ShardingRule &rule,
                              const Splits &splits) {
  return RingBuilder(*this, op, rule, splits).run();
}
