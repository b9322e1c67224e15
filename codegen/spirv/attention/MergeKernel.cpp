// See MergeKernel.h.
#include "codegen/spirv/attention/MergeKernel.h"

#include "codegen/spirv/attention/Launch.h"

using namespace mlir;

namespace agt::spirv::attention {
namespace {

Value mergedCount(KernelBuilder &b) {
  Value heads = b.mul(b.scalar(kKvHeads), b.scalar(kGroup));
  return b.mul(b.mul(b.scalar(kBatch), heads),
               b.mul(b.scalar(kQueries), b.scalar(kValueDim)));
}

AffineExpr mergedWork(MLIRContext *context) {
  auto scalar = [&](Scalar s) { return getAffineSymbolExpr(s, context); };
  return scalar(kBatch) * scalar(kKvHeads) * scalar(kGroup) * scalar(kQueries) *
         scalar(kValueDim);
}

void emitMerged(KernelBuilder &b, const AttentionSpec &spec, Value number) {
  Value dims = b.scalar(kValueDim), queries = b.scalar(kQueries);
  Value dim = b.rem(number, dims), row = b.div(number, dims);
  Launch launch(b, spec, b.div(row, queries), b.rem(row, queries));
  row = launch.firstRow;

  unsigned partials = spec.place(kPartials);
  auto load = [&](Value part, Value at) {
    return b.loadWord(partials, b.add(launch.partialRow(b, part, row), at));
  };
  Value atM = dims, atL = b.add(dims, 1);
  Value none = b.i32(0), parts = b.scalar(kParts);
  Variable m = b.makeVariable(b.f32Type());
  Variable l = b.makeVariable(b.f32Type()), sum = b.makeVariable(b.f32Type());
  b.store(m, codegen::emptyMaximum(b));
  b.store(l, b.f32(0));
  b.store(sum, b.f32(0));
  b.forRange(none, parts, 1, [&](Value part) {
    b.store(m, b.fmaxAny(b.load(m), load(part, atM)));
  });
  b.forRange(none, parts, 1, [&](Value part) {
    Value factor = b.exp2NonPositive(b.fsub(load(part, atM), b.load(m)));
    b.store(l, b.fma(load(part, atL), factor, b.load(l)));
    b.store(sum, b.fma(load(part, dim), factor, b.load(sum)));
  });

  codegen::FinishedRow done = launch.finish(b, row, b.load(m), b.load(l));
  b.storeElement(kO, spec.o, b.add(launch.oRow(b, row), dim),
                 codegen::finishValue(b, b.load(sum), done.factor));
  if (spec.has(kLse))
    b.ifThen(b.eq(dim, none),
             [&] { launch.storeRow(b, row, b.load(m), b.load(l), done); });
}

} // namespace

const Numbered mergeKernel = {"attention_merge", mergedWork, mergedCount,
                              emitMerged};

} // namespace agt::spirv::attention
