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

/// Graphs that the runtime asks for and the author did not write. Before the
/// manifest is made.
void buildModelPipeline(mlir::OpPassManager &passes);

/// agt IR as the front end gives it, calls inlined; graphs on a mesh become the
/// program of one position.
void buildRingPipeline(mlir::OpPassManager &passes, bool explain = false);

/// That to graphs of agt.kernel and agt.attention, sizes resolved.
void buildKernelPipeline(mlir::OpPassManager &passes, bool explain = false);

/// Host functions (func, arith, cf, llvm) to the LLVM dialect.
void buildHostPipeline(mlir::OpPassManager &passes);

/// Everything a program is made of while it is compiled.
struct Program {
  Manifest manifest;
  KernelTable kernels;
  /// The graphs as bytecode, before lowerToHost takes them apart.
  std::string ir;
};

/// Runs the kernel pipeline on `module` and lowers its graphs. `configure` is
/// called with each pass manager before it runs (printing, timing). With
/// `explain` passes say as remarks what they decide.
using ConfigurePasses =
    llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)>;
mlir::LogicalResult addModelGraphs(mlir::ModuleOp module,
                                   ConfigurePasses configure);
mlir::LogicalResult lowerToRing(mlir::ModuleOp module,
                                ConfigurePasses configure,
                                bool explain = false);
mlir::LogicalResult lowerToKernels(mlir::ModuleOp module,
                                   ConfigurePasses configure,
                                   bool explain = false);
mlir::LogicalResult lowerToHost(mlir::ModuleOp module, Program &program);

/// LLVM IR of a module that lowerToHost made, with its data. Null after an
/// error, which is emitted.
std::unique_ptr<llvm::Module> lowerToLLVM(mlir::ModuleOp module,
                                          Program &program, ProgramKind kind,
                                          llvm::LLVMContext &context,
                                          ConfigurePasses configure);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_PROGRAM_H
