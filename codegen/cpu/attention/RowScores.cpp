// See RowScores.h.
#include "codegen/cpu/attention/RowScores.h"

using namespace mlir;
using namespace agt::kernels::attention;
using agt::codegen::kBlockKeys;
using agt::codegen::ScoreExpr;

namespace agt::cpu {

ScoreExpr::Row RowScores::splat(const ScoreExpr::Row &row) {
  ScoreExpr::Row r = row;
  for (Value *field : {&r.position, &r.begin, &r.end, &r.pinEnd, &r.low,
                       &r.high, &r.segment, &r.slope})
    if (*field)
      *field = b.splat(*field, lanes);
  return r;
}

// Of as many keys as there are lanes. What is read past the last key means
// nothing: it is never seen.
ScoreExpr::Key RowScores::keys(Index row, Index first) {
  ScoreExpr::Key key;
  Value number = b.splat(b.narrow(first), lanes);
  {
    CpuBuilder::Lanes scope(b, lanes);
    number = b.add(number, b.laneNumbers(lanes));
  }
  key.number = key.position = number;
  if (spec.terms.keyPositions)
    key.position = b.load(launch.tokens(kKvPos) + first, lanes);
  if (spec.terms.segments)
    key.segment = b.load(launch.tokens(kKvSeg) + first, lanes);
  if (spec.terms.mask) {
    Value bytes = b.load(launch.pairs(kMask, row) + first, lanes);
    Value none = arith::ConstantOp::create(
        b.builder(), b.builder().getZeroAttr(bytes.getType()));
    key.mask = b.ne(bytes, none);
  }
  if (spec.terms.bias)
    key.bias =
        b.loadF32(launch.pairs(kBias, row) + first, spec.biasType, lanes);
  return key;
}

void RowScores::apply(Index row, Index firstKey, Pointer scores, Pointer scales,
                      Pointer seen, bool masked) {
  ScoreExpr::Row about = splat(launch.about(row));
  // Scalars of the launch as vectors.
  ScoreExpr score = launch.score;
  for (Value *field : {&score.keys, &score.pin, &score.cap})
    if (*field)
      *field = b.splat(*field, lanes);
  b.loop(b.index(0), b.index(kBlockKeys), lanes, [&](Index at) {
    ScoreExpr::Key key = keys(row, firstKey + at);
    Value product = b.load(scores + at, lanes);
    if (spec.terms.keyScales)
      key.scale = b.load(scales + at, lanes);
    CpuBuilder::Lanes scope(b, lanes);
    if (!masked) {
      b.store(scores + at, score.value(b, product, about, key));
      return;
    }
    Value visible = score.visible(b, about, key);
    b.store(seen + at, b.select(visible, b.f32(1), b.f32(0)));
    b.store(scores + at, score.score(b, product, about, key, visible));
  });
}

} // namespace agt::cpu
