// Jit: CPU kernels as functions of this process, for tests and benchmarks.
#ifndef AGT_CODEGEN_CPU_JIT_H
#define AGT_CODEGEN_CPU_JIT_H

#include "runtime/include/agt/runtime.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
namespace orc {
class LLJIT;
}
} // namespace llvm

namespace agt::cpu {

class Jit {
public:
  Jit();
  ~Jit();

  /// Compiles the functions of a module that lowerKernels made with a context
  /// of its own.
  llvm::Error add(std::unique_ptr<llvm::Module> module,
                  std::unique_ptr<llvm::LLVMContext> context);
  /// Null where there is none of this name.
  agt_cpu_fn find(const std::string &function);

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_JIT_H
