// See Launch.h.
#include "codegen/kernels/attention/Launch.h"

#include "codegen/kernels/ElementTypes.h"
#include "codegen/kernels/attention/BlocksKernel.h"

#include <cmath>

using namespace mlir;
using agt::codegen::kBlockKeys;

namespace agt::kernels::attention {

std::vector<WordType> wordTypesOf(const AttentionSpec &spec) {
  std::vector<WordType> words;
  for (unsigned i = 0; i < kBufferCount; ++i)
    if (auto buffer = static_cast<Buffer>(i); spec.has(buffer))
      words.push_back(wordTypeOf(spec.typeOf(buffer)));
  return words;
}

Value loadNumber(KernelBuilder &b, unsigned buffer, agt_dtype dtype,
                 Value index) {
  if (dtype == AGT_I8)
    return b.toF32(b.loadElement(buffer, dtype, index));
  if (dtype != AGT_F8E4M3)
    return b.loadElement(buffer, dtype, index);
  Value bits = b.loadElement(buffer, AGT_BOOL, index); // a byte
  return ElementTypes(b).decode(Float8E4M3FNType::get(b.builder().getContext()),
                                bits);
}

// Causal blocks grow heavier along the rows, and drivers on the CPU deal out
// contiguous ranges of workgroups: take blocks from both ends in turn.
static Value interleaved(KernelBuilder &b, Value number, Value count) {
  Value half = b.shr(number, 1);
  Value odd = b.eq(b.bitAnd(number, 1), b.i32(1));
  return b.select(odd, b.sub(b.sub(count, b.i32(1)), half), half);
}

Launch::Launch(KernelBuilder &b, const AttentionSpec &spec, int64_t each,
               Rows numbering)
    : queries(b.scalar(kQueries)), spec(spec), numbering(numbering),
      kvHeads(b.scalar(kKvHeads)), group(b.scalar(kGroup)) {
  rows = numbering == OfHead ? queries : b.mul(queries, group);
  Value rowBlocks = b.ceilDiv(rows, each);
  Value head = b.div(b.workgroup(), rowBlocks);
  if (spec.split) {
    part = b.rem(head, b.scalar(kParts));
    slot = b.add(part, b.scalar(kFirstSlot));
    head = b.div(head, b.scalar(kParts));
  }
  Value block = b.rem(b.workgroup(), rowBlocks);
  if (spec.terms.causal)
    block = interleaved(b, block, rowBlocks);
  firstRow = b.mul(block, each);
  Value heads = numbering == OfHead ? b.mul(kvHeads, group) : kvHeads;
  batch = b.div(head, heads);
  Value own = b.rem(head, heads);
  queryHead = numbering == OfHead ? own : Value();
  kvHead = numbering == OfHead ? b.div(own, group) : own;
  initialise(b);
}

Launch::Launch(KernelBuilder &b, const AttentionSpec &spec, Value head,
               Value firstRow)
    : queries(b.scalar(kQueries)), rows(queries), firstRow(firstRow),
      spec(spec), kvHeads(b.scalar(kKvHeads)), group(b.scalar(kGroup)) {
  Value heads = b.mul(kvHeads, group);
  batch = b.div(head, heads);
  queryHead = b.rem(head, heads);
  kvHead = b.div(queryHead, group);
  initialise(b);
}

void Launch::initialise(KernelBuilder &b) {
  keys = b.scalar(kKeys);
  // Read from the launch even where they are known: drivers would unroll every
  // loop over them.
  headDim = b.scalar(kHeadDim);
  valueDim = b.scalar(kValueDim);

  auto base = [&](Value h, Scalar batchStride, Scalar headStride) {
    return b.add(b.mul(batch, b.scalar(batchStride)),
                 b.mul(h, b.scalar(headStride)));
  };
  kBase = base(kvHead, kKBatchStride, kKHeadStride);
  vBase = base(kvHead, kVBatchStride, kVHeadStride);
  kToken = b.scalar(kKTokenStride);
  vToken = b.scalar(kVTokenStride);

  const codegen::ScoreTerms &terms = score.terms = spec.terms;
  score.keys = keys;
  score.offset = b.scalar(kOffset);
  if (terms.lengths) {
    Value at = b.mul(batch, b.scalar(kKvLenBatchStride));
    Value length = b.maxS(b.loadI32(place(kKvLen), at), b.i32(0));
    score.keys = b.minS(length, keys);
    if (!spec.topLeft)
      score.offset = b.add(length, score.offset);
  }
  if (terms.left)
    score.left = b.scalar(kLeft);
  if (terms.right)
    score.right = b.scalar(kRight);
  if (terms.pin)
    score.pin = b.scalar(kPin);
  score.setScale(b, b.scalarF32(kScale),
                 terms.softcap ? b.scalarF32(kSoftcap) : Value());
}

//===----------------------------------------------------------------------===//
// Rows, keys and pairs
//===----------------------------------------------------------------------===//

Value Launch::element(KernelBuilder &b, Value row, Scalar strides) const {
  auto stride = [&](unsigned axis) { return b.scalar(strides + axis); };
  Value at = b.mul(batch, stride(0));
  at = b.add(at, b.mul(headOf(b, row), stride(1)));
  return b.add(at, b.mul(queryOf(b, row), stride(2)));
}

Value Launch::ofHead(KernelBuilder &b, Buffer buffer, Value row) const {
  return b.fmul(
      b.loadElement(place(buffer), spec.typeOf(buffer), headOf(b, row)),
      b.f32(M_LOG2E));
}

Value Launch::token(KernelBuilder &b, Buffer buffer, Scalar batchStride,
                    Value number) const {
  return b.loadI32(place(buffer),
                   b.add(b.mul(batch, b.scalar(batchStride)), number));
}

Launch::Row Launch::row(KernelBuilder &b, Value number) const {
  const codegen::ScoreTerms &terms = spec.terms;
  Value query = queryOf(b, number);
  Row r = score.row(b, terms.queryPositions
                           ? token(b, kQPos, kQPosBatchStride, query)
                           : b.add(query, score.offset));
  if (terms.segments)
    r.segment = token(b, kQSeg, kQSegBatchStride, query);
  if (terms.alibi)
    r.slope = ofHead(b, kAlibi, number);
  return r;
}

Launch::Key Launch::key(KernelBuilder &b, Value number) const {
  const codegen::ScoreTerms &terms = spec.terms;
  Key k;
  k.number = k.position = number;
  Value there = b.minS(number, b.sub(keys, b.i32(1)));
  if (terms.keyPositions)
    k.position = token(b, kKvPos, kKvPosBatchStride, there);
  if (terms.segments)
    k.segment = token(b, kKvSeg, kKvSegBatchStride, there);
  if (terms.keyScales)
    k.scale = scaleAt(b, kKScale, b.scalar(kKBlock), there);
  return k;
}

Launch::Key Launch::pair(KernelBuilder &b, Value row, Key key) const {
  Value there = b.minS(key.number, b.sub(keys, b.i32(1)));
  auto at = [&](Scalar strides) {
    return b.add(element(b, row, strides), there);
  };
  if (spec.terms.mask)
    key.mask = b.ne(b.loadElement(place(kMask), AGT_BOOL, at(kMaskBatchStride)),
                    b.i32(0));
  if (spec.terms.bias)
    key.bias = b.loadElement(place(kBias), spec.biasType, at(kBiasBatchStride));
  return key;
}

// The scale of the keys' block: [batch][kv head][block].
Value Launch::scaleAt(KernelBuilder &b, Buffer buffer, Value block,
                      Value key) const {
  Value blocks = b.div(b.add(keys, b.sub(block, b.i32(1))), block);
  Value head = b.add(b.mul(batch, kvHeads), kvHead);
  return b.loadElement(place(buffer), AGT_F32,
                       b.add(b.mul(head, blocks), b.div(key, block)));
}

Value Launch::valueScale(KernelBuilder &b, Value key) const {
  if (!spec.valueScales)
    return {};
  Value there = b.minS(key, b.sub(keys, b.i32(1)));
  return scaleAt(b, kVScale, b.scalar(kVBlock), there);
}

//===----------------------------------------------------------------------===//
// Blocks of keys
//===----------------------------------------------------------------------===//

// Whether the first launch found a pair in any of the blocks of rows.
Value Launch::mayBeSeen(KernelBuilder &b, Value first, Value last,
                        Value keyBlock) const {
  Value keyBlocks = b.ceilDiv(keys, kBlockKeys);
  Value rowBlocks = b.ceilDiv(queries, kBlockRows);
  Value blockHeads = b.scalar(kBlockHeads);
  // The rows' heads, or the one that stands for all.
  Value most = b.sub(blockHeads, b.i32(1));
  Value firstHead = queryHead ? queryHead : b.mul(kvHead, group);
  Value lastHead =
      queryHead ? queryHead : b.add(firstHead, b.sub(group, b.i32(1)));
  firstHead = b.minS(firstHead, most);
  lastHead = b.minS(lastHead, most);
  Value firstBlock = b.div(queryOf(b, first), kBlockRows);
  Value endBlock = b.add(b.div(queryOf(b, last), kBlockRows), 1);
  Variable seen = b.makeVariable(b.i32(0));
  b.store(seen, b.i32(0));
  b.forRange(firstHead, b.add(lastHead, 1), 1, [&](Value head) {
    Value down = b.mul(b.add(b.mul(batch, blockHeads), head), rowBlocks);
    b.forRange(firstBlock, endBlock, 1, [&](Value rowBlock) {
      Value at = b.add(b.mul(b.add(down, rowBlock), keyBlocks), keyBlock);
      b.store(seen, b.bitOr(b.load(seen), b.loadI32(place(kBlocks), at)));
    });
  });
  return b.ne(b.bitAnd(b.load(seen), kMaySee), b.i32(0));
}

void Launch::forKeyBlocks(KernelBuilder &b, Value first, Value last,
                          llvm::function_ref<void(Value, Value)> body) const {
  codegen::KeyBlocks blocks(b, score, row(b, first), row(b, last), kBlockKeys);
  if (part) {
    Value from =
        b.add(b.mul(part, b.scalar(kPartBlocks)), b.scalar(kFirstBlock));
    blocks.keepOnly(b, from, b.add(from, b.scalar(kPartBlocks)));
  }
  b.forRange(blocks.begin, blocks.count, 1, [&](Value turn) {
    Value block = blocks.number(b, turn);
    Value from = b.mul(block, kBlockKeys);
    Value to = b.minS(blocks.end, b.add(from, kBlockKeys));
    if (!spec.hasBlocks())
      return body(from, to);
    b.ifThen(mayBeSeen(b, first, last, block), [&] { body(from, to); });
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

codegen::FinishedRow Launch::finish(KernelBuilder &b, Value row, Value m,
                                    Value l) const {
  if (spec.partial)
    return codegen::unfinishedRow(b);
  return codegen::finishRow(
      b, m, l, spec.sink ? ofHead(b, kSink, row) : Value(), spec.lse);
}

void Launch::storeRow(KernelBuilder &b, Value row, Value m, Value l,
                      const codegen::FinishedRow &finished) const {
  if (!spec.has(kLse))
    return;
  Value at = element(b, row, kLseBatchStride);
  if (spec.lse)
    return b.storeWord(place(kLse), at, finished.lse);
  at = b.mul(at, 2);
  b.storeWord(place(kLse), at, m);
  b.storeWord(place(kLse), b.add(at, 1), l);
}

void Launch::store(KernelBuilder &b, llvm::function_ref<void()> finished,
                   llvm::function_ref<void()> partial) const {
  if (!spec.split)
    return finished();
  if (spec.leaves)
    return partial();
  b.ifElse(b.eq(b.scalar(kParts), b.i32(1)), finished, partial);
}

// [slot][batch][query head][query][value dims, m, l].
Value Launch::partialRow(KernelBuilder &b, Value slot, Value row) const {
  Value heads = b.mul(kvHeads, group);
  Value at = b.add(b.mul(slot, b.scalar(kBatch)), batch);
  at = b.add(b.mul(at, heads), headOf(b, row));
  at = b.add(b.mul(at, queries), queryOf(b, row));
  return b.mul(at, b.add(valueDim, 2));
}

void Launch::storePartial(KernelBuilder &b, Value row, Value m, Value l) const {
  Value at = b.add(partialRow(b, slot, row), valueDim);
  b.storeWord(place(kPartials), at, m);
  b.storeWord(place(kPartials), b.add(at, 1), l);
}

} // namespace agt::kernels::attention
