// The kernel tests on the CPU: kernels are compiled into this process, for the
// best target it runs; AGT_CPU_ISA=v3 takes the other.
#include "unittests/SPIRV/TestDevice.h"

#include "codegen/cpu/Jit.h"
#include "codegen/cpu/Kernels.h"
#include "codegen/cpu/Lower.h"

#include "llvm/IR/Module.h"

#include <cstdlib>

namespace agt::test {

static cpu::Target target() {
  const char *isa = std::getenv("AGT_CPU_ISA");
  bool old = isa && llvm::StringRef(isa) == "v3";
  return cpu::parseTargets(old ? "x86-64-v3" : "native")->front();
}

const char *testDevice() { return "cpu"; }

std::vector<agt_cpu_variant> nativeVariants(KernelOp kernel) {
  static cpu::Jit jit;
  static int count = 0;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(kernel.getLoc());
  auto variants = cpu::buildKernel(*module, "kernel" + std::to_string(count++),
                                   kernel, target());
  if (failed(variants))
    return {};
  auto context = std::make_unique<llvm::LLVMContext>();
  auto lowered = cpu::lowerKernels(*module, target(), *context);
  if (!lowered)
    return {};
  llvm::cantFail(jit.add(std::move(lowered), std::move(context)));
  std::vector<agt_cpu_variant> result;
  for (const cpu::CpuVariant &variant : *variants) {
    result.push_back({jit.find(variant.function),
                      variant.isa,
                      variant.scratchBytes,
                      variant.minFlops,
                      {}});
    std::copy(variant.tile.begin(), variant.tile.end(), result.back().tile);
  }
  return result;
}

} // namespace agt::test
