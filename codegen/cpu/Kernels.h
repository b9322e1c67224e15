// Kernels: an agt.kernel as native code.
#ifndef AGT_CODEGEN_CPU_KERNELS_H
#define AGT_CODEGEN_CPU_KERNELS_H

#include "codegen/cpu/CpuCode.h"
#include "dialect/Agt/Agt.h"

#include "mlir/IR/BuiltinOps.h"

namespace agt::cpu {

/// Adds the kernel for `target` to `module` as functions whose names begin with
/// `name`. Buffers, scalars and work are those of
/// codegen/kernels/KernelVariants.h.
mlir::FailureOr<std::vector<CpuVariant>> buildKernel(mlir::ModuleOp module,
                                                     llvm::StringRef name,
                                                     KernelOp kernel,
                                                     const Target &target);

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_KERNELS_H
