// From the functions of CpuBuilder to optimised LLVM IR for one target.
#ifndef AGT_CODEGEN_CPU_LOWER_H
#define AGT_CODEGEN_CPU_LOWER_H

#include "codegen/cpu/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace agt::cpu {

/// Loads the dialects that CPU kernels are made of.
void loadKernelDialects(mlir::MLIRContext &context);

/// Lowers `module` (which is consumed in place) to LLVM IR. Its functions say
/// for themselves what they are compiled for, so that those of several targets
/// can be linked into one module. Null after an error, which is emitted.
std::unique_ptr<llvm::Module> translateKernels(mlir::ModuleOp module,
                                               const Target &target,
                                               llvm::LLVMContext &context);

/// Optimises what translateKernels made for `target`; touches nothing but the
/// module and its context.
void optimiseKernels(llvm::Module &module, const Target &target);

/// Both.
std::unique_ptr<llvm::Module> lowerKernels(mlir::ModuleOp module,
                                           const Target &target,
                                           llvm::LLVMContext &context);

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_LOWER_H
