// See Program.h.
#include "codegen/cpu/Program.h"

#include "codegen/cpu/Kernels.h"
#include "codegen/cpu/Lower.h"
#include "codegen/cpu/attention/Attention.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ThreadPool.h"

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
    bool inPairs = llvm::any_of(*made, [](const CpuVariant &variant) {
      return variant.isa == AGT_ISA_V4_BF16;
    });
    if (explain && inPairs)
      kernel.emitRemark("pairs of bf16 are multiplied by one instruction on "
                        "processors with AVX-512 BF16");
    add(number, std::move(*made));
  }
  return success();
}

void Program::addAttention(size_t number, Location loc,
                           const kernels::attention::AttentionSpec &spec) {
  for (auto [i, target] : llvm::enumerate(targets))
    add(number, buildAttention(moduleFor(i, loc.getContext()), nameOf(number),
                               loc, spec, target));
}

void Program::addNumbered(size_t number, Location loc,
                          const kernels::attention::AttentionSpec &spec,
                          const kernels::attention::Numbered &kernel) {
  for (auto [i, target] : llvm::enumerate(targets))
    add(number, buildNumbered(moduleFor(i, loc.getContext()), nameOf(number),
                              loc, spec, kernel, target));
}

void Program::print(llvm::raw_ostream &out) const {
  for (auto [module, target] : llvm::zip(modules, targets))
    if (module)
      out << "// native code for " << target.name << "\n"
          << module.get() << "\n";
}

llvm::ArrayRef<CpuVariant> Program::variants(size_t number) const {
  auto it = byNumber.find(number);
  return it == byNumber.end() ? llvm::ArrayRef<CpuVariant>()
                              : llvm::ArrayRef<CpuVariant>(it->second);
}

namespace {
/// The functions for one target on their way to the program: in a context of
/// their own, so that a thread can have them, and then as bitcode.
struct Part {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  llvm::SmallString<0> bitcode;
};
} // namespace

static void optimisePart(Part &part, const Target &target) {
  optimiseKernels(*part.module, target);
  // The program's own triple and layout are settled when it is emitted.
  part.module->setDataLayout("");
  part.module->setTargetTriple(llvm::Triple());
  llvm::raw_svector_ostream out(part.bitcode);
  llvm::WriteBitcodeToFile(*part.module, out);
  part.module.reset();
  part.context.reset();
}

// MLIR's half is one thread's, for the targets share a context; LLVM's takes
// most of the time, and each target has a thread.
LogicalResult Program::linkInto(llvm::Module &program) {
  std::vector<Part> parts(modules.size());
  for (auto [part, module, target] : llvm::zip(parts, modules, targets)) {
    if (!module)
      continue;
    part.context = std::make_unique<llvm::LLVMContext>();
    part.module = translateKernels(*module, target, *part.context);
    if (!part.module)
      return failure();
  }
  {
    llvm::DefaultThreadPool threads(
        llvm::heavyweight_hardware_concurrency(parts.size()));
    for (auto [part, target] : llvm::zip(parts, targets))
      if (part.module)
        threads.async(
            [&part = part, &target = target] { optimisePart(part, target); });
  }
  for (auto [part, module] : llvm::zip(parts, modules)) {
    if (!module)
      continue;
    auto lowered = llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(part.bitcode, "kernels"), program.getContext());
    if (!lowered)
      return module->emitError(llvm::toString(lowered.takeError()));
    (*lowered)->setDataLayout(program.getDataLayout());
    (*lowered)->setTargetTriple(program.getTargetTriple());
    if (llvm::Linker::linkModules(program, std::move(*lowered)))
      return module->emitError("native code cannot be linked");
  }
  for (auto &[number, variants] : byNumber)
    for (CpuVariant &variant : variants)
      if (llvm::Function *function = program.getFunction(variant.function))
        function->setLinkage(llvm::GlobalValue::InternalLinkage);
  return success();
}

} // namespace agt::cpu
