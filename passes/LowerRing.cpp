// agt-lower-ring: schedules become the ops that kernels are formed of. Partial
// results are pairs of tensors (sums, and m and l of each row); merging them
// and finishing rows is element by element and fuses. What moves between
// positions stays, for the host program.
#include "passes/Passes.h"
#include "passes/Reshape.h"

#include "dialect/Agt/Shapes.h"
#include "dialect/Ring/Ring.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

namespace agt {
#define GEN_PASS_DEF_LOWERRING
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

// In the place of a factor of sums. Keys that weigh nothing may have been seen:
// what is not a number of theirs counts, whatever its weight. Of a step that
// was not taken the sums hold anything.
static constexpr double kNothing = -1, kAnything = -2;

namespace {

/// A partial result as tensors.
struct Partial {
  Value sums;  // [rows..., dim]; or leaves, which have no state
  Value state; // [rows..., 2 or more], m and l first

  bool areLeaves() const { return sums && !state; }
};

/// Lowers the ring ops of one graph.
class Lowering {
public:
  explicit Lowering(GraphOp graph) : graph(graph), b(graph.getContext()) {}

  void run();

private:
  void lower(ring::ExtentOp op);
  void lower(ring::AttendOp op);
  void lower(ring::MergeOp op);
  void lower(ring::CombineOp op);
  void lower(ring::ScatterOp op);
  void lower(ring::FinalizeOp op);
  /// `sees` is null where y counts in any case.
  Partial merged(Partial x, Partial y, Value sees);
  /// [parts, rows...] of a tensor [rows...] that every place has one of.
  Value stacked(Value own, ring::CutAttr cut);
  void inlineBody(ring::ScheduleOp op);

  // Element by element, in f32.
  Value number(double value) {
    Value constant =
        arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
    return ScalarOp::create(b, loc, RankedTensorType::get({}, b.getF32Type()),
                            constant);
  }
  template <typename Op> Value binary(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value mul(Value x, Value y) { return binary<MulOp>(x, y); }
  Value isZero(Value x) { return compare(Compare::EQ, x, number(0)); }
  Value isNumber(Value x) { return compare(Compare::EQ, x, x); }
  Value compare(Compare kind, Value x, Value y);
  Value select(Value condition, Value x, Value y) {
    return SelectOp::create(b, loc, condition, x, y);
  }
  /// 2 to the power of x - y.
  Value power(Value x, Value y) {
    return ExpOp::create(b, loc, mul(binary<SubOp>(x, y), number(M_LN2)));
  }
  /// m or l of each row: [rows..., 1].
  Value column(Value state, int64_t at);
  Value reshape(Value tensor, ArrayRef<OpFoldResult> sizes) {
    return reshapeTo(b, loc, tensor, sizes);
  }
  /// Logits a head, in powers of two, beside rows [..., 1].
  Value perHead(Value sink, Value rows, Layout layout);

  GraphOp graph;
  OpBuilder b;
  Location loc = b.getUnknownLoc();
  llvm::DenseMap<Value, Partial> partials;
  llvm::DenseMap<Value, AttentionOp> leaves; // the last to add to an agt.leaves
};

} // namespace

Value Lowering::compare(Compare kind, Value x, Value y) {
  std::optional<Dims> shape =
      broadcastShapes(tensorType(x).getShape(), tensorType(y).getShape());
  return CompareOp::create(b, loc, RankedTensorType::get(*shape, b.getI1Type()),
                           kind, x, y);
}

Value Lowering::column(Value state, int64_t at) {
  RankedTensorType type = tensorType(state);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 1;
  auto index = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  return SliceOp::create(b, loc,
                         RankedTensorType::get(shape, type.getElementType()),
                         state, type.getRank() - 1, index(at), index(at + 1));
}

Value Lowering::perHead(Value sink, Value rows, Layout layout) {
  if (!tensorType(sink).getElementType().isF32())
    sink = CastOp::create(
        b, loc,
        RankedTensorType::get(tensorType(sink).getShape(), b.getF32Type()),
        sink);
  OpFoldResult one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> sizes{dimOf(b, loc, sink, 0), one};
  if (layout == Layout::HSD)
    sizes.push_back(one);
  return mul(reshape(sink, sizes), number(M_LOG2E));
}

// Of S tokens in n pieces the first S mod n hold one more; where pieces are
// whole leaves the same holds of the leaves, of which the last may be short.
void Lowering::lower(ring::ExtentOp op) {
  auto index = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  int64_t parts = op.getParts();
  Balance balance = op.getBalance();
  bool zigzag = balance == Balance::Zigzag || balance == Balance::ZigzagLeaves;
  Value pieces = index(zigzag ? 2 * parts : parts), part = op.getPart();
  Value units = op.getTokens(), leaf = index(kLeafKeys);
  auto add = [&](Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  };
  if (ofLeaves(balance))
    units = b.createOrFold<arith::CeilDivUIOp>(loc, units, leaf);
  Value each = b.createOrFold<arith::DivUIOp>(loc, units, pieces);
  Value more = b.createOrFold<arith::RemUIOp>(loc, units, pieces);
  auto piece = [&](Value number) {
    Value longer =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, more);
    Value extra =
        arith::IndexCastUIOp::create(b, loc, b.getIndexType(), longer);
    Value size = add(each, extra);
    if (!ofLeaves(balance))
      return size;
    Value first = add(b.createOrFold<arith::MulIOp>(loc, number, each),
                      b.createOrFold<arith::MinUIOp>(loc, number, more));
    auto token = [&](Value leaves) {
      return b.createOrFold<arith::MinUIOp>(
          loc, b.createOrFold<arith::MulIOp>(loc, leaves, leaf),
          op.getTokens());
    };
    return b.createOrFold<arith::SubIOp>(loc, token(add(first, size)),
                                         token(first));
  };
  Value size = piece(part);
  if (zigzag)
    size = add(size, piece(b.createOrFold<arith::SubIOp>(
                         loc, index(2 * parts - 1), part)));
  op.replaceAllUsesWith(size);
}

void Lowering::lower(ring::AttendOp op) {
  RankedTensorType sums = op.getType().getSums();
  SmallVector<int64_t> rows(sums.getShape());
  rows.back() = 2;
  ring::HopOp::create(b, loc, op.getStepAttr(), op.getOwner(), op.getSees());
  // Steps add to what those before have left.
  Value into = op.getInto();
  if (AttentionOp before = into ? leaves.lookup(into) : AttentionOp())
    into = before.getResult();
  auto made = AttentionOp::create(
      b, loc, into ? into.getType() : Type(sums),
      into ? Type() : Type(RankedTensorType::get(rows, b.getF32Type())),
      op.getQuery(), op.getKey(), op.getValue(), op.getScale(), op.getMasks(),
      op.getBias(),
      /*sink=*/Value(), op.getAlibi(), op.getQPos(), op.getKvPos(),
      op.getQSeg(), op.getKvSeg(), /*q_cu=*/Value(),
      /*kv_cu=*/Value(), /*kv_len=*/Value(), op.getKScale(), op.getVScale(),
      op.getSees(), into, into ? op.getOwner() : Value(), op.getCausalAttr(),
      op.getWindowLeftAttr(), op.getWindowRightAttr(), op.getPinAttr(),
      op.getSoftcapAttr(), op.getKBlockAttr(), op.getVBlockAttr(),
      op.getLayoutAttr(), b.getUnitAttr());
  if (into)
    leaves[op.getInto()] = made;
  partials[op.getResult()] = {made.getResult(), made.getState()};
}

void Lowering::lower(ring::MergeOp op) {
  if (partials.lookup(op.getRhs()).areLeaves()) {
    partials[op.getResult()] = partials.lookup(op.getRhs());
    return;
  }
  partials[op.getResult()] = merged(partials.lookup(op.getLhs()),
                                    partials.lookup(op.getRhs()), op.getSees());
}

Partial Lowering::merged(Partial x, Partial y, Value sees) {
  Value mx = column(x.state, 0), lx = column(x.state, 1);
  Value my = column(y.state, 0), ly = column(y.state, 1);
  Value noX = isZero(lx), noY = isZero(ly);
  Value markY = number(kNothing);
  if (sees) {
    Value seen = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), sees);
    Value unseen = isZero(ScalarOp::create(
        b, loc, RankedTensorType::get({}, b.getF32Type()), seen));
    noY = binary<OrOp>(noY, unseen);
    markY = select(unseen, number(kAnything), markY);
  }
  Value m = binary<MaxOp>(mx, my);
  Value ofX = power(mx, m), ofY = power(my, m);
  auto either = [&](Value a, Value c, Value both) {
    return select(noY, a, select(noX, c, both));
  };
  Value l = binary<AddOp>(mul(lx, ofX), mul(ly, ofY));
  // One small kernel has all of a row: its new state, and the factors of the
  // sums, below 0 (which no other is) of those that do not count.
  SmallVector<int64_t> shape(tensorType(x.state).getShape());
  shape.back() = 4;
  Value row = ConcatOp::create(
      b, loc, RankedTensorType::get(shape, b.getF32Type()),
      ValueRange{either(mx, my, m), either(lx, ly, l),
                 select(noX, number(kNothing), ofX), select(noY, markY, ofY)},
      b.getI64IntegerAttr(shape.size() - 1));
  Value factorX = column(row, 2), factorY = column(row, 3);
  auto below = [&](Value factor, double limit) {
    return compare(Compare::LT, factor, number(limit));
  };
  auto kept = [&](Value sums, Value other) {
    return select(isNumber(other), sums, other);
  };
  Value both = binary<AddOp>(mul(x.sums, factorX), mul(y.sums, factorY));
  Value sums = select(below(factorX, 0), kept(y.sums, x.sums), both);
  sums = select(below(factorY, 0), kept(x.sums, y.sums), sums);
  if (sees)
    sums = select(below(factorY, kNothing), x.sums, sums);
  return {sums, row};
}

Value Lowering::stacked(Value own, ring::CutAttr cut) {
  SmallVector<OpFoldResult> sizes{b.getIndexAttr(1)};
  SmallVector<Value> open;
  for (int64_t i = 0; i < tensorType(own).getRank(); ++i) {
    sizes.push_back(dimOf(b, loc, own, i));
    if (tensorType(own).isDynamicDim(i))
      open.push_back(asValue(b, loc, sizes.back()));
  }
  Value part = reshape(own, sizes);
  SmallVector<int64_t> shape(tensorType(part).getShape());
  shape.front() = cut.getParts();
  return ring::GatherOp::create(b, loc,
                                RankedTensorType::get(shape, b.getF32Type()),
                                part, open, b.getArrayAttr({cut}), ArrayAttr());
}

// All places at once: the largest m, and what the others' sums are under it.
void Lowering::lower(ring::CombineOp op) {
  Partial own = partials.lookup(op.getPartial());
  Value sums = stacked(own.sums, op.getCut());
  Value state = stacked(own.state, op.getCut());
  Value m = column(state, 0), l = column(state, 1);
  Value none = isZero(l);
  auto over = [&](Reduction kind, Value tensor) -> Value {
    SmallVector<int64_t> shape(tensorType(tensor).getShape().drop_front());
    return ReduceOp::create(b, loc,
                            RankedTensorType::get(shape, b.getF32Type()), kind,
                            tensor, /*axis=*/0, /*keep=*/false);
  };
  constexpr double lowest = -3.4028234663852886e38;
  Value top = over(Reduction::Max, select(none, number(lowest), m));
  Value factor = select(none, number(0), power(m, top));
  Value whole = over(Reduction::Sum, select(none, number(0), mul(l, factor)));
  Value empty = binary<AndOp>(none, isNumber(sums));
  Value both =
      over(Reduction::Sum, select(empty, number(0), mul(sums, factor)));
  Value row = ConcatOp::create(
      b, loc, own.state.getType(), ValueRange{top, whole},
      b.getI64IntegerAttr(tensorType(own.state).getRank() - 1));
  partials[op.getResult()] = {both, row};
}

// The rows of each place are taken out before anything is sent: what is sent
// waits for what was launched before.
void Lowering::lower(ring::ScatterOp op) {
  Partial all = partials.lookup(op.getPartial());
  ring::CutAttr cut = op.getCut();
  unsigned dim = cut.getDim();
  SmallVector<Partial> rows;
  for (Value numbers : op.getRows()) {
    OpFoldResult count = dimOf(b, loc, numbers, 0);
    auto take = [&](Value tensor) {
      return takeRows(b, loc, tensor, dim, numbers, count);
    };
    rows.push_back({take(all.sums), take(all.state)});
  }
  Partial own = rows.front();
  auto post = [&](Value sent, Value alike, size_t distance) -> Value {
    RankedTensorType type = tensorType(alike);
    return ring::ShiftOp::create(
        b, loc, ring::TokenType::get(b.getContext(), type), sent,
        asValue(b, loc, dimOf(b, loc, alike, dim)), op.getSends()[distance - 1],
        op.getReceives()[distance - 1],
        ring::MoveAttr::get(b.getContext(), ring::Move::Partial), cut,
        b.getI64IntegerAttr(distance));
  };
  auto await = [&](Value token, Value alike) -> Value {
    SmallVector<Value> open;
    for (int64_t i = 0; i < tensorType(alike).getRank(); ++i)
      if (tensorType(alike).isDynamicDim(i))
        open.push_back(asValue(b, loc, dimOf(b, loc, alike, i)));
    return ring::AwaitOp::create(b, loc, alike.getType(), token, open);
  };
  SmallVector<Partial> tokens;
  for (size_t distance = 1; distance < rows.size(); ++distance)
    tokens.push_back({post(rows[distance].sums, own.sums, distance),
                      post(rows[distance].state, own.state, distance)});
  Partial result = own;
  for (auto [token, sees] : llvm::zip(tokens, op.getReceives()))
    result = merged(
        result, {await(token.sums, own.sums), await(token.state, own.state)},
        sees);
  partials[op.getResult()] = result;
}

void Lowering::lower(ring::FinalizeOp op) {
  Partial partial = partials.lookup(op.getPartial());
  if (partial.areLeaves()) {
    auto last = partial.sums.getDefiningOp<AttentionOp>();
    auto root = RootOp::create(b, loc, op->getResultTypes(), partial.sums,
                               last.getQuery(), last.getValue(), op.getSink(),
                               op.getLayoutAttr());
    return op->replaceAllUsesWith(root);
  }
  Value m = column(partial.state, 0), l = column(partial.state, 1);
  Value none = isZero(l);
  Value factor;
  if (op.getSink()) {
    Value sink = perHead(op.getSink(), m, op.getLayout());
    Value top = binary<MaxOp>(m, sink);
    Value correction = power(m, top);
    l = binary<AddOp>(mul(l, correction), power(sink, top));
    m = top;
    factor = binary<DivOp>(correction, l);
  } else {
    factor = binary<DivOp>(number(1), l);
  }
  // A sink gives rows that have seen nothing a sum to be divided by.
  Value o = mul(partial.sums, factor);
  if (!op.getSink())
    o = select(none, number(0), o);
  auto type = tensorType(op.getResult());
  if (!type.getElementType().isF32())
    o = CastOp::create(
        b, loc,
        RankedTensorType::get(tensorType(o).getShape(), type.getElementType()),
        o);
  op.getResult().replaceAllUsesWith(o);
  if (!op.getLse())
    return;
  Value lse = binary<AddOp>(mul(m, number(M_LN2)), LogOp::create(b, loc, l));
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < tensorType(op.getLse()).getRank(); ++i)
    sizes.push_back(dimOf(b, loc, partial.sums, i));
  op.getLse().replaceAllUsesWith(reshape(lse, sizes));
}

void Lowering::inlineBody(ring::ScheduleOp op) {
  Block &body = op.getBody().front();
  Operation *end = body.getTerminator();
  op->replaceAllUsesWith(end->getOperands());
  end->erase();
  op->getBlock()->getOperations().splice(Block::iterator(op),
                                         body.getOperations());
  op->erase();
}

void Lowering::run() {
  for (auto op : llvm::make_early_inc_range(graph.getOps<ring::ScheduleOp>()))
    inlineBody(op);
  SmallVector<Operation *> lowered;
  for (Operation &op : graph.getBody().front()) {
    b.setInsertionPoint(&op);
    loc = op.getLoc();
    bool known = TypeSwitch<Operation *, bool>(&op)
                     .Case<ring::ExtentOp, ring::AttendOp, ring::MergeOp,
                           ring::CombineOp, ring::ScatterOp, ring::FinalizeOp>(
                         [&](auto one) { return lower(one), true; })
                     .Default(false);
    if (known)
      lowered.push_back(&op);
  }
  for (Operation *op : llvm::reverse(lowered))
    op->erase();
}

namespace {

struct LowerRingPass : agt::impl::LowerRingBase<LowerRingPass> {
  void runOnOperation() override { Lowering(getOperation()).run(); }
};

} // namespace
