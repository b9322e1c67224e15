// Attention on a mesh. Where the keys are whole, each position attends its
// queries to them; where they are cut, and the queries are so too or are whole,
// they meet on a ring (RingBuilder.h).
#include "passes/Mesh/RingBuilder.h"
#include "passes/Passes.h"

#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

bool agt::goesByPosition(AttentionOp op) {
  return op.getCausal() != Causal::None || op.getWindowLeft() ||
         op.getWindowRight() || op.getAlibi();
}

int64_t agt::tokensDim(AttentionOp op) {
  int64_t rank = tensorType(op.getQuery()).getRank();
  return rank - (op.getLayout() == Layout::HSD ? 2 : 3);
}

Value Partition::positions(Value placeOf, OpFoldResult tokens,
                           const DimSplit &split) {
  int64_t parts = cutOf(mesh, split)->parts;
  std::optional<int64_t> known = getConstantIntValue(tokens);
  SmallVector<Value> open;
  int64_t size = ShapedType::kDynamic;
  auto balance = BalanceAttr::get(b.getContext(), split.balance);
  if (known && cutsEvenly(*known, parts, split.balance))
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
  Value numbers =
      split.isCut() ? positions(place(split), tokens, split) : iota(tokens);
  bool ofLengths = lengths && op.getCausal() != Causal::TopLeft;
  Value offset = ofLengths ? sub(constant(0), index(tokens)) : queryOffset(op);
  Type i32 = b.getI32Type();
  Value shift =
      ScalarOp::create(b, loc, RankedTensorType::get({}, i32), offset);
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

bool Partition::onRing(const ShardingRule &rule, const Splits &splits) {
  const DimSplit &queries = splits[rule.queries], &keys = splits[rule.keys];
  if (!keys.isCut() || (queries.isCut() && keys.axes != queries.axes))
    return false;
  // Places that have other entries of the batch, or other heads, than this one
  // cannot share the keys of these.
  for (auto [factor, split] : llvm::enumerate(splits))
    if (int(factor) != rule.queries && int(factor) != rule.keys &&
        llvm::any_of(split.axes, [&](StringAttr axis) {
          return llvm::is_contained(keys.axes, axis);
        }))
      return false;
  return true;
}

RingChoice Partition::choice() {
  RingChoice choice;
  choice.whyNone = "it has no attention";
  for (AttentionOp op : graph.getOps<AttentionOp>()) {
    ShardingRule rule = shardingRule(op);
    Splits splits = splitsOf(op, rule);
    const DimSplit &queries = splits[rule.queries], &keys = splits[rule.keys];
    if (isUlysses(queries) || isUlysses(keys)) {
      choice.whyNone = "its positions share the heads of its attention";
    } else if (onRing(rule, splits) && ofLeaves(keys.balance)) {
      choice.whyNone = "its keys go round in any case (--reproducible)";
    } else if (onRing(rule, splits)) {
      ++choice.rings;
      choice.largest = std::max(choice.largest, cutOf(mesh, keys)->parts);
      choice.queriesCut |= queries.isCut();
    } else {
      choice.whyNone = "every position has all keys of its attention";
    }
  }
  return choice;
}

SmallVector<DimSplit> Partition::keysOnRings() {
  SmallVector<DimSplit> cuts;
  for (AttentionOp op : graph.getOps<AttentionOp>()) {
    ShardingRule rule = shardingRule(op);
    Splits splits = splitsOf(op, rule);
    const DimSplit &queries = splits[rule.queries], &keys = splits[rule.keys];
    if (!isUlysses(queries) && !isUlysses(keys) && onRing(rule, splits))
      cuts.push_back(keys);
  }
  return cuts;
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
  // The graph that this one goes with says what is wrong.
  if (graph->hasAttr(kPolicyOf) &&
      (!cut || unevenDim(op, rule, rule.heads, heads, cut->parts)))
    return failure();
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
  a.isReturned = llvm::all_of(op->getUsers(), llvm::IsaPred<ReturnOp>);
  if (auto rings = graph->getAttrOfType<IntegerAttr>(kRings))
    a.chosen = rings.getInt();
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
  DimSplit &keys = splits[rule.keys], &queries = splits[rule.queries];
  bool byHeads = isUlysses(queries) || isUlysses(keys);
  if (byHeads && failed(cutByHeads(op, rule, splits)))
    return failure();
  if (onRing(rule, splits)) {
    // Cut as the queries are, keys go round; where the queries are whole they
    // stay, and partial results move: unless the graph says which way it is.
    auto policy = graph->getAttrOfType<StringAttr>(kPolicy);
    bool toKeys = policy ? policy.getValue() == kPassQ
                         : !queries.isCut() && !ofLeaves(keys.balance);
    if (toKeys && queries.isCut())
      toKeys = cutOf(mesh, keys)->parts > 1;
    if (!toKeys && !queries.isCut())
      queries = keys;
    return ring(op, rule, splits, toKeys), success();
  }
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

void Partition::ring(AttentionOp op, const ShardingRule &rule,
                     const Splits &splits, bool toKeys) {
  RingBuilder(*this, op, rule, splits, toKeys).run();
}
