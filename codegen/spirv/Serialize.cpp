// See Serialize.h.
#include "codegen/spirv/Serialize.h"

#include "codegen/common/Verify.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace ir = mlir::spirv;

namespace agt::spirv {

void loadKernelDialects(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                      gpu::GPUDialect, ir::SPIRVDialect>();
}

static ir::TargetEnvAttr envOf(ir::VerCapExtAttr triple) {
  return ir::TargetEnvAttr::get(
      triple, ir::getDefaultResourceLimits(triple.getContext()),
      ir::ClientAPI::Vulkan, ir::Vendor::Unknown, ir::DeviceType::Unknown,
      ir::TargetEnvAttr::kUnknownDeviceID);
}

ir::TargetEnvAttr targetEnv(MLIRContext *context) {
  using C = ir::Capability;
  // 1.5 would list private variables in the interface, which spirv-val for
  // Vulkan rejects in the form MLIR writes them.
  return envOf(ir::VerCapExtAttr::get(
      ir::Version::V_1_3,
      {C::Shader, C::Int64, C::GroupNonUniform, C::GroupNonUniformBallot,
       C::GroupNonUniformShuffle, C::PhysicalStorageBufferAddresses},
      {ir::Extension::SPV_KHR_physical_storage_buffer}, context));
}

ir::TargetEnvAttr matrixTargetEnv(MLIRContext *context) {
  using C = ir::Capability;
  return envOf(ir::VerCapExtAttr::get(
      ir::Version::V_1_6,
      {C::Shader, C::Float16, C::GroupNonUniform, C::VulkanMemoryModel,
       C::PhysicalStorageBufferAddresses, C::CooperativeMatrixKHR},
      {ir::Extension::SPV_KHR_physical_storage_buffer,
       ir::Extension::SPV_KHR_cooperative_matrix},
      context));
}

namespace {

// The conversion as a pass of our own: upstream's passes leave no way to turn
// the emulation of missing types off.
struct ConvertKernel : PassWrapper<ConvertKernel, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertKernel)

  void runOnOperation() override {
    auto env = ir::lookupTargetEnvOrDefault(getOperation());
    auto target = SPIRVConversionTarget::get(env);
    SPIRVConversionOptions options;
    options.emulateUnsupportedFloatTypes = false;
    options.emulateLT32BitScalarTypes = false;
    SPIRVTypeConverter types(env, options);
    RewritePatternSet patterns(&getContext());
    ScfToSPIRVContext scf;
    populateSCFToSPIRVPatterns(types, scf, patterns);
    populateGPUToSPIRVPatterns(types, patterns);
    populateMathToSPIRVPatterns(types, patterns);
    arith::populateArithToSPIRVPatterns(types, patterns);
    SmallVector<Operation *> kernels;
    for (auto kernel : getOperation().getOps<gpu::GPUModuleOp>())
      kernels.push_back(kernel);
    if (failed(applyFullConversion(kernels, *target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

// Without this decoration drivers reassociate sums of products: a reduction in
// two parts, x - n * high - n * low, becomes x - n * (high + low).
static void forbidContraction(ModuleOp module) {
  auto name = ir::stringifyDecoration(ir::Decoration::NoContraction);
  auto attribute = StringAttr::get(module.getContext(),
                                   llvm::convertToSnakeFromCamelCase(name));
  auto unit = UnitAttr::get(module.getContext());
  module.walk([&](Operation *op) {
    if (isa<ir::FAddOp, ir::FSubOp, ir::FMulOp, ir::FDivOp, ir::GLFmaOp>(op))
      op->setAttr(attribute, unit);
  });
}

// What MLIR leaves out of modules for Vulkan's memory model: the model itself,
// its capability, and (from 1.4 on) every global variable in the interface.
static void finishMatrixKernel(ir::ModuleOp kernel, ir::TargetEnvAttr env) {
  MLIRContext *context = kernel.getContext();
  kernel.setMemoryModel(ir::MemoryModel::Vulkan);
  kernel.setVceTripleAttr(env.getTripleAttr());
  SmallVector<Attribute> interface;
  for (auto variable : kernel.getOps<ir::GlobalVariableOp>())
    interface.push_back(SymbolRefAttr::get(context, variable.getSymName()));
  for (auto entry : kernel.getOps<ir::EntryPointOp>())
    entry.setInterfaceAttr(ArrayAttr::get(context, interface));
}

LogicalResult lowerToSpirv(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(codegen::verifiesEachPass());
  pm.addPass(std::make_unique<ConvertKernel>());
  OpPassManager &inner = pm.nest<ir::ModuleOp>();
  inner.addPass(ir::createSPIRVLowerABIAttributesPass());
  inner.addPass(createCSEPass());
  inner.addPass(ir::createSPIRVUpdateVCEPass());
  if (failed(pm.run(module)))
    return failure();
  forbidContraction(module);
  auto env = ir::lookupTargetEnvOrDefault(module);
  if (ir::TargetEnv(env).allows(ir::Capability::VulkanMemoryModel))
    for (auto kernel : module.getOps<ir::ModuleOp>())
      finishMatrixKernel(kernel, env);
  return success();
}

FailureOr<std::vector<uint32_t>> serializeKernel(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(lowerToSpirv(*copy)))
    return failure();
  SmallVector<uint32_t, 0> words;
  for (auto kernel : copy->getOps<ir::ModuleOp>())
    if (failed(ir::serialize(kernel, words)))
      return failure();
  return std::vector<uint32_t>(words.begin(), words.end());
}

} // namespace agt::spirv
