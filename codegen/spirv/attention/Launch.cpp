// See Launch.h.
#include "codegen/spirv/attention/Launch.h"

#include "codegen/spirv/attention/AttentionAbi.h"

#include <cmath>

using namespace mlir;

namespace agt::spirv::attention {

// Causal blocks grow heavier along the rows, and drivers on the CPU deal out
// contiguous ranges of workgroups: take blocks from both ends in turn.
static Value interleaved(KernelBuilder &b, Value number, Value count) {
  Value half = b.shr(number, 1);
  Value odd = b.eq(b.bitAnd(number, 1), b.i32(1));
  return b.select(odd, b.sub(b.sub(count, b.i32(1)), half), half);
}

Launch::Launch(KernelBuilder &b, const AttentionSpec &spec, int64_t rows) {
  queries = b.scalar(kQueries);
  keys = b.scalar(kKeys);
  // Read from the launch even where they are known: drivers would unroll every
  // loop over them.
  headDim = b.scalar(kHeadDim);
  valueDim = b.scalar(kValueDim);

  Value rowBlocks = b.ceilDiv(queries, rows);
  Value head = b.div(b.workgroup(), rowBlocks);
  Value block = b.rem(b.workgroup(), rowBlocks);
  if (spec.causal)
    block = interleaved(b, block, rowBlocks);
  firstRow = b.mul(block, rows);

  Value group = b.scalar(kGroup);
  Value heads = b.mul(b.scalar(kKvHeads), group);
  Value batch = b.div(head, heads);
  Value queryHead = b.rem(head, heads);
  Value kvHead = b.div(queryHead, group);
  auto base = [&](Value h, Scalar batchStride, Scalar headStride) {
    return b.add(b.mul(batch, b.scalar(batchStride)),
                 b.mul(h, b.scalar(headStride)));
  };
  qBase = base(queryHead, kQBatchStride, kQHeadStride);
  kBase = base(kvHead, kKBatchStride, kKHeadStride);
  vBase = base(kvHead, kVBatchStride, kVHeadStride);
  oBase = base(queryHead, kOBatchStride, kOHeadStride);
  qToken = b.scalar(kQTokenStride);
  kToken = b.scalar(kKTokenStride);
  vToken = b.scalar(kVTokenStride);
  oToken = b.scalar(kOTokenStride);

  score.causal = spec.causal;
  score.keys = keys;
  score.scaleLog2 = b.fmul(b.scalarF32(kScale), b.f32(M_LOG2E));
  if (spec.causal)
    score.causalOffset = b.scalar(kCausalOffset);
}

} // namespace agt::spirv::attention
