// See Launch.h.
#include "codegen/cpu/attention/Launch.h"

#include "codegen/kernels/attention/AttentionAbi.h"

#include <cmath>

using namespace agt::kernels::attention;
using agt::codegen::kBlockKeys;
using mlir::Value;

namespace agt::cpu {

Launch::Launch(CpuBuilder &b, const AttentionSpec &spec) : b(b), spec(spec) {
  kvHeads = b.scalar(kKvHeads);
  queries = b.scalar(kQueries);
  keys = b.scalar(kKeys);
  stacked = b.scalar(kGroup);
  headDim = spec.headDim ? b.index(spec.headDim) : b.scalar(kHeadDim);
  valueDim = spec.valueDim ? b.index(spec.valueDim) : b.scalar(kValueDim);
  rows = stacked * queries;
  Index heads = b.scalar(kBatch) * kvHeads;
  if (spec.split)
    heads = heads * b.scalar(kParts);
  blocks = b.groups() / max(heads, 1);
  Index head = b.group() / blocks;
  if (spec.split) {
    part = head % b.scalar(kParts);
    slot = part + b.scalar(kFirstSlot);
    head = head / b.scalar(kParts);
  }
  // Under a causal mask later rows are more work: those first.
  block = blocks - 1 - b.group() % blocks;
  batch = head / kvHeads;
  kvHead = head % kvHeads;

  auto base = [&](Buffer from, unsigned batchStride, Index headOffset) {
    return buffer(from) + (batch * b.scalar(batchStride) + headOffset);
  };
  qHead = b.scalar(kQHeadStride);
  qToken = b.scalar(kQTokenStride);
  oHead = b.scalar(kOHeadStride);
  oToken = b.scalar(kOTokenStride);
  kToken = b.scalar(kKTokenStride);
  vToken = b.scalar(kVTokenStride);
  Index firstHead = kvHead * stacked;
  q = base(kQ, kQBatchStride, firstHead * qHead);
  k = base(kK, kKBatchStride, kvHead * b.scalar(kKHeadStride));
  v = base(kV, kVBatchStride, kvHead * b.scalar(kVHeadStride));
  o = base(kO, kOBatchStride, firstHead * oHead);

  const codegen::ScoreTerms &terms = score.terms = spec.terms;
  score.keys = b.narrow(keys);
  score.offset = b.narrow(b.scalar(kOffset));
  if (terms.lengths) {
    Pointer at = buffer(kKvLen) + batch * b.scalar(kKvLenBatchStride);
    Value length = b.maxS(b.load(at), b.i32(0));
    score.keys = b.minS(length, score.keys);
    if (!spec.topLeft)
      score.offset = b.add(length, score.offset);
  }
  if (terms.left)
    score.left = b.narrow(b.scalar(kLeft));
  if (terms.right)
    score.right = b.narrow(b.scalar(kRight));
  if (terms.pin)
    score.pin = b.narrow(b.scalar(kPin));
  score.setScale(b, b.scalarF32(kScale),
                 terms.softcap ? b.scalarF32(kSoftcap) : Value());
}

Pointer Launch::buffer(Buffer buffer) const {
  return b.buffer(spec.place(buffer), b.memoryType(spec.typeOf(buffer)));
}

Pointer Launch::rowOf(Pointer base, Index row, Index head, Index token) const {
  return base + (row / stacked * token + row % stacked * head);
}

Pointer Launch::queryRow(Index row) const {
  return rowOf(q, row, qHead, qToken);
}

Pointer Launch::outputRow(Index row) const {
  return rowOf(o, row, oHead, oToken);
}

Index Launch::queryHead(Index row) const {
  return kvHead * stacked + row % stacked;
}

Value Launch::ofHead(Buffer from, Index row) const {
  Value x = b.loadF32(buffer(from) + queryHead(row), spec.typeOf(from), 0);
  return b.fmul(x, b.f32(M_LOG2E));
}

Launch::Row Launch::about(Index row) const {
  Index query = row / stacked;
  auto token = [&](Buffer from, Scalar stride) {
    return b.load(buffer(from) + (batch * b.scalar(stride) + query));
  };
  const codegen::ScoreTerms &terms = spec.terms;
  Row r =
      score.row(b, terms.queryPositions ? token(kQPos, kQPosBatchStride)
                                        : b.add(b.narrow(query), score.offset));
  if (terms.segments)
    r.segment = token(kQSeg, kQSegBatchStride);
  if (terms.alibi)
    r.slope = ofHead(kAlibi, row);
  return r;
}

Pointer Launch::pairs(Buffer from, Index row) const {
  Scalar first = from == kMask ? kMaskBatchStride : kBiasBatchStride;
  return buffer(from) +
         (batch * b.scalar(first) + queryHead(row) * b.scalar(first + 1) +
          row / stacked * b.scalar(first + 2));
}

Pointer Launch::tokens(Buffer from) const {
  Scalar stride = from == kKvPos ? kKvPosBatchStride : kKvSegBatchStride;
  return buffer(from) + batch * b.scalar(stride);
}

Pointer Launch::scale(Buffer from, Index key) const {
  Index size = b.scalar(from == kKScale ? kKBlock : kVBlock);
  Index each = (keys + size - 1) / size;
  return buffer(from) + ((batch * kvHeads + kvHead) * each + key / size);
}

Value Launch::blockWord(Index first, Index last, Index keyBlock) const {
  Index across = ceilDiv(keys, kBlockKeys);
  Index down = ceilDiv(queries, kBlockRows);
  Index heads = b.scalar(kBlockHeads);
  // The rows' heads, or the one that stands for all.
  Index most = heads - 1;
  Index firstHead = min(kvHead * stacked, most);
  Index lastHead = min(kvHead * stacked + (stacked - 1), most);
  Pointer words = buffer(kBlocks);
  return b.loop(
      firstHead, lastHead + 1, 1, {b.i32(0)},
      [&](Index head, mlir::ArrayRef<Value> outer) {
        Index rows = (batch * heads + head) * down;
        return b.loop(
            first / stacked / kBlockRows, last / stacked / kBlockRows + 1, 1,
            {outer[0]}, [&](Index row, mlir::ArrayRef<Value> carried) {
              Value word = b.load(words + ((rows + row) * across + keyBlock));
              return llvm::SmallVector<Value>{b.bitOr(carried[0], word)};
            });
      })[0];
}

Value Launch::hasBit(Value word, int32_t bit) const {
  return b.ne(b.bitAnd(word, bit), b.i32(0));
}

codegen::FinishedRow Launch::finish(Index row, Value m, Value l) const {
  if (spec.partial)
    return codegen::unfinishedRow(b);
  return codegen::finishRow(b, m, l, spec.sink ? ofHead(kSink, row) : Value(),
                            spec.lse);
}

void Launch::storeRow(Index row, Value m, Value l,
                      const codegen::FinishedRow &finished) const {
  if (!spec.has(kLse))
    return;
  Index at = batch * b.scalar(kLseBatchStride) +
             queryHead(row) * b.scalar(kLseHeadStride) +
             row / stacked * b.scalar(kLseTokenStride);
  if (spec.lse)
    return b.store(buffer(kLse) + at, finished.lse);
  Pointer state = buffer(kLse) + at * 2;
  b.store(state, m);
  b.store(state + 1, l);
}

void Launch::keepPart(codegen::KeyBlocks &keyBlocks) const {
  if (!spec.split)
    return;
  Index each = b.scalar(kPartBlocks);
  Index from = part * each + b.scalar(kFirstBlock);
  keyBlocks.keepOnly(b, b.narrow(from), b.narrow(from + each));
}

Pointer Launch::partialRow(Index row) const {
  Index at = slot * b.scalar(kBatch) + batch;
  at = at * (kvHeads * stacked) + queryHead(row);
  at = at * queries + row / stacked;
  return buffer(kPartials) + at * (valueDim + 2);
}

void Launch::storePartial(Index row, Value m, Value l) const {
  Pointer at = partialRow(row) + valueDim;
  b.store(at, m);
  b.store(at + 1, l);
}

} // namespace agt::cpu
