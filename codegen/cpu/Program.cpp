// See Program.h.
#include "codegen/cpu/Program.h"

#include "codegen/cpu/Kernels.h"
#include "codegen/cpu/Lower.h"
#include "codegen/cpu/attention/Attention.h"

#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

using namespace mlir;

namespace agt::cpu {

ModuleOp Program::moduleFor(size_t target, MLIRContext *context) {
  loadKernelDialects(*context);
  modules.resize(targets.size());
  if (!modules[target])
    modules[target] = ModuleOp::create(UnknownLoc::get(context));
  return *modules[target];
}

std::string Program::nameOf(size_t number) {
  return "agt.cpu." + std::to_string(number);
}

void Program::add(size_t number, std::vector<CpuVariant> made) {
  std::vector<CpuVariant> &all = byNumber[number];
  all.insert(all.end(), made.begin(), made.end());
}

LogicalResult Program::addKernel(size_t number, KernelOp kernel) {
  for (auto [i, target] : llvm::enumerate(targets)) {
    auto made = buildKernel(moduleFor(i, kernel.getContext()), nameOf(number),
                            kernel, target);
    if (failed(made))
      return failure();
    add(number, std::move(*made));
  }
  return success();
}

void Program::addAttention(size_t number, Location loc,
                           const spirv::attention::AttentionSpec &spec) {
  for (auto [i, target] : llvm::enumerate(targets))
    add(number, buildAttention(moduleFor(i, loc.getContext()), nameOf(number),
                               loc, spec, target));
}

void Program::addAttentionBlocks(size_t number, Location loc,
                                 const spirv::attention::AttentionSpec &spec) {
  for (auto [i, target] : llvm::enumerate(targets))
    add(number, buildAttentionBlocks(moduleFor(i, loc.getContext()),
                                     nameOf(number), loc, spec, target));
}

llvm::ArrayRef<CpuVariant> Program::variants(size_t number) const {
  auto it = byNumber.find(number);
  return it == byNumber.end() ? llvm::ArrayRef<CpuVariant>()
                              : llvm::ArrayRef<CpuVariant>(it->second);
}

LogicalResult Program::linkInto(llvm::Module &program) {
  for (auto [module, target] : llvm::zip(modules, targets)) {
    if (!module)
      continue;
    std::unique_ptr<llvm::Module> lowered =
        lowerKernels(*module, target, program.getContext());
    if (!lowered)
      return failure();
    // The program's own triple and layout are settled when it is emitted.
    lowered->setDataLayout(program.getDataLayout());
    lowered->setTargetTriple(program.getTargetTriple());
    if (llvm::Linker::linkModules(program, std::move(lowered)))
      return module->emitError("native code cannot be linked");
  }
  for (auto &[number, variants] : byNumber)
    for (CpuVariant &variant : variants)
      if (llvm::Function *function = program.getFunction(variant.function))
        function->setLinkage(llvm::GlobalValue::InternalLinkage);
  return success();
}

} // namespace agt::cpu
