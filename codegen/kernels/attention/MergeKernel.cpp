// See MergeKernel.h.
#include "codegen/kernels/attention/MergeKernel.h"

#include "codegen/kernels/attention/Launch.h"

using namespace mlir;

namespace agt::kernels::attention {
namespace {

/// Elements of a row that a thread makes: what the parts count for is worked
/// out once for all of them.
constexpr int64_t kElements = 16;

Value runsOfRow(KernelBuilder &b) {
  return b.ceilDiv(b.scalar(kValueDim), kElements);
}

Value mergedCount(KernelBuilder &b) {
  Value heads = b.mul(b.scalar(kKvHeads), b.scalar(kGroup));
  return b.mul(b.mul(b.scalar(kBatch), heads),
               b.mul(b.scalar(kQueries), runsOfRow(b)));
}

AffineExpr mergedWork(MLIRContext *context) {
  auto scalar = [&](Scalar s) { return getAffineSymbolExpr(s, context); };
  return scalar(kBatch) * scalar(kKvHeads) * scalar(kGroup) * scalar(kQueries) *
         scalar(kValueDim).ceilDiv(kElements);
}

void emitMerged(KernelBuilder &b, const AttentionSpec &spec, Value number) {
  Value dims = b.scalar(kValueDim), queries = b.scalar(kQueries);
  Value runs = runsOfRow(b), row = b.div(number, runs);
  Value firstDim = b.mul(b.rem(number, runs), kElements);
  Launch launch(b, spec, b.div(row, queries), b.rem(row, queries));
  row = launch.firstRow;

  unsigned partials = spec.place(kPartials);
  auto load = [&](Value part, Value at) {
    Value slot = b.add(part, b.scalar(kFirstSlot));
    return b.loadWord(partials, b.add(launch.partialRow(b, slot, row), at));
  };
  Value atM = dims, atL = b.add(dims, 1);
  Value none = b.i32(0), parts = b.scalar(kParts);
  Variable m = b.makeVariable(b.f32Type()), l = b.makeVariable(b.f32Type());
  b.store(m, codegen::emptyMaximum(b));
  b.store(l, b.f32(0));
  SmallVector<Variable> sums;
  for (int64_t i = 0; i < kElements; ++i) {
    sums.push_back(b.makeVariable(b.f32Type()));
    b.store(sums.back(), b.f32(0));
  }
  b.forRange(none, parts, 1, [&](Value part) {
    b.store(m, b.fmaxAny(b.load(m), load(part, atM)));
  });
  // The last run of a row may be shorter: what is past its end is read as its
  // last element, and not stored.
  Value last = b.add(dims, -1);
  b.forRange(none, parts, 1, [&](Value part) {
    Value factor = b.exp2NonPositive(b.fsub(load(part, atM), b.load(m)));
    b.store(l, b.fma(load(part, atL), factor, b.load(l)));
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value dim = b.minS(b.add(firstDim, i), last);
      b.store(sum, b.fma(load(part, dim), factor, b.load(sum)));
    }
  });

  codegen::FinishedRow done = launch.finish(b, row, b.load(m), b.load(l));
  Value out = launch.oRow(b, row);
  for (int64_t i = 0; i < kElements; ++i) {
    Value dim = b.add(firstDim, i);
    b.ifThen(b.lt(dim, dims), [&] {
      b.storeElement(spec.place(kO), spec.o, b.add(out, dim),
                     codegen::finishValue(b, b.load(sums[i]), done.factor));
    });
  }
  if (spec.has(kLse))
    b.ifThen(b.eq(firstDim, none),
             [&] { launch.storeRow(b, row, b.load(m), b.load(l), done); });
}

} // namespace

const Numbered mergeKernel = {"attention_merge", mergedWork, mergedCount,
                              emitMerged};

} // namespace agt::kernels::attention
