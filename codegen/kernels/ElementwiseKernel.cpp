// A kernel without an anchor: an invocation computes one word of the result,
// which is 1, 2 or 4 elements (an i64 is one element and two words).
#include "codegen/kernels/KernelVariants.h"

using namespace mlir;

namespace agt::kernels {

// Operations an element, in multiply-adds or so: for --stats and the choice of
// variants only.
static int64_t costOf(KernelOp kernel) {
  int64_t cost = 0;
  for (Operation &op : kernel.getBody().front().without_terminator())
    cost += isa<ExpOp, LogOp, TanhOp, SigmoidOp, SiluOp, GeluOp, GeluTanhOp,
                CosOp, SinOp, RotateOp>(op)
                ? 8
                : 1;
  return cost;
}

LogicalResult buildElementwise(VariantSet &variants) {
  KernelOp kernel = variants.kernel();
  Value root = kernel.getBody().front().getTerminator()->getOperand(0);
  KernelShapes &shapes = variants.shapes();
  Sizes sizes = shapes.sizesOf(root);
  AffineExpr count = shapes.count(sizes);
  int64_t perWord = ElementTypes::perWord(
      cast<RankedTensorType>(root.getType()).getElementType());
  AffineExpr words = count.ceilDiv(perWord);

  LaunchSize &launch = variants.launch();
  launch.work = {words, shapes.constant(1), shapes.constant(1),
                 shapes.constant(1)};
  launch.flops = count * costOf(kernel);

  VariantPlan plan;
  plan.profile = "any";
  plan.tile = {plan.workgroupSize, 1, 1, 1};
  return variants.add(plan, [&](Evaluator &e) {
    KernelBuilder &k = e.builder();
    Value word = k.add(k.mul(k.workgroup(), plan.workgroupSize), k.thread());
    e.ifThen(k.ult(word, e.size(words)), [&] {
      SmallVector<Value> values;
      for (int64_t i = 0; i < perWord; ++i) {
        Linear linear{word, perWord, i};
        // The last word may be part padding: its elements are computed as the
        // last real one.
        if (i > 0 && !count.isMultipleOf(perWord))
          linear = {k.minU(e.numberOf(linear), k.sub(e.size(count), k.i32(1)))};
        values.push_back(e.unrounded(root, e.at(sizes, linear)));
      }
      e.storeWord(0, word, values);
    });
  });
}

} // namespace agt::kernels
