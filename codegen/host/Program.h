//===- Program.h - From agt IR to a program ---------------------*- C++ -*-===//
//
// The pipelines of the back half, in a library so that tools only choose where
// to stop: kernels are formed, graphs become host functions, those become LLVM
// IR with the program's constant data beside them.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_PROGRAM_H
#define AGT_CODEGEN_HOST_PROGRAM_H

#include "codegen/host/GraphLowering.h"
#include "codegen/host/Manifest.h"
#include "codegen/host/ProgramData.h"

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace agt::host {

/// Host functions (func, arith, cf, llvm) to the LLVM dialect.
void buildHostPipeline(mlir::OpPassManager &passes);

/// Everything a program is made of while it is compiled.
struct Program {
  Manifest manifest;
  KernelTable kernels;
  /// The graphs as bytecode (keepGraphs).
  std::string ir;
};

/// Called with the manager of a program's passes before it runs (printing,
/// timing). The lowering of single kernels is not seen by it.
using ConfigurePasses =
    llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)>;

/// Runs the passes that `build` adds (passes/Pipelines.h).
mlir::LogicalResult
lower(mlir::ModuleOp module, ConfigurePasses configure,
      llvm::function_ref<void(mlir::OpPassManager &)> build);

/// Notes the graphs as they are, for the oracle.
mlir::LogicalResult keepGraphs(mlir::ModuleOp module, Program &program);

/// Graphs of kernels become host functions, agents too.
mlir::LogicalResult lowerToHost(mlir::ModuleOp module, Program &program);

/// LLVM IR of a module that lowerToHost made, with its data. Null after an
/// error, which is emitted.
std::unique_ptr<llvm::Module> lowerToLLVM(mlir::ModuleOp module,
                                          Program &program, ProgramKind kind,
                                          llvm::LLVMContext &context,
                                          ConfigurePasses configure);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_PROGRAM_H
