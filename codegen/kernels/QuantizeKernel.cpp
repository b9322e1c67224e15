// Kernels of quantize: a scale for each head and block of tokens. A block is a
// contiguous run of elements that one subgroup, or one invocation, goes over
// twice: for its largest magnitude, and to store.
#include "codegen/kernels/KernelVariants.h"

#include "dialect/Agt/Shapes.h"

#include <cmath>

using namespace mlir;

namespace agt::kernels {

namespace {

class QuantizeKernel {
public:
  QuantizeKernel(Evaluator &evaluator, QuantizeOp op, uint32_t lanes)
      : e(evaluator), k(evaluator.builder()), op(op), lanes(lanes),
        sizes(evaluator.kernelShapes().sizesOf(op.getInput())) {}

  void build(Value block);

private:
  void eachElement(llvm::function_ref<void(Value number)> body) {
    Value start = lanes > 1 ? k.add(first, k.thread()) : first;
    e.forRange(start, last, lanes, body);
  }
  Value element(Value number) {
    return e.element(op.getInput(), e.at(sizes, Linear{number}));
  }
  Value quantized(Value x, Value scale);

  Evaluator &e;
  KernelBuilder &k;
  QuantizeOp op;
  uint32_t lanes;
  const Sizes &sizes;
  Value first, last; // of this block, in C order
};

} // namespace

static Type valueType(QuantizeOp op) {
  return tensorType(op.getValues()).getElementType();
}

// x / scale to the nearest even value; a block of zeros has scale 0.
Value QuantizeKernel::quantized(Value x, Value scale) {
  Value quotient = e.elementary().divide(x, scale);
  Value zero = k.fcmp(KernelBuilder::FPred::OEQ, scale, k.f32(0));
  quotient = k.select(zero, k.f32(0), quotient);
  Type type = valueType(op);
  if (ElementTypes::isFloat(type))
    return quotient;
  return e.elementTypes().cast(k.f32Type(), type, k.roundEven(quotient));
}

void QuantizeKernel::build(Value block) {
  AffineExpr dim = sizes.back(), tokens = sizes[sizes.size() - 2];
  int64_t length = op.getBlock();
  Value perHead = e.size(tokens.ceilDiv(length));
  Value head = k.div(block, perHead);
  Value inHead = k.sub(block, k.mul(head, perHead));
  Value token = k.mul(inHead, length);
  Value end = k.minU(k.add(token, length), e.size(tokens));
  Value before = k.mul(head, e.size(tokens));
  first = k.mul(k.add(before, token), e.size(dim));
  last = k.mul(k.add(before, end), e.size(dim));

  Variable largest = k.makeVariable(k.f32(0));
  eachElement([&](Value number) {
    k.store(largest, k.fmaxNaN(k.load(largest), k.fabs(element(number))));
  });
  Value top = combineLanes(k, lanes, {k.load(largest)},
                           [&](ArrayRef<Value> a, ArrayRef<Value> b) {
                             return Values{k.fmaxNaN(a[0], b[0])};
                           })[0];
  double most = ElementTypes::isFloat(valueType(op)) ? 448 : 127;
  Value scale = k.fdiv(top, k.f32(most));
  eachElement([&](Value number) {
    e.store(0, number, quantized(element(number), scale));
  });
  auto storeScale = [&] { e.store(1, block, scale); };
  if (lanes == 1)
    return storeScale();
  e.ifThen(k.eq(k.thread(), k.i32(0)), storeScale);
}

LogicalResult buildQuantize(VariantSet &variants, QuantizeOp op) {
  KernelShapes &shapes = variants.shapes();
  AffineExpr blocks = shapes.count(shapes.sizesOf(op.getScales()));
  AffineExpr one = shapes.constant(1);
  LaunchSize &launch = variants.launch();
  launch.work = {blocks, one, one, one};
  launch.flops = shapes.count(shapes.sizesOf(op.getInput())) * 2;
  for (uint32_t size : VariantSet::subgroupSizes()) {
    VariantPlan plan{"blocks/" + std::to_string(size),
                     size,
                     static_cast<int32_t>(size),
                     {1, 1, 1, 1},
                     0};
    if (failed(variants.add(plan, [&](Evaluator &e) {
          QuantizeKernel(e, op, size).build(e.builder().workgroup());
        })))
      return failure();
  }
  VariantPlan plan{"any", 0, 64, {64, 1, 1, 1}, 0};
  return variants.add(plan, [&](Evaluator &e) {
    KernelBuilder &k = e.builder();
    Value block = k.add(k.mul(k.workgroup(), plan.workgroupSize), k.thread());
    e.ifThen(k.ult(block, e.size(blocks)),
             [&] { QuantizeKernel(e, op, 1).build(block); });
  });
}

} // namespace agt::kernels
