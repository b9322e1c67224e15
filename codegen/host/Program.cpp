//===- Program.cpp - From agt IR to a program -----------------------------===//

#include "codegen/host/Program.h"
#include "codegen/host/agents/AgentModule.h"
#include "codegen/spirv/Serialize.h"
#include "passes/Mesh/Shardings.h"
#include "passes/Passes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace agt;

void agt::host::buildHostPipeline(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}

/// The graphs alone, for `run --check`; nothing where there are none.
static FailureOr<std::string> bytecodeOf(ModuleOp module) {
  std::string bytes;
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  for (GraphOp graph : module.getOps<GraphOp>())
    if (!graph.getMesh() && !graph->hasAttr(kHidden))
      copy->push_back(graph->clone());
  llvm::raw_string_ostream out(bytes);
  if (!copy->getBody()->empty() && failed(writeBytecodeToFile(*copy, out)))
    return failure();
  return bytes;
}

LogicalResult
agt::host::lower(ModuleOp module, ConfigurePasses configure,
                 llvm::function_ref<void(OpPassManager &)> build) {
  PassManager passes(module.getContext());
  if (failed(configure(passes)))
    return failure();
  build(passes);
  return passes.run(module);
}

/// What can be chosen of the graphs on a mesh, as agt-add-policies has found.
static void notePolicies(ModuleOp module, host::Manifest &manifest) {
  for (host::GraphInfo &info : manifest.graphs)
    if (auto graph = module.lookupSymbol<GraphOp>(info.name)) {
      info.hasPolicies = graph->hasAttr(kPolicy);
      if (auto why = graph->getAttrOfType<StringAttr>(kNoPolicy))
        info.noPolicy = why.str();
    }
}

LogicalResult agt::host::keepGraphs(ModuleOp module, Program &program) {
  FailureOr<std::string> ir = bytecodeOf(module);
  if (failed(ir))
    return module.emitError("the graphs cannot be written as bytecode");
  program.ir = std::move(*ir);
  return success();
}

LogicalResult agt::host::lowerToHost(ModuleOp module, Program &program) {
  notePolicies(module, program.manifest);
  MLIRContext *context = module.getContext();
  context->loadDialect<func::FuncDialect, LLVM::LLVMDialect,
                       cf::ControlFlowDialect>();
  spirv::loadKernelDialects(*context);
  if (failed(lowerGraphs(module, program.kernels)))
    return failure();
  return lowerAgents(module, program.manifest);
}

std::unique_ptr<llvm::Module>
agt::host::lowerToLLVM(ModuleOp module, Program &program, ProgramKind kind,
                       llvm::LLVMContext &context, ConfigurePasses configure) {
  if (failed(lower(module, configure, buildHostPipeline)))
    return nullptr;
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> lowered =
      translateModuleToLLVMIR(module, context, program.manifest.program);
  if (!lowered)
    return nullptr;
  bool isExecutable = kind == ProgramKind::Executable;
  addProgramData(*lowered, program.manifest, program.kernels, kind,
                 isExecutable ? program.ir : "");
  if (failed(program.kernels.native().linkInto(*lowered)))
    return nullptr;
  return lowered;
}
