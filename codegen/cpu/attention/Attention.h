// Attention on the CPU: agt.attention as native code.
#ifndef AGT_CODEGEN_CPU_ATTENTION_ATTENTION_H
#define AGT_CODEGEN_CPU_ATTENTION_ATTENTION_H

#include "codegen/cpu/CpuCode.h"
#include "codegen/kernels/attention/NumberedKernel.h"

#include "mlir/IR/BuiltinOps.h"

namespace agt::cpu {

/// Adds the kernel for `target` to `module` as a function whose name begins
/// with `name`. Its launch has the buffers and scalars of the SPIR-V kernel
/// (codegen/kernels/attention/AttentionAbi.h) and its work, of which it cuts
/// work[2], the kv heads of all batches and parts of the keys, and work[3], the
/// query rows of a kv head.
std::vector<CpuVariant>
buildAttention(mlir::ModuleOp module, llvm::StringRef name, mlir::Location loc,
               const kernels::attention::AttentionSpec &spec,
               const Target &target);

/// The same for a launch beside it.
std::vector<CpuVariant>
buildNumbered(mlir::ModuleOp module, llvm::StringRef name, mlir::Location loc,
              const kernels::attention::AttentionSpec &spec,
              const kernels::attention::Numbered &kernel, const Target &target);

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_ATTENTION_ATTENTION_H
