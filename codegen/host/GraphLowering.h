//===- GraphLowering.h - Graphs to host functions ---------------*- C++ -*-===//
//
// A graph whose kernels are formed (agt-form-kernels) becomes a `func.func`
// that records a launch plan: sizes as integer arithmetic, then calls of the
// ABI (agt/runtime.h). It takes and returns what agt_graph_fn does.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_GRAPHLOWERING_H
#define AGT_CODEGEN_HOST_GRAPHLOWERING_H

#include "codegen/cpu/Program.h"
#include "codegen/kernels/LaunchSize.h"
#include "codegen/spirv/KernelCode.h"
#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Place.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace agt::host {

/// A kernel of the program: how it is launched, and its SPIR-V if that goes in.
/// Its native code is in KernelTable::native, under the same number.
struct Kernel {
  std::string name;
  agt::kernels::LaunchSize launch;
  std::vector<spirv::KernelBinary> variants;
};

/// The kernels of a program, each once. A key says all that a kernel's code
/// follows from, so that equal kernels are built once.
class KernelTable {
public:
  /// The number of the kernel with this key, which `build` makes if it is new.
  mlir::FailureOr<size_t>
  find(llvm::StringRef key,
       llvm::function_ref<mlir::FailureOr<Kernel>()> build);
  /// A kernel with what `spirv` makes of it, if SPIR-V goes into the program.
  mlir::FailureOr<Kernel> finished(
      llvm::StringRef name, agt::kernels::LaunchSize launch,
      llvm::function_ref<mlir::FailureOr<spirv::KernelCode>()> spirv) const;
  const std::vector<Kernel> &kernels() const { return table; }
  /// The number that the next new kernel gets: that of the one being built.
  size_t nextNumber() const { return table.size(); }
  /// Whether SPIR-V goes into the program besides native code.
  bool wantsSpirv = true;
  /// Keys that a part of a split attention has at least; 0: none is split.
  int64_t splitKeys = 1024;
  /// The kernels' native code.
  cpu::Program &native() { return nativeCode; }
  const cpu::Program &native() const { return nativeCode; }
  /// The symbol of kernel number `index` in the host program.
  static std::string symbol(size_t index);

private:
  std::vector<Kernel> table;
  llvm::StringMap<size_t> numbers;
  cpu::Program nativeCode;
};

/// The symbol of the function of graph `name`, and of its descriptor.
std::string graphSymbol(llvm::StringRef name);
std::string descriptorSymbol(llvm::StringRef name);

/// Replaces every agt.graph of `module` by its host function and fills
/// `kernels`. Errors are emitted at the op that has no kernel.
mlir::LogicalResult lowerGraphs(mlir::ModuleOp module, KernelTable &kernels);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_GRAPHLOWERING_H
