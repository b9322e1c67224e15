// See Launch.h.
#include "codegen/cpu/attention/Launch.h"

#include "codegen/spirv/attention/AttentionAbi.h"

#include <cmath>

using namespace agt::spirv::attention;

namespace agt::cpu {

Launch::Launch(CpuBuilder &b, const AttentionSpec &spec) : causal(spec.causal) {
  Index kvHeads = b.scalar(kKvHeads);
  queries = b.scalar(kQueries);
  keys = b.scalar(kKeys);
  stacked = b.scalar(kGroup);
  headDim = spec.headDim ? b.index(spec.headDim) : b.scalar(kHeadDim);
  valueDim = spec.valueDim ? b.index(spec.valueDim) : b.scalar(kValueDim);
  rows = stacked * queries;
  blocks = b.groups() / max(b.scalar(kBatch) * kvHeads, 1);
  Index head = b.group() / blocks;
  // Under a causal mask later rows are more work: those first.
  block = blocks - 1 - b.group() % blocks;
  Index batch = head / kvHeads, kvHead = head % kvHeads;

  auto base = [&](unsigned buffer, agt_dtype dtype, unsigned batchStride,
                  Index headOffset) {
    return b.buffer(buffer, b.memoryType(dtype)) +
           (batch * b.scalar(batchStride) + headOffset);
  };
  qHead = b.scalar(kQHeadStride);
  qToken = b.scalar(kQTokenStride);
  oHead = b.scalar(kOHeadStride);
  oToken = b.scalar(kOTokenStride);
  kToken = b.scalar(kKTokenStride);
  vToken = b.scalar(kVTokenStride);
  Index firstHead = kvHead * stacked;
  q = base(kQ, spec.q, kQBatchStride, firstHead * qHead);
  k = base(kK, spec.k, kKBatchStride, kvHead * b.scalar(kKHeadStride));
  v = base(kV, spec.v, kVBatchStride, kvHead * b.scalar(kVHeadStride));
  o = base(kO, spec.o, kOBatchStride, firstHead * oHead);
  scaleLog2 = b.fmul(b.scalarF32(kScale), b.f32(M_LOG2E));
  causalOffset = b.scalar(kCausalOffset);
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

Index Launch::visibleEnd(Index row) const {
  if (!causal)
    return keys;
  return max(min(row / stacked + causalOffset + 1, keys), 0);
}

} // namespace agt::cpu
