// Program: the native half of a program: the functions of all its kernels, for
// each target, and the variants they are.
//
// Kernels are numbered by the host program. While its graphs are lowered, each
// new kernel is added; at the end the functions are optimised and linked into
// the program's own LLVM module, where its constant data refers to them by
// name.
#ifndef AGT_CODEGEN_CPU_PROGRAM_H
#define AGT_CODEGEN_CPU_PROGRAM_H

#include "codegen/cpu/CpuCode.h"
#include "codegen/kernels/attention/AttentionSpec.h"
#include "dialect/Agt/Agt.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>

namespace llvm {
class Module;
}

namespace agt::kernels::attention {
struct Numbered;
}

namespace agt::cpu {

class Program {
public:
  /// None: the program gets no native code.
  /// `explain`: remarks say which kernels need more than their target.
  explicit Program(llvm::ArrayRef<Target> targets = {}, bool explain = false)
      : targets(targets.begin(), targets.end()), explain(explain) {}

  mlir::LogicalResult addKernel(size_t number, KernelOp kernel);
  void addAttention(size_t number, mlir::Location loc,
                    const kernels::attention::AttentionSpec &spec);
  /// A launch beside an attention's own.
  void addNumbered(size_t number, mlir::Location loc,
                   const kernels::attention::AttentionSpec &spec,
                   const kernels::attention::Numbered &kernel);

  /// The variants of a kernel in order of preference.
  llvm::ArrayRef<CpuVariant> variants(size_t number) const;

  /// The functions as they are built, a module for each target.
  void print(llvm::raw_ostream &out) const;

  /// Compiles all functions and links them into `program`, which may already
  /// refer to them.
  mlir::LogicalResult linkInto(llvm::Module &program);

private:
  /// The functions for one target; made with the first of them.
  mlir::ModuleOp moduleFor(size_t target, mlir::MLIRContext *context);
  static std::string nameOf(size_t number);
  void add(size_t number, std::vector<CpuVariant> made);

  llvm::SmallVector<Target, 2> targets;
  bool explain;
  llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>, 2> modules;
  std::map<size_t, std::vector<CpuVariant>> byNumber;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_PROGRAM_H
