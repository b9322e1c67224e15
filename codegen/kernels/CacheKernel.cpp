// The kernel of cache_append: an invocation takes one element of the rows to
// its place. The cache is the kernel's result alone, never read: its memory is
// that of the operand (codegen/host), and all else in it stays.
#include "codegen/kernels/KernelVariants.h"

using namespace mlir;

namespace agt::kernels {

LogicalResult buildCacheAppend(VariantSet &variants, CacheAppendOp op) {
  KernelShapes &shapes = variants.shapes();
  Sizes rows = shapes.sizesOf(op.getRows());
  Sizes cache = shapes.sizesOf(op.getCache());
  Sizes slots = shapes.sizesOf(op.getSlots());
  AffineExpr count = shapes.count(rows), one = shapes.constant(1);

  LaunchSize &launch = variants.launch();
  launch.work = {count, one, one, one};
  launch.flops = count;

  VariantPlan plan;
  plan.profile = "any";
  plan.tile = {plan.workgroupSize, 1, 1, 1};
  return variants.add(plan, [&](Evaluator &e) {
    KernelBuilder &k = e.builder();
    Value number = k.add(k.mul(k.workgroup(), plan.workgroupSize), k.thread());
    e.ifThen(k.ult(number, e.size(count)), [&] {
      Place place = e.at(rows, Linear{number});
      Values at = e.indicesOf(place); // head, token, dim
      Value slot = e.element(op.getSlots(), e.at(slots, Values{at[1]}));
      Value row = k.add(k.mul(at[0], e.size(cache[1])), slot);
      Value to = k.add(k.mul(row, e.size(cache[2])), at[2]);
      e.ifThen(k.ult(slot, e.size(cache[1])),
               [&] { e.store(0, to, e.unrounded(op.getRows(), place)); });
    });
  });
}

} // namespace agt::kernels
