// See LeavesKernel.h.
#include "codegen/kernels/attention/LeavesKernel.h"

#include "codegen/kernels/attention/Launch.h"

using namespace mlir;

namespace agt::kernels::attention {
namespace {

Value rowCount(KernelBuilder &b) {
  Value heads = b.mul(b.scalar(kKvHeads), b.scalar(kGroup));
  return b.mul(b.mul(b.scalar(kBatch), heads), b.scalar(kQueries));
}

AffineExpr rowWork(MLIRContext *context) {
  auto scalar = [&](Scalar s) { return getAffineSymbolExpr(s, context); };
  return scalar(kBatch) * scalar(kKvHeads) * scalar(kGroup) * scalar(kQueries);
}

/// Merges slots of one row.
class Merge {
public:
  Merge(KernelBuilder &b, const AttentionSpec &spec, const Launch &launch)
      : b(b), launch(launch), partials(spec.place(kPartials)),
        dims(b.scalar(kValueDim)) {}

  void move(Value into, Value from) {
    Value to = at(into), origin = at(from);
    b.forRange(b.i32(0), b.add(dims, 2), 1,
               [&](Value i) { store(b.add(to, i), load(b.add(origin, i))); });
  }

  // Where one side has seen nothing the other stays bit for bit. But a key that
  // weighs nothing may have been seen: sums that are no numbers count.
  void merge(Value into, Value left, Value right) {
    Value to = at(into), x = at(left), y = at(right);
    Value atM = dims, atL = b.add(dims, 1);
    Value mx = load(b.add(x, atM)), lx = load(b.add(x, atL));
    Value my = load(b.add(y, atM)), ly = load(b.add(y, atL));
    Value noX = b.fcmp(FPred::OEQ, lx, b.f32(0));
    Value noY = b.fcmp(FPred::OEQ, ly, b.f32(0));
    Value m = b.fmaxAny(mx, my);
    Value ofX = b.exp2NonPositive(b.fsub(mx, m));
    Value ofY = b.exp2NonPositive(b.fsub(my, m));
    auto either = [&](Value onlyX, Value onlyY, Value p, Value q, Value both) {
      return b.select(onlyY, q, b.select(onlyX, p, both));
    };
    auto sum = [&](Value p, Value q) { return b.fma(p, ofX, b.fmul(q, ofY)); };
    b.forRange(b.i32(0), dims, 1, [&](Value i) {
      Value p = load(b.add(x, i)), q = load(b.add(y, i));
      Value onlyX = b.logicalAnd(noY, isNumber(q));
      Value onlyY = b.logicalAnd(noX, isNumber(p));
      store(b.add(to, i), either(onlyX, onlyY, p, q, sum(p, q)));
    });
    store(b.add(to, atM), either(noY, noX, mx, my, m));
    store(b.add(to, atL), either(noY, noX, lx, ly, sum(lx, ly)));
  }

private:
  using FPred = KernelBuilder::FPred;

  Value at(Value slot) { return launch.partialRow(b, slot, launch.firstRow); }
  Value load(Value index) { return b.loadWord(partials, index); }
  void store(Value index, Value x) { b.storeWord(partials, index, x); }
  Value isNumber(Value x) { return b.fcmp(FPred::OEQ, x, x); }

  KernelBuilder &b;
  const Launch &launch;
  unsigned partials;
  Value dims;
};

void emitMerges(KernelBuilder &b, const AttentionSpec &spec, Value row) {
  Value queries = b.scalar(kQueries);
  Launch launch(b, spec, b.div(row, queries), b.rem(row, queries));
  unsigned merges = spec.place(kMerges);
  Merge merge(b, spec, launch);
  b.forRange(b.i32(0), b.mul(b.scalar(kMergeCount), 3), 3, [&](Value at) {
    auto slot = [&](int64_t i) { return b.loadI32(merges, b.add(at, i)); };
    Value into = slot(0), left = slot(1), right = slot(2);
    b.ifElse(
        b.lt(right, b.i32(0)), [&] { merge.move(into, left); },
        [&] { merge.merge(into, left, right); });
  });
}

} // namespace

const Numbered leavesKernel = {"attention_leaves", rowWork, rowCount,
                               emitMerges};

} // namespace agt::kernels::attention
