// See Kernels.h.
#include "codegen/spirv/Kernels.h"

#include "codegen/kernels/KernelVariants.h"
#include "codegen/spirv/Serialize.h"
#include "codegen/spirv/SpirvBuilder.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;

namespace agt::spirv {
namespace {

/// Each variant is built, lowered and serialised.
class SpirvVariantSet : public kernels::VariantSet {
public:
  using VariantSet::VariantSet;

  LogicalResult
  add(const kernels::VariantPlan &plan,
      llvm::function_ref<void(kernels::Evaluator &)> body) override;

  std::vector<KernelBinary> variants;
};

// The features that the ops of a module need.
uint32_t featuresOf(ModuleOp module) {
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

LogicalResult
SpirvVariantSet::add(const kernels::VariantPlan &plan,
                     llvm::function_ref<void(kernels::Evaluator &)> body) {
  SpirvBuilder builder(
      UnknownLoc::get(kernel().getContext()),
      {"kernel", plan.workgroupSize, kernels::Evaluator::buffersOf(kernel())});
  builder.guarded([&] {
    kernels::Evaluator evaluator(builder, kernel(), shapes());
    body(evaluator);
  });
  OwningOpRef<ModuleOp> module = builder.finish();
  FailureOr<std::vector<uint32_t>> words = serializeKernel(*module);
  if (failed(words))
    return failure();
  uint32_t features = featuresOf(*module);
  variants.push_back(
      {plan.profile, std::make_shared<OwningOpRef<ModuleOp>>(std::move(module)),
       std::move(*words), plan.subgroupSize, features, plan.minFlops,
       plan.tile});
  return success();
}

} // namespace

FailureOr<KernelCode> buildKernel(KernelOp kernel) {
  loadKernelDialects(*kernel.getContext());
  SpirvVariantSet set(kernel);
  if (failed(buildVariants(set)))
    return kernel.emitError("kernel '")
           << kernel.getLabel() << "' cannot be built";
  KernelCode code;
  code.name = kernel.getLabel().str();
  code.launch = std::move(set.launch());
  code.variants = std::move(set.variants);
  return std::move(code);
}

} // namespace agt::spirv
