// See Jit.h.
#include "codegen/cpu/Jit.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

namespace agt::cpu {

Jit::Jit() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  auto machine =
      llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  jit = llvm::cantFail(
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(machine).create());
}

Jit::~Jit() = default;

llvm::Error Jit::add(std::unique_ptr<llvm::Module> module,
                     std::unique_ptr<llvm::LLVMContext> context) {
  module->setTargetTriple(jit->getTargetTriple());
  module->setDataLayout(jit->getDataLayout());
  return jit->addIRModule(
      llvm::orc::ThreadSafeModule(std::move(module), std::move(context)));
}

agt_cpu_fn Jit::find(const std::string &function) {
  auto address = jit->lookup(function);
  if (!address) {
    llvm::consumeError(address.takeError());
    return nullptr;
  }
  return address->toPtr<agt_cpu_fn>();
}

} // namespace agt::cpu
