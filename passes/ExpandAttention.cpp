// agt-expand-attention: attention kernels take one mask, segments rather than
// offsets of packed sequences, and operands that lie in memory as pairs or
// tokens do; whatever else the language has is written here in other ops,
// which fuse and are tested on their own.
//
// A token of a packed sequence: which sequence it is in is one question to all
// offsets, [tokens, sequences] booleans of which one at most is true a row;
// everything else (its start, the sequences' sizes) is a sum over that row.
#include "passes/Passes.h"
#include "passes/Reshape.h"

#include "dialect/Agt/Shapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace agt {
#define GEN_PASS_DEF_EXPANDATTENTION
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

namespace {

using Sizes = SmallVector<OpFoldResult>;

/// Makes ops in front of one attention.
class Expansion {
public:
  explicit Expansion(AttentionOp op) : op(op), b(op), loc(op.getLoc()) {
    RankedTensorType query = tensorType(op.getQuery());
    bool headsFirst = op.getLayout() == Layout::HSD;
    int64_t rank = query.getRank();
    tokensAxis = rank - (headsFirst ? 2 : 3);
    batchRank = rank - 3;
  }

  bool run();
  /// Offsets of packed sequences alone.
  bool unpackAlone() {
    unpack();
    return changed;
  }

private:
  // Ops.
  Value index(OpFoldResult size) { return asValue(b, loc, size); }
  OpFoldResult dim(Value tensor, int64_t axis) {
    return dimOf(b, loc, tensor, axis);
  }
  RankedTensorType typeOf(const Sizes &sizes, Type element,
                          SmallVectorImpl<Value> &open) {
    return typeOfSizes(b, loc, sizes, element, open);
  }
  Value full(double value, Type element, const Sizes &sizes);
  Value reshape(Value tensor, const Sizes &sizes) {
    return reshapeTo(b, loc, tensor, sizes);
  }
  Value iota(OpFoldResult size);
  Value add(Value x, Value y) { return AddOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return SubOp::create(b, loc, x, y); }
  Value both(Value x, Value y) { return AndOp::create(b, loc, x, y); }
  Value compare(Compare kind, Value x, Value y);
  /// Elements [from, size - less) of a tensor of one dim.
  Value part(Value tensor, int64_t from, int64_t less);

  // What is expanded.
  void joinMasks();
  bool isPlain(Value operand, int64_t trailing);
  Value plainPairs(Value operand);
  Value plainTokens(Value operand, int64_t trailing);
  void unpack();
  void remember(Value offsets, StringRef attribute);
  Value placeIn(Value offsets, OpFoldResult tokens);
  Value pick(Value inside, Value ofSequence);
  unsigned buffers();
  void maskSegments();
  template <typename Mutable> void replace(Mutable operand, Value value) {
    operand.assign(value);
    changed = true;
  }

  AttentionOp op;
  OpBuilder b;
  Location loc;
  int64_t tokensAxis, batchRank;
  bool changed = false;
};

Value Expansion::full(double value, Type element, const Sizes &sizes) {
  SmallVector<Value> open;
  RankedTensorType type = typeOf(sizes, element, open);
  Value number = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  return FullOp::create(b, loc, type, number, open);
}

Value Expansion::iota(OpFoldResult size) {
  SmallVector<Value> open;
  RankedTensorType type = typeOf({size}, b.getI32Type(), open);
  return IotaOp::create(b, loc, type, index(size));
}

Value Expansion::compare(Compare kind, Value x, Value y) {
  std::optional<Dims> shape =
      broadcastShapes(tensorType(x).getShape(), tensorType(y).getShape());
  return CompareOp::create(b, loc, RankedTensorType::get(*shape, b.getI1Type()),
                           kind, x, y);
}

Value Expansion::part(Value tensor, int64_t from, int64_t less) {
  OpFoldResult size = dim(tensor, 0);
  std::optional<int64_t> known = getConstantIntValue(size);
  // There is at least one offset, or the run ends with a message.
  Value one = index(b.getIndexAttr(1));
  Value stop =
      known ? index(b.getIndexAttr(*known - less))
            : Value(arith::SubIOp::create(
                  b, loc, arith::MaxSIOp::create(b, loc, index(size), one),
                  index(b.getIndexAttr(less))));
  auto type = RankedTensorType::get(
      {known ? *known - less - from : ShapedType::kDynamic},
      tensorType(tensor).getElementType());
  return SliceOp::create(b, loc, type, tensor, /*axis=*/0,
                         index(b.getIndexAttr(from)), stop);
}

//===----------------------------------------------------------------------===//
// Masks and biases
//===----------------------------------------------------------------------===//

void Expansion::joinMasks() {
  if (op.getMasks().size() < 2)
    return;
  Value all = op.getMasks().front();
  for (Value mask : op.getMasks().drop_front())
    all = both(all, mask);
  replace(op.getMasksMutable(), all);
}

// Whether the batch dims of an operand are all those of the query or all
// broadcast, and its last dim (where it has trailing ones) is not.
bool Expansion::isPlain(Value operand, int64_t trailing) {
  ArrayRef<int64_t> shape = tensorType(operand).getShape();
  int64_t rank = shape.size();
  ArrayRef<int64_t> query = tensorType(op.getQuery()).getShape();
  bool some = false, none = rank < trailing + batchRank;
  for (int64_t i = 0; i < rank - trailing; ++i) {
    // The one dim of lengths without a batch stands before all.
    int64_t at = batchRank - (rank - trailing) + i;
    if (at < 0 || query[at] == 1)
      continue;
    (shape[i] == 1 ? none : some) = true;
  }
  return !(some && none);
}

Value Expansion::plainPairs(Value operand) {
  RankedTensorType type = tensorType(operand);
  Value key = op.getKey();
  bool wholeKeys =
      type.getRank() > 0 && (type.getShape().back() != 1 ||
                             tensorType(key).getDimSize(tokensAxis) == 1);
  bool plain = isPlain(operand, 3);
  if (wholeKeys && plain)
    return operand;
  Sizes sizes;
  if (!plain) {
    for (int64_t i = 0; i < batchRank; ++i)
      sizes.push_back(dim(op.getQuery(), i));
    sizes.append({b.getIndexAttr(1), b.getIndexAttr(1)});
  }
  sizes.push_back(dim(key, tokensAxis));
  Type element = type.getElementType();
  // Adding -0 changes nothing, -0 included.
  return element.isInteger(1) ? both(operand, full(1, element, sizes))
                              : add(operand, full(-0.0, element, sizes));
}

Value Expansion::plainTokens(Value operand, int64_t trailing) {
  if (isPlain(operand, trailing))
    return operand;
  Sizes sizes;
  for (int64_t i = 0; i < batchRank; ++i)
    sizes.push_back(dim(op.getQuery(), i));
  sizes.append(trailing, b.getIndexAttr(1));
  return add(operand, full(0, b.getI32Type(), sizes));
}

//===----------------------------------------------------------------------===//
// Packed sequences
//===----------------------------------------------------------------------===//

// [tokens, sequences]: whether a token is in a sequence.
Value Expansion::placeIn(Value offsets, OpFoldResult tokens) {
  Value column = reshape(iota(tokens), {tokens, b.getIndexAttr(1)});
  Value started = compare(Compare::LE, part(offsets, 0, 1), column);
  return both(started, compare(Compare::GT, part(offsets, 1, 0), column));
}

// What a token's sequence has, 0 for a token of none.
Value Expansion::pick(Value inside, Value ofSequence) {
  Type i32 = b.getI32Type();
  Value none = full(0, i32, {b.getIndexAttr(1), b.getIndexAttr(1)});
  Value chosen = SelectOp::create(
      b, loc, RankedTensorType::get(tensorType(inside).getShape(), i32), inside,
      ofSequence, none);
  auto type = RankedTensorType::get({tensorType(inside).getDimSize(0)}, i32);
  return ReduceOp::create(b, loc, type, Reduction::Sum, chosen, /*axis=*/1,
                          /*keep=*/false);
}

/// Offsets that are inputs of the graph are checked when a run is given them.
void Expansion::remember(Value offsets, StringRef attribute) {
  while (isa_and_present<tensor::CastOp, ShardOp>(offsets.getDefiningOp()))
    offsets = offsets.getDefiningOp()->getOperand(0);
  if (auto input = dyn_cast<BlockArgument>(offsets))
    op->setAttr(attribute, b.getI64IntegerAttr(input.getArgNumber()));
}

void Expansion::unpack() {
  Value queryOffsets = op.getQCu(), keyOffsets = op.getKvCu();
  if (!queryOffsets)
    return;
  remember(queryOffsets, kQCuInput);
  remember(keyOffsets, kKvCuInput);
  OpFoldResult queries = dim(op.getQuery(), tokensAxis),
               keys = dim(op.getKey(), tokensAxis);
  Value ofQuery = placeIn(queryOffsets, queries),
        ofKey = placeIn(keyOffsets, keys);
  Value starts = part(keyOffsets, 0, 1);
  Value numbers = iota(dim(starts, 0));
  auto constant = [&](double value) {
    return full(value, b.getI32Type(), {b.getIndexAttr(1)});
  };
  // A token of no sequence is -1 as a query, -2 as a key: it sees nothing, its
  // like included.
  auto segment = [&](Value inside, double none) {
    return sub(pick(inside, add(numbers, constant(none))), constant(none));
  };
  replace(op.getQSegMutable(), segment(ofQuery, 1));
  replace(op.getKvSegMutable(), segment(ofKey, 2));
  op.getQCuMutable().clear();
  op.getKvCuMutable().clear();

  bool positions = op.getCausal() != Causal::None || op.getWindowLeft() ||
                   op.getWindowRight() || op.getAlibi();
  if (positions && !op.getKvPos())
    replace(op.getKvPosMutable(), sub(iota(keys), pick(ofKey, starts)));
  if (positions && !op.getQPos()) {
    Value queryStarts = part(queryOffsets, 0, 1);
    Value shift = sub(constant(0), queryStarts);
    if (op.getCausal() != Causal::TopLeft) {
      Value keySizes = sub(part(keyOffsets, 1, 0), starts);
      Value querySizes = sub(part(queryOffsets, 1, 0), queryStarts);
      shift = add(shift, sub(keySizes, querySizes));
    }
    replace(op.getQPosMutable(), add(iota(queries), pick(ofQuery, shift)));
  }
}

//===----------------------------------------------------------------------===//
// Room
//===----------------------------------------------------------------------===//

// Buffers of the launch: operands, results, and the blocks of pairs.
unsigned Expansion::buffers() {
  unsigned scale = op.getScale() ? 1 : 0;
  return op->getNumOperands() - scale + op->getNumResults() + 1;
}

void Expansion::maskSegments() {
  auto column = [&](Value segments, bool ofQueries) {
    Sizes sizes;
    int64_t rank = tensorType(segments).getRank();
    for (int64_t i = 0; i + 1 < rank; ++i)
      sizes.push_back(dim(segments, i));
    OpFoldResult tokens = dim(segments, rank - 1), one = b.getIndexAttr(1);
    sizes.append({one, ofQueries ? tokens : one, ofQueries ? one : tokens});
    return reshape(segments, sizes);
  };
  Value same = compare(Compare::EQ, column(op.getQSeg(), true),
                       column(op.getKvSeg(), false));
  replace(op.getMasksMutable(),
          op.getMasks().empty() ? same : both(op.getMasks().front(), same));
  op.getQSegMutable().clear();
  op.getKvSegMutable().clear();
}

bool Expansion::run() {
  joinMasks();
  unpack();
  if (buffers() > kKernelBuffers && op.getQSeg())
    maskSegments();
  auto make = [&](auto operand, Value have, Value plain) {
    if (have && plain != have)
      replace(operand, plain);
  };
  if (!op.getMasks().empty())
    make(op.getMasksMutable(), op.getMasks().front(),
         plainPairs(op.getMasks().front()));
  auto tokens = [&](auto operand, Value have, int64_t trailing) {
    if (have)
      make(operand, have, plainTokens(have, trailing));
  };
  if (op.getBias())
    make(op.getBiasMutable(), op.getBias(), plainPairs(op.getBias()));
  tokens(op.getQPosMutable(), op.getQPos(), 1);
  tokens(op.getKvPosMutable(), op.getKvPos(), 1);
  tokens(op.getQSegMutable(), op.getQSeg(), 1);
  tokens(op.getKvSegMutable(), op.getKvSeg(), 1);
  tokens(op.getKvLenMutable(), op.getKvLen(), 0);
  return changed;
}

struct ExpandAttentionPass
    : agt::impl::ExpandAttentionBase<ExpandAttentionPass> {
  using ExpandAttentionBase::ExpandAttentionBase;

  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops) {
      if (!packedOnMesh)
        expanded += Expansion(op).run();
      else if (auto graph = op->getParentOfType<GraphOp>();
               graph && graph.getMesh())
        expanded += Expansion(op).unpackAlone();
    }
  }
};

} // namespace
