// Kernels: an agt.kernel as SPIR-V, in every form that codegen/kernels has for
// it.
#ifndef AGT_CODEGEN_SPIRV_KERNELS_H
#define AGT_CODEGEN_SPIRV_KERNELS_H

#include "codegen/spirv/KernelCode.h"
#include "dialect/Agt/Agt.h"

namespace agt::spirv {

/// Errors go to the context's diagnostics.
mlir::FailureOr<KernelCode> buildKernel(KernelOp kernel);

} // namespace agt::spirv

#endif // AGT_CODEGEN_SPIRV_KERNELS_H
