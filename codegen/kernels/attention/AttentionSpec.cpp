// See AttentionSpec.h.
#include "codegen/kernels/attention/AttentionSpec.h"

namespace agt::kernels::attention {

bool AttentionSpec::has(Buffer buffer) const {
  switch (buffer) {
  case kQ:
  case kK:
  case kV:
    return !rowsAlone;
  case kO:
    return !rowsAlone || !leaves;
  case kLse:
    return lse || (partial && !leaves);
  case kMask:
    return terms.mask;
  case kBias:
    return terms.bias;
  case kSink:
    return sink;
  case kAlibi:
    return terms.alibi;
  case kQPos:
    return terms.queryPositions;
  case kKvPos:
    return terms.keyPositions;
  case kQSeg:
  case kKvSeg:
    return terms.segments;
  case kKvLen:
    return terms.lengths;
  case kKScale:
    return terms.keyScales;
  case kVScale:
    return valueScales;
  case kBlocks:
    return hasBlocks();
  case kPartials:
    return split;
  case kMerges:
    return rowsAlone && leaves;
  case kBufferCount:
    break;
  }
  return false;
}

unsigned AttentionSpec::place(Buffer buffer) const {
  unsigned number = 0;
  for (unsigned i = 0; i < buffer; ++i)
    number += has(static_cast<Buffer>(i));
  return number;
}

agt_dtype AttentionSpec::typeOf(Buffer buffer) const {
  switch (buffer) {
  case kQ:
    return q;
  case kK:
    return k;
  case kV:
    return v;
  case kO:
    return o;
  case kMask:
    return AGT_BOOL;
  case kBias:
    return biasType;
  case kSink:
    return sinkType;
  case kAlibi:
    return alibiType;
  case kLse:
  case kKScale:
  case kVScale:
  case kPartials:
    return AGT_F32;
  default:
    return AGT_I32;
  }
}

LaunchSize launchOf(const AttentionSpec &spec, mlir::MLIRContext *context) {
  auto scalar = [&](Scalar s) { return mlir::getAffineSymbolExpr(s, context); };
  mlir::AffineExpr kvHeads = scalar(kBatch) * scalar(kKvHeads);
  if (spec.split)
    kvHeads = kvHeads * scalar(kParts);
  mlir::AffineExpr queries = scalar(kQueries);
  return {
      {queries, kvHeads * scalar(kGroup), kvHeads, scalar(kGroup) * queries},
      {}};
}

} // namespace agt::kernels::attention
