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
#include "passes/Passes.h"

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

SharedAttention Partition::shared(AttentionOp op, SharedAttention::Way way,
                                  const DimSplit &split, Type query, Type key,
                                  Type value, Type result) {
  SharedAttention a;
  a.way = way;
  a.op = op;
  a.mesh = mesh;
  a.split = split;
  a.cut = *cutOf(mesh, split);
  int64_t dim = tokensDim(op);
  a.queryTokens = getConstantIntValue(wholeSize(op.getQuery(), dim));
  a.keyTokens = getConstantIntValue(wholeSize(op.getKey(), dim));
  a.query = cast<RankedTensorType>(query);
  a.key = cast<RankedTensorType>(key);
  a.value = cast<RankedTensorType>(value);
  a.result = cast<RankedTensorType>(result);
  a.positionsAreData = op.getQPos() || op.getKvPos() ||
                       (op.getKvLen() && goesByPosition(op) &&
                        op.getCausal() != Causal::TopLeft);
  return a;
}

/// The number of the graph's input that a value is, statements and casts aside.
static std::optional<int64_t> inputOf(Value value) {
  while (value &&
         isa_and_present<ShardOp, tensor::CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto input = dyn_cast_if_present<BlockArgument>(value);
  return input ? std::optional<int64_t>(input.getArgNumber()) : std::nullopt;
}

void Partition::noteDataChecks(AttentionOp op) {
  SmallVector<Attribute> checks;
  if (auto known = graph->getAttrOfType<ArrayAttr>(kDataChecks))
    llvm::append_range(checks, known);
  auto note = [&](int64_t input, std::optional<int64_t> of,
                  ArrayRef<NamedAttribute> more) {
    SmallVector<NamedAttribute> check(more);
    auto number = [&](StringRef name, int64_t value) {
      check.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(value)));
    };
    number("input", input);
    if (of)
      number("of", *of);
    number("axis", tokensDim(op));
    check.push_back(b.getNamedAttr("place", LocationAttr(op.getLoc())));
    checks.push_back(b.getDictionaryAttr(check));
  };
  for (auto [attribute, of] : {std::pair(kQCuInput, op.getQuery()),
                               std::pair(kKvCuInput, op.getKey())})
    if (auto input = op->getAttrOfType<IntegerAttr>(attribute))
      note(input.getInt(), inputOf(of), {});
  auto scales = [&](Value scale, Value of, std::optional<uint64_t> block) {
    std::optional<int64_t> input = inputOf(scale), values = inputOf(of);
    if (input && values)
      note(*input, values,
           {b.getNamedAttr("block", b.getI64IntegerAttr(*block)),
            b.getNamedAttr("heads_first",
                           b.getBoolAttr(op.getLayout() == Layout::HSD))});
  };
  scales(op.getKScale(), op.getKey(), op.getKBlock());
  scales(op.getVScale(), op.getValue(), op.getVBlock());
  if (!checks.empty())
    graph->setAttr(kDataChecks, b.getArrayAttr(checks));
}

LogicalResult Partition::convertAttention(AttentionOp op,
                                          const ShardingRule &rule,
                                          const Splits &given) {
  noteDataChecks(op);
  Splits splits(given);
  DimSplit &keys = splits[rule.keys];
  const DimSplit &queries = splits[rule.queries];
  bool byHeads = isUlysses(queries) || isUlysses(keys);
  if (byHeads && failed(cutByHeads(op, rule, splits)))
    return failure();
  // Cut as the queries are, keys go round; where the queries are whole they stay,
  // and partial results move.
  if (keys.isCut() && (keys.axes == queries.axes || !queries.isCut()))
    return ring(op, rule, splits), success();
  // Keys that lie elsewhere come here whole.
  bool gathers = keys.isCut();
  keys = DimSplit();
  IRMapping mapping;
  for (auto [operand, factors] : llvm::zip(op->getOperands(), rule.operands))
    if (isa<RankedTensorType>(operand.getType()))
      mapping.map(operand, part(operand, required(operand, factors, splits)));
  auto local = cast<AttentionOp>(cloneOnParts(op, rule, splits, mapping));
  const DimSplit &split = byHeads ? splits[rule.heads] : queries;
  if (explains && split.isCut()) {
    SharedAttention said = shared(
        op,
        byHeads ? SharedAttention::Way::Ulysses : SharedAttention::Way::Apart,
        split, local.getQuery().getType(), local.getKey().getType(),
        local.getValue().getType(), local.getResult().getType());
    said.keysAreGathered = gathers;
    explain(said);
  }
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

  void run();

private:
  /// Queries are whole: keys stay, partial results are combined.
  bool stationary() const { return !queries.isCut(); }
  /// A tensor that goes round.
  struct Traveller {
    SmallVector<unsigned, 2> operands; // by number: what of the attention it is
    Value whole;                       // in the graph
    unsigned dim;                      // of tokens
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

  void prepare();
  void place(OpOperand &operand);
  void travel(OpOperand &operand, unsigned at, ring::Move move);
  bool liesAsKeys(Value operand, unsigned at);
  Value columns(const Table &table, Value owner);
  ring::ScheduleOp makeSchedule();
  Value ownerAt(int64_t step);
  Value needed(Value owner, int64_t step);
  Value sees(Value owner);
  void post(Traveller &traveller, int64_t step);
  void await(Traveller &traveller, int64_t step);
  Value attend(int64_t step);
  Value lengthMask(Value owner);
  void finish(Value partial);
  double bytesOfRow(const Traveller &traveller);
  void say(Type result);

  /// What this step has of an operand, by its number among the groups of the
  /// op: null where there is none.
  Value held(unsigned group) {
    auto [start, length] = op.getODSOperandIndexAndLength(group);
    return length ? holds[start] : Value();
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
  SmallVector<Table> tables;
  SmallVector<Value> holds; // by operand: one value may be several of them
  Value ownPlace, queryTokens, keyTokens, offset, queryAt;
  ring::PartialType type;
};

} // namespace agt

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
      p.required(operand.get(), rule.operands[number], splits);
  holds[number] = p.part(operand.get(), sharding);
  for (Traveller &other : travellers)
    if (other.whole == operand.get() && other.sharding == sharding) {
      other.operands.push_back(number);
      return;
    }
  travellers.push_back({{number}, operand.get(), at, move, sharding, {}});
}

// Keys and values go round, and positions and segments with them. What has an
// element for each pair (masks, biases) is at the place of its queries, with
// all keys; so are scales, whose blocks no cut of tokens keeps whole. What the
// keys alone have of masks and biases goes round if it lies in parts as they
// do, and is here already if it does not.
void RingBuilder::place(OpOperand &operand) {
  if (!isa<RankedTensorType>(operand.get().getType()))
    return;
  unsigned number = operand.getOperandNumber();
  const auto &factors = rule.operands[number];
  auto isOf = [&](unsigned group) {
    auto [start, length] = op.getODSOperandIndexAndLength(group);
    return number >= start && number < start + length;
  };
  bool isScale = isOf(AttentionOp::odsIndex_k_scale) ||
                 isOf(AttentionOp::odsIndex_v_scale);
  unsigned at = isScale ? factors.size() - 1
                        : llvm::find(factors, rule.keys) - factors.begin();
  bool ofKeys = at < factors.size();
  bool ofPairs =
      isOf(AttentionOp::odsIndex_masks) || isOf(AttentionOp::odsIndex_bias);
  bool ofQueries = llvm::is_contained(factors, rule.queries);
  if (ofKeys && !isScale && !stationary() &&
      !(ofPairs && (ofQueries || !liesAsKeys(operand.get(), at)))) {
    bool isKey =
        isOf(AttentionOp::odsIndex_key) || isOf(AttentionOp::odsIndex_value);
    return travel(operand, at, isKey ? ring::Move::KV : ring::Move::Aux);
  }
  Partition::Splits whole(splits);
  bool isTable = isScale || (ofKeys && !stationary());
  if (isTable)
    whole[rule.keys] = DimSplit();
  holds[number] =
      p.part(operand.get(), p.required(operand.get(), factors, whole));
  if (!isTable)
    return;
  int64_t block = !isScale                              ? 1
                  : isOf(AttentionOp::odsIndex_k_scale) ? *op.getKBlock()
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
  return p.taken(table.whole, table.dim, numbers,
                 p.partSize(op.getKey(), dim, keys, owner));
}

void RingBuilder::prepare() {
  ownPlace = p.place(keys);
  queryTokens = p.index(p.wholeSize(op.getQuery(), dim));
  keyTokens = p.index(p.wholeSize(op.getKey(), dim));
  offset = p.queryOffset(op);
  holds.resize(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands())
    place(operand);
  Value lengths = held(AttentionOp::odsIndex_kv_len);
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
      tensorType(held(AttentionOp::odsIndex_query)).getShape());
  sums.back() = tensorType(held(AttentionOp::odsIndex_value)).getShape().back();
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
    return ownPlace;
  return b.createOrFold<arith::RemUIOp>(
      loc, p.add(ownPlace, p.constant(cut.parts - step)),
      p.constant(cut.parts));
}

Value RingBuilder::needed(Value owner, int64_t step) {
  if (!view)
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return ring::NeededOp::create(b, loc, owner, b.getI64IntegerAttr(step),
                                queryTokens, keyTokens, offset, view);
}

Value RingBuilder::sees(Value owner) {
  if (view)
    return ring::SeesOp::create(b, loc, ownPlace, owner, queryTokens, keyTokens,
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
      b, loc, ring::TokenType::get(b.getContext(), arrives),
      holds[traveller.operands.front()], size, needed(ownerAt(step), step),
      needed(next, step), traveller.move, how);
}

void RingBuilder::await(Traveller &traveller, int64_t step) {
  SmallVector<Value> open;
  RankedTensorType arrives =
      p.partType(traveller.whole, traveller.sharding, open, ownerAt(step),
                 traveller.dim);
  Value arrived = ring::AwaitOp::create(b, loc, arrives, traveller.token, open);
  for (unsigned number : traveller.operands)
    holds[number] = arrived;
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
  return CompareOp::create(b, loc,
                           RankedTensorType::get(*seen, b.getI1Type()),
                           Compare::LT, numbers, lengths);
}

Value RingBuilder::attend(int64_t step) {
  using Op = AttentionOp;
  Value owner = ownerAt(step);
  for (const Table &table : tables)
    holds[table.operand] = columns(table, owner);
  auto [firstMask, masksGiven] =
      op.getODSOperandIndexAndLength(Op::odsIndex_masks);
  SmallVector<Value> masks(ArrayRef(holds).slice(firstMask, masksGiven));
  if (op.getKvLen())
    masks.push_back(lengthMask(owner));
  Value keyAt = held(Op::odsIndex_kv_pos);
  if (goesByPosition(op) && !keyAt)
    keyAt = p.positions(owner, p.wholeSize(op.getKey(), dim), keys);
  Value queryPositions = op.getQPos() ? held(Op::odsIndex_q_pos) : queryAt;
  // A step has a scale for each of its keys.
  auto blockOfOne = [&](Value scale) {
    return scale ? b.getI64IntegerAttr(1) : IntegerAttr();
  };
  return ring::AttendOp::create(
      b, loc, type, held(Op::odsIndex_query), held(Op::odsIndex_key),
      held(Op::odsIndex_value), step ? sees(owner) : Value(), op.getScale(),
      masks, held(Op::odsIndex_bias), held(Op::odsIndex_alibi), queryPositions,
      keyAt, held(Op::odsIndex_q_seg), held(Op::odsIndex_kv_seg),
      held(Op::odsIndex_k_scale), held(Op::odsIndex_v_scale), owner,
      b.getI64IntegerAttr(step), op.getCausalAttr(), op.getWindowLeftAttr(),
      op.getWindowRightAttr(), op.getPinAttr(), op.getSoftcapAttr(),
      blockOfOne(op.getKScale()), blockOfOne(op.getVScale()),
      op.getLayoutAttr());
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
      held(AttentionOp::odsIndex_sink), op.getLayoutAttr());
  for (auto [result, made, sharding] :
       llvm::zip(op->getResults(), done->getResults(), shardings))
    p.parts[result] = {made, sharding};
  if (p.explains)
    say(types[0]);
}

// Bytes of one token of a tensor that goes round, open dims counted as one.
double RingBuilder::bytesOfRow(const Traveller &traveller) {
  RankedTensorType type = tensorType(holds[traveller.operands.front()]);
  double bytes = std::max(type.getElementTypeBitWidth() / 8, 1u);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != int64_t(traveller.dim) && !type.isDynamicDim(i))
      bytes *= double(type.getDimSize(i));
  return bytes;
}

void RingBuilder::say(Type result) {
  using Op = AttentionOp;
  auto typeOf = [&](unsigned group) { return held(group).getType(); };
  SharedAttention said = p.shared(
      op,
      stationary() ? SharedAttention::Way::PassQ : SharedAttention::Way::PassKV,
      keys, typeOf(Op::odsIndex_query), typeOf(Op::odsIndex_key),
      typeOf(Op::odsIndex_value), result);
  for (const Traveller &traveller : travellers)
    if (traveller.move == ring::Move::Aux)
      said.auxOfToken += bytesOfRow(traveller);
  explain(said);
}

void RingBuilder::run() {
  prepare();
  if (stationary()) {
    auto how = ring::CutAttr::get(b.getContext(), 0, keys.axes.back(),
                                  cut.parts, cut.step, Balance::Contiguous);
    finish(ring::CombineOp::create(b, loc, attend(0), how));
    return;
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
}

void Partition::ring(AttentionOp op, const ShardingRule &rule,
                     const Splits &splits) {
  RingBuilder(*this, op, rule, splits).run();
}
