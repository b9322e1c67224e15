// See Partial.h.
#include "codegen/common/Partial.h"

#include "codegen/common/ElementaryMath.h"

#include <cmath>

using namespace mlir;

namespace agt::codegen {

// Combines neighbours until one is left.
static Value tree(ArrayRef<Value> values,
                  llvm::function_ref<Value(Value, Value)> combine) {
  SmallVector<Value> level(values);
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(combine(level[i], level[i + 1]));
    if (level.size() % 2)
      next.push_back(level.back());
    level = std::move(next);
  }
  return level.front();
}

Value sumTree(ValueBuilder &b, ArrayRef<Value> values) {
  return tree(values, [&](Value x, Value y) { return b.fadd(x, y); });
}

Value emptyMaximum(ValueBuilder &b) { return b.f32Bits(0xff7fffff); }

BlockSoftmax softmaxBlock(ValueBuilder &b, Value m, ArrayRef<Value> scores) {
  BlockSoftmax r;
  Value top = tree(scores, [&](Value x, Value y) { return b.fmaxAny(x, y); });
  r.m = b.fmaxAny(m, top);
  r.correction = b.exp2NonPositive(b.fsub(m, r.m));
  for (Value score : scores)
    r.weights.push_back(b.exp2NonPositive(b.fsub(score, r.m)));
  r.sum = sumTree(b, r.weights);
  return r;
}

Value finishValue(ValueBuilder &b, Value o, Value factor) {
  return b.select(b.flt(factor, b.f32(0)), b.f32(0), b.fmul(o, factor));
}

FinishedRow unfinishedRow(ValueBuilder &b) { return {b.f32(1), {}}; }

FinishedRow finishRow(ValueBuilder &b, Value m, Value l, Value sink, bool lse) {
  FinishedRow r;
  Value correction;
  if (sink) {
    Value top = b.fmaxAny(m, sink);
    correction = b.exp2NonPositive(b.fsub(m, top));
    l = b.fma(l, correction, b.exp2NonPositive(b.fsub(sink, top)));
    m = top;
  }
  Value empty = b.fcmp(ValueBuilder::FPred::OEQ, l, b.f32(0));
  r.factor = b.fdiv(correction ? correction : b.f32(1), l);
  r.factor = b.select(empty, b.f32(-1), r.factor);
  // m is finite, so that a row that saw nothing comes to ln 0.
  if (lse)
    r.lse = b.fma(m, b.f32(M_LN2), ElementaryMath(b).log(l));
  return r;
}

} // namespace agt::codegen
