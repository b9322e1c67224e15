//===- AttentionShapes.cpp - Sizes and strides of an attention ------------===//

#include "codegen/host/AttentionShapes.h"

#include "codegen/common/Partial.h"
#include "codegen/host/Manifest.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;
namespace attn = agt::kernels::attention;

RowView::RowView(HostBuilder &b, llvm::ArrayRef<Value> dims, Layout layout) {
  bool headsFirst = layout == Layout::HSD;
  size_t rank = dims.size();
  dim = dims[rank - 1];
  heads = dims[rank - (headsFirst ? 3 : 2)];
  tokens = dims[rank - (headsFirst ? 2 : 3)];
  batch = b.product(dims.drop_back(3));
  headStride = headsFirst ? b.mul(tokens, dim) : dim;
  tokenStride = headsFirst ? dim : b.mul(heads, dim);
  batchStride = b.mul(b.mul(heads, tokens), dim);
}

void RowView::putStrides(llvm::MutableArrayRef<Value> scalars,
                         unsigned first) const {
  scalars[first] = batchStride;
  scalars[first + 1] = headStride;
  scalars[first + 2] = tokenStride;
}

Strides::Strides(HostBuilder &b, RankedTensorType type,
                 llvm::ArrayRef<Value> dims, unsigned count) {
  // From the last dim on; missing ones and those that are 1 stretch.
  Value size = b.i64(1);
  int64_t axis = type.getRank();
  for (unsigned i = 0; i < count; ++i) {
    --axis;
    bool stretched = axis < 0 || type.getDimSize(axis) == 1;
    trailing.insert(trailing.begin(), stretched ? b.i64(0) : size);
    if (axis >= 0)
      size = b.mul(size, dims[axis]);
  }
  bool all = false;
  for (int64_t i = 0; i < axis; ++i)
    all |= type.getDimSize(i) != 1;
  batch = all ? size : b.i64(0);
}

//===----------------------------------------------------------------------===//
// What is known when it is compiled
//===----------------------------------------------------------------------===//

static int64_t knownDim(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t dim = type.getShape().back();
  return ShapedType::isDynamic(dim) ? 0 : dim;
}

// Above so many rows that share keys there are workgroups enough.
static constexpr int64_t kSplitRows = 64;

// Whether some run may have few rows and long keys.
static bool maySplit(AttentionOp op, const attn::AttentionSpec &spec,
                     int64_t splitKeys) {
  if (splitKeys == 0)
    return false;
  attn::AttentionSpec split = spec;
  split.split = true;
  if (split.buffers() > kKernelBuffers)
    return false;
  bool tokensFirst = op.getLayout() == Layout::SHD;
  auto dim = [&](Value tensor, int64_t fromEnd) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.getDimSize(type.getRank() - fromEnd);
  };
  int64_t queries = dim(op.getQuery(), tokensFirst ? 3 : 2);
  int64_t keys = dim(op.getKey(), tokensFirst ? 3 : 2);
  int64_t heads = dim(op.getQuery(), tokensFirst ? 2 : 3);
  int64_t kvHeads = dim(op.getKey(), tokensFirst ? 2 : 3);
  int64_t group = 1;
  if (heads > 0 && kvHeads > 0)
    group = heads / kvHeads;
  return (ShapedType::isDynamic(queries) || queries * group <= kSplitRows) &&
         (ShapedType::isDynamic(keys) || keys >= 2 * splitKeys);
}

attn::AttentionSpec agt::host::specOf(AttentionOp op, int64_t splitKeys) {
  auto dtype = [](Value tensor) {
    return dtypeOf(cast<RankedTensorType>(tensor.getType()).getElementType());
  };
  auto typeOf = [&](Value tensor) { return tensor ? dtype(tensor) : AGT_F32; };
  attn::AttentionSpec spec;
  spec.q = dtype(op.getQuery());
  spec.k = dtype(op.getKey());
  spec.v = dtype(op.getValue());
  spec.o = op.getInto() ? AGT_F32 : dtype(op.getResult());
  spec.headDim = knownDim(op.getQuery());
  spec.valueDim = knownDim(op.getValue());
  // In C order every stride is a multiple of the tensor's last dim.
  if (spec.headDim != 0 && spec.valueDim != 0)
    spec.alignment =
        int64_t(1) << llvm::countr_zero(uint64_t(spec.headDim | spec.valueDim));

  codegen::ScoreTerms &terms = spec.terms;
  terms.causal = op.getCausal() != Causal::None;
  terms.left = op.getWindowLeft().has_value();
  terms.right = op.getWindowRight().has_value();
  // Without a window there is nothing to pin through.
  terms.pin = op.getPin() != 0 && (terms.left || terms.right);
  // Positions that nothing asks for are not read.
  bool positions = terms.byPosition() || op.getAlibi();
  terms.queryPositions = positions && op.getQPos();
  terms.keyPositions = positions && op.getKvPos();
  terms.segments = bool(op.getQSeg());
  terms.lengths = bool(op.getKvLen());
  terms.mask = !op.getMasks().empty();
  terms.softcap = op.getSoftcap().has_value();
  terms.bias = bool(op.getBias());
  terms.alibi = bool(op.getAlibi());
  terms.keyScales = bool(op.getKScale());
  spec.valueScales = bool(op.getVScale());
  spec.topLeft = op.getCausal() == Causal::TopLeft;
  spec.lse = bool(op.getLse());
  spec.sink = bool(op.getSink());
  spec.partial = op.getPartial();
  spec.biasType = typeOf(op.getBias());
  spec.sinkType = typeOf(op.getSink());
  spec.alibiType = typeOf(op.getAlibi());
  spec.leaves = bool(op.getInto());
  spec.split = spec.leaves || maySplit(op, spec, splitKeys);
  return spec;
}

std::string agt::host::keyOf(const attn::AttentionSpec &spec) {
  const codegen::ScoreTerms &terms = spec.terms;
  std::string key = "attention";
  for (int64_t number :
       {int64_t(spec.q), int64_t(spec.k), int64_t(spec.v), int64_t(spec.o),
        spec.headDim, spec.valueDim, spec.alignment, int64_t(spec.biasType),
        int64_t(spec.sinkType), int64_t(spec.alibiType)})
    key += " " + std::to_string(number);
  key += " ";
  for (bool flag : {terms.causal,
                    terms.left,
                    terms.right,
                    terms.pin,
                    terms.queryPositions,
                    terms.keyPositions,
                    terms.segments,
                    terms.lengths,
                    terms.mask,
                    terms.softcap,
                    terms.bias,
                    terms.alibi,
                    terms.keyScales,
                    spec.valueScales,
                    spec.topLeft,
                    spec.lse,
                    spec.sink,
                    spec.partial,
                    spec.split,
                    spec.leaves,
                    spec.rowsAlone})
    key += flag ? '1' : '0';
  return key;
}

//===----------------------------------------------------------------------===//
// Parts of the keys
//===----------------------------------------------------------------------===//

KeyParts::KeyParts(HostBuilder &b, Value rows, Value heads, Value keys,
                   int64_t least) {
  // What the largest devices run at once.
  constexpr int64_t workgroups = 128;
  auto x = getAffineSymbolExpr(0, b.ir().getContext());
  auto min = [&](Value l, Value r) {
    return b.ir().createOrFold<arith::MinSIOp>(b.location(), l, r);
  };
  auto atLeastOne = [&](Value l) {
    return b.ir().createOrFold<arith::MaxSIOp>(b.location(), l, b.i64(1));
  };
  auto divideUp = [&](Value l, Value r) {
    return b.ir().createOrFold<arith::DivSIOp>(b.location(),
                                               b.sub(b.add(l, r), b.i64(1)), r);
  };
  Value few = b.ir().createOrFold<arith::ExtUIOp>(
      b.location(), b.ir().getI64Type(),
      b.ir().createOrFold<arith::CmpIOp>(
          b.location(), arith::CmpIPredicate::sle, rows, b.i64(kSplitRows)));
  Value wanted = min(divideUp(b.i64(workgroups), atLeastOne(heads)),
                     b.evaluate(x.floorDiv(least), {keys}));
  wanted = atLeastOne(b.mul(wanted, few));
  Value all = b.evaluate(x.ceilDiv(codegen::kBlockKeys), {keys});
  blocks = atLeastOne(divideUp(all, wanted));
  count = atLeastOne(divideUp(all, blocks));
  several = min(b.sub(count, b.i64(1)), b.i64(1));
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

namespace {

/// Sums of f64 values of the host program.
struct Sums {
  HostBuilder &b;

  template <typename Op> Value make(Value x, Value y) {
    return b.ir().createOrFold<Op>(b.location(), x, y);
  }
  Value add(Value x, Value y) { return make<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return make<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return make<arith::MulFOp>(x, y); }
  Value min(Value x, Value y) { return make<arith::MinimumFOp>(x, y); }
  Value max(Value x, Value y) { return make<arith::MaximumFOp>(x, y); }

  /// 1 + 2 + ... over min(x, keys), and `keys` for each x beyond; 0 for x
  /// below 1.
  Value triangle(Value x, Value keys) {
    Value zero = b.f64(0);
    Value inside = min(max(x, zero), keys);
    Value beyond = max(sub(x, keys), zero);
    Value ramp = mul(mul(inside, b.f64(0.5)), add(inside, b.f64(1)));
    return add(ramp, mul(beyond, keys));
  }

  /// Pairs (i, j) with j <= i + offset, of `rows` rows and `keys` keys.
  Value below(Value rows, Value keys, Value offset) {
    return sub(triangle(add(rows, offset), keys), triangle(offset, keys));
  }
};

} // namespace

Value agt::host::visiblePairs(HostBuilder &b, AttentionOp op, Value queries,
                              Value keys, Value start) {
  Sums f{b};
  Value rows = b.toF64(queries), columns = b.toF64(keys),
        offset = b.toF64(start);
  Value pairs = f.mul(rows, columns);
  std::optional<double> right;
  if (op.getWindowRight())
    right = double(*op.getWindowRight());
  bool causal = op.getCausal() != Causal::None;
  if (causal)
    right = std::min(right.value_or(0), 0.0);
  if (right)
    pairs = f.below(rows, columns, f.add(offset, b.f64(*right)));
  Value pinned;
  if (op.getPin())
    pinned = f.min(b.f64(double(op.getPin())), columns);
  if (op.getWindowLeft()) {
    Value before = f.sub(offset, b.f64(double(*op.getWindowLeft()) + 1));
    pairs = f.sub(pairs, f.below(rows, columns, before));
    if (pinned)
      pairs = f.add(pairs, f.below(rows, pinned, before));
  }
  // Pinned keys to the right of the window.
  if (pinned && op.getWindowRight() && !causal)
    pairs = f.add(pairs,
                  f.sub(f.mul(rows, pinned),
                        f.below(rows, pinned, f.add(offset, b.f64(*right)))));
  return pairs;
}

Value agt::host::visitedKeys(HostBuilder &b, AttentionOp op, Value queries,
                             Value keys, Value offset) {
  auto min = [&](Value x, Value y) {
    return b.ir().createOrFold<arith::MinSIOp>(b.location(), x, y);
  };
  auto max = [&](Value x, Value y) {
    return b.ir().createOrFold<arith::MaxSIOp>(b.location(), x, y);
  };
  auto inKeys = [&](Value x) { return min(max(x, b.i64(0)), keys); };
  auto x = getAffineSymbolExpr(0, b.ir().getContext());
  auto blockBegin = [&](Value key) {
    return b.evaluate(x.floorDiv(codegen::kBlockKeys) * codegen::kBlockKeys,
                      {key});
  };
  auto blockEnd = [&](Value key) {
    return min(
        b.evaluate(x.ceilDiv(codegen::kBlockKeys) * codegen::kBlockKeys, {key}),
        keys);
  };
  // What the last row sees ends where all do, what the first one sees begins.
  bool causal = op.getCausal() != Causal::None;
  std::optional<int64_t> right;
  if (op.getWindowRight())
    right = int64_t(std::min<uint64_t>(*op.getWindowRight(), INT32_MAX));
  if (causal)
    right = 0;
  Value end = keys;
  if (right)
    end = inKeys(b.add(b.add(queries, offset), b.i64(*right)));
  Value begin = b.i64(0);
  if (op.getWindowLeft())
    begin = inKeys(b.sub(offset, b.i64(int64_t(std::min<uint64_t>(
                                     *op.getWindowLeft(), INT32_MAX)))));
  Value pinned = b.i64(0);
  if (op.getPin()) {
    Value most = causal ? end : keys;
    pinned = blockEnd(
        min(b.i64(int64_t(std::min<uint64_t>(op.getPin(), INT32_MAX))), most));
  }
  Value window =
      max(b.sub(blockEnd(end), max(blockBegin(begin), pinned)), b.i64(0));
  return b.add(pinned, window);
}
