// See KernelVariants.h.
#include "codegen/spirv/KernelVariants.h"

#include "codegen/spirv/Serialize.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;

namespace agt::spirv {

VariantSet::VariantSet(KernelOp kernel) : op(kernel), kernelShapes(kernel) {
  result.name = kernel.getLabel().str();
}

ArrayRef<uint32_t> VariantSet::subgroupSizes() {
  static const uint32_t sizes[] = {8, 4, 16, 32};
  return sizes;
}

// The features that the ops of a module need.
static uint32_t featuresOf(ModuleOp module) {
  uint32_t features = 0;
  module.walk([&](Operation *op) {
    if (isa<mlir::spirv::GroupNonUniformBroadcastOp>(op))
      features |= AGT_FEATURE_BROADCAST;
    if (isa<mlir::spirv::GroupNonUniformShuffleOp>(op))
      features |= AGT_FEATURE_SHUFFLE;
    for (Type type : op->getResultTypes())
      if (type.isInteger(64))
        features |= AGT_FEATURE_INT64;
  });
  return features;
}

LogicalResult VariantSet::add(const VariantPlan &plan,
                              llvm::function_ref<void(Evaluator &)> body) {
  KernelBuilder builder(
      UnknownLoc::get(op.getContext()),
      {"kernel", plan.workgroupSize, Evaluator::buffersOf(op)});
  builder.guarded([&] {
    Evaluator evaluator(builder, op, kernelShapes);
    body(evaluator);
  });
  OwningOpRef<ModuleOp> module = builder.finish();
  FailureOr<std::vector<uint32_t>> words = serializeKernel(*module);
  if (failed(words))
    return failure();
  uint32_t features = featuresOf(*module);
  result.variants.push_back(
      {plan.profile, std::make_shared<OwningOpRef<ModuleOp>>(std::move(module)),
       std::move(*words), plan.subgroupSize, features, plan.minFlops,
       plan.tile});
  return success();
}

Values combineLanes(
    KernelBuilder &k, uint32_t size, Values values,
    llvm::function_ref<Values(ArrayRef<Value>, ArrayRef<Value>)> combine) {
  if (size <= 1)
    return values;
  auto fromLanes = [&](llvm::function_ref<Value(Value)> move) {
    Values moved;
    for (Value value : values)
      moved.push_back(move(value));
    return moved;
  };
  // Small subgroups belong to CPU drivers, where a broadcast with a constant
  // lane is one instruction and a shuffle is not.
  if (size > 16) {
    for (uint32_t distance = 1; distance < size; distance *= 2) {
      Value partner = k.bitXor(k.thread(), k.i32(distance));
      values = combine(values, fromLanes([&](Value value) {
                         return k.shuffle(value, partner);
                       }));
    }
    return values;
  }
  SmallVector<Values> tree;
  for (uint32_t lane = 0; lane < size; ++lane)
    tree.push_back(
        fromLanes([&](Value value) { return k.broadcast(value, lane); }));
  while (tree.size() > 1) {
    SmallVector<Values> next;
    for (size_t i = 0; i < tree.size(); i += 2)
      next.push_back(combine(tree[i], tree[i + 1]));
    tree = std::move(next);
  }
  return tree.front();
}

} // namespace agt::spirv
