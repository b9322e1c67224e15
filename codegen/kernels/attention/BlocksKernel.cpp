// See BlocksKernel.h.
#include "codegen/kernels/attention/BlocksKernel.h"

#include "codegen/kernels/attention/Launch.h"

#include <limits>

using namespace mlir;
using agt::codegen::kBlockKeys;

namespace agt::kernels::attention {
namespace {

class Builder {
public:
  Builder(KernelBuilder &b, const AttentionSpec &spec, Value number);
  void emit();

private:
  struct Range {
    Value lowest, highest;
  };
  Range rangeOf(Value from, Value to, llvm::function_ref<Value(Value)> value);
  /// What positions or segments say of the block.
  struct Pairs {
    Value some, all; // i1: pairs that are seen
  };
  Pairs byPositions();
  Pairs bySegments();
  Value anyUnmasked();

  KernelBuilder &b;
  const AttentionSpec &spec;
  Value number, head, batch;
  Value row, rowEnd, key, keyEnd; // of the block
  std::optional<Launch> launch;
};

Value keyBlocks(KernelBuilder &b) {
  return b.ceilDiv(b.scalar(kKeys), kBlockKeys);
}

Value rowBlocks(KernelBuilder &b) {
  return b.ceilDiv(b.scalar(kQueries), kBlockRows);
}

Builder::Builder(KernelBuilder &b, const AttentionSpec &spec, Value number)
    : b(b), spec(spec), number(number) {
  Value across = keyBlocks(b), down = rowBlocks(b);
  Value heads = b.scalar(kBlockHeads);
  key = b.mul(b.rem(number, across), kBlockKeys);
  number = b.div(number, across);
  row = b.mul(b.rem(number, down), kBlockRows);
  number = b.div(number, down);
  head = b.rem(number, heads);
  batch = b.div(number, heads);
  Value allHeads = b.mul(b.scalar(kKvHeads), b.scalar(kGroup));
  launch.emplace(b, spec, b.add(b.mul(batch, allHeads), head), row);
  rowEnd = b.minS(b.add(row, kBlockRows), launch->queries);
  keyEnd = b.minS(b.add(key, kBlockKeys), launch->keys);
}

Builder::Range Builder::rangeOf(Value from, Value to,
                                llvm::function_ref<Value(Value)> value) {
  auto limit = [&](bool highest) {
    using Limits = std::numeric_limits<int32_t>;
    return b.i32(highest ? Limits::max() : Limits::min());
  };
  Variable lowest = b.makeVariable(b.i32Type()),
           highest = b.makeVariable(b.i32Type());
  b.store(lowest, limit(true));
  b.store(highest, limit(false));
  b.forRange(from, to, 1, [&](Value i) {
    Value x = value(i);
    b.store(lowest, b.minS(b.load(lowest), x));
    b.store(highest, b.maxS(b.load(highest), x));
  });
  return {b.load(lowest), b.load(highest)};
}

Builder::Pairs Builder::byPositions() {
  Range rows, keys;
  if (spec.terms.queryPositions) {
    rows = rangeOf(row, rowEnd,
                   [&](Value i) { return launch->row(b, i).position; });
  } else {
    rows.lowest = b.add(row, launch->score.offset);
    rows.highest = b.add(b.sub(rowEnd, b.i32(1)), launch->score.offset);
  }
  if (spec.terms.keyPositions)
    keys = rangeOf(key, keyEnd,
                   [&](Value j) { return launch->key(b, j).position; });
  else
    keys = {key, b.sub(keyEnd, b.i32(1))};
  codegen::ScoreExpr::Row first = launch->score.row(b, rows.lowest),
                          last = launch->score.row(b, rows.highest);
  Pairs seen = {b.i1(true), b.i1(true)};
  auto also = [&](Value some, Value all) {
    seen = {b.logicalAnd(seen.some, some), b.logicalAnd(seen.all, all)};
  };
  if (first.low)
    also(b.le(first.low, keys.highest), b.le(last.low, keys.lowest));
  if (last.high)
    also(b.le(keys.lowest, last.high), b.le(keys.highest, first.high));
  if (spec.terms.pin) {
    seen.some = b.logicalOr(seen.some, b.lt(keys.lowest, launch->score.pin));
    seen.all = b.logicalOr(seen.all, b.lt(keys.highest, launch->score.pin));
  }
  if (spec.terms.causal)
    also(b.le(keys.lowest, rows.highest), b.le(keys.highest, rows.lowest));
  return seen;
}

Builder::Pairs Builder::bySegments() {
  Range rows =
      rangeOf(row, rowEnd, [&](Value i) { return launch->row(b, i).segment; });
  Range keys =
      rangeOf(key, keyEnd, [&](Value j) { return launch->key(b, j).segment; });
  return {b.logicalAnd(b.le(rows.lowest, keys.highest),
                       b.le(keys.lowest, rows.highest)),
          b.logicalAnd(b.eq(rows.lowest, keys.highest),
                       b.eq(keys.lowest, rows.highest))};
}

Value Builder::anyUnmasked() {
  Value rowStride = b.scalar(kMaskRowStride);
  Value base = b.add(b.mul(batch, b.scalar(kMaskBatchStride)),
                     b.mul(head, b.scalar(kMaskHeadStride)));
  base = b.add(base, key);
  Value last = b.sub(b.sub(keyEnd, key), b.i32(1));
  // A mask that is the same for all rows is read once.
  Value end = b.select(b.eq(rowStride, b.i32(0)), b.add(row, 1), rowEnd);
  Variable any = b.makeVariable(b.i32Type());
  b.store(any, b.i32(0));
  b.forRange(row, end, 1, [&](Value i) {
    b.ifThen(b.eq(b.load(any), b.i32(0)), [&] {
      Value from = b.add(base, b.mul(i, rowStride));
      Value to = b.add(b.shr(b.add(from, last), 2), 1);
      b.forRange(b.shr(from, 2), to, 1, [&](Value word) {
        b.store(any, b.bitOr(b.load(any), b.loadI32(spec.place(kMask), word)));
      });
    });
  });
  return b.ne(b.load(any), b.i32(0));
}

void Builder::emit() {
  const codegen::ScoreTerms &terms = spec.terms;
  Value some = b.i1(true), all = b.i1(!terms.mask);
  auto also = [&](Pairs seen) {
    some = b.logicalAnd(some, seen.some);
    all = b.logicalAnd(all, seen.all);
  };
  if (!terms.counted() && terms.byPosition())
    also(byPositions());
  if (terms.segments)
    also(bySegments());
  if (terms.mask)
    some = b.logicalAnd(some, anyUnmasked());
  Value word = b.bitOr(b.select(some, b.i32(kMaySee), b.i32(0)),
                       b.select(all, b.i32(0), b.i32(kMayHide)));
  b.storeI32(spec.place(kBlocks), number, word);
}

Value blockCount(KernelBuilder &b) {
  Value heads = b.minS(b.scalar(kBlockHeads),
                       b.mul(b.scalar(kKvHeads), b.scalar(kGroup)));
  return b.mul(b.mul(b.scalar(kBatch), heads),
               b.mul(rowBlocks(b), keyBlocks(b)));
}

AffineExpr blockWork(MLIRContext *context) {
  auto scalar = [&](Scalar s) { return getAffineSymbolExpr(s, context); };
  return scalar(kBatch) * scalar(kBlockHeads) *
         scalar(kQueries).ceilDiv(kBlockRows) *
         scalar(kKeys).ceilDiv(kBlockKeys);
}

void emitBlock(KernelBuilder &b, const AttentionSpec &spec, Value number) {
  Builder(b, spec, number).emit();
}

} // namespace

const Numbered blocksKernel = {"attention_blocks", blockWork, blockCount,
                               emitBlock};

} // namespace agt::kernels::attention
