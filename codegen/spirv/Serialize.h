// From a kernel's module to SPIR-V words.
//
// The pipeline, one full conversion and three small passes: everything in the
// gpu.module to the `spirv` dialect, ABI attributes to execution modes and
// interface, common subexpressions, then the capabilities and extensions that
// the ops really need. A type or op the target lacks is an error, never
// emulated.
#ifndef AGT_CODEGEN_SPIRV_SERIALIZE_H
#define AGT_CODEGEN_SPIRV_SERIALIZE_H

#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace agt::spirv {

/// The dialects kernel builders use; load them before building.
void loadKernelDialects(mlir::MLIRContext &context);

/// SPIR-V 1.3 with the capabilities kernels may ask for under Vulkan.
mlir::spirv::TargetEnvAttr targetEnv(mlir::MLIRContext *context);

/// The same for kernels with cooperative matrices: SPIR-V 1.6, 16-bit floats
/// and Vulkan's memory model, which cooperative matrices ask for.
mlir::spirv::TargetEnvAttr matrixTargetEnv(mlir::MLIRContext *context);

/// Turns the gpu.module in `module` into a spirv.module, in place.
mlir::LogicalResult lowerToSpirv(mlir::ModuleOp module);

/// The words of the kernel in `module`, which stays as it is. Errors go to the
/// context's diagnostics.
mlir::FailureOr<std::vector<uint32_t>> serializeKernel(mlir::ModuleOp module);

} // namespace agt::spirv

#endif // AGT_CODEGEN_SPIRV_SERIALIZE_H
