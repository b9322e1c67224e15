// InvocationBuilder: kernels of independent invocations (codegen/kernels) as
// a loop over invocations for the CPU. A subgroup is one of them.
//
// An invocation is a turn of the loop, its number is thread(); workgroup() is
// 0 unless set. Buffers are arrays of words as everywhere; they are arguments
// that alias nothing (a plan never gives a kernel one buffer to read and to
// write), so that LLVM's vectoriser can work on the loop. What helps it besides
// is done in finish(): see there.
#ifndef AGT_CODEGEN_CPU_INVOCATIONBUILDER_H
#define AGT_CODEGEN_CPU_INVOCATIONBUILDER_H

#include "codegen/kernels/KernelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace agt::cpu {

class InvocationBuilder : public kernels::KernelBuilder {
public:
  /// Appends the function `name` (an agt_cpu_fn) to `module`.
  InvocationBuilder(mlir::ModuleOp module, llvm::StringRef name,
                    mlir::Location loc,
                    const std::vector<kernels::WordType> &buffers);
  /// Says what the function's code needs beyond its target ("+avx512bf16").
  void needs(llvm::StringRef features);
  void finish();

  /// The workgroup's number as the launch counts them.
  Value group();
  /// The invocation that is built from here on; all are below the number that
  /// its body compares it with first.
  void setThread(Value number) { threadValue = number; }
  void setWorkgroup(Value number) { workgroupValue = number; }
  mlir::func::FuncOp function() { return body; }
  Value scratch();
  Value bufferAddress(unsigned buffer) { return body.getArgument(buffer + 1); }

  Value workgroup() override {
    return workgroupValue ? workgroupValue : i32(0);
  }
  Value thread() override { return threadValue; }
  Value scalar(unsigned index) override;
  Value loadWord(unsigned buffer, Value index) override;
  void storeWord(unsigned buffer, Value index, Value value) override;
  void storeNarrow(unsigned buffer, Value index, Value bits,
                   unsigned width) override;
  kernels::Variable makeVariable(mlir::Type type) override;
  using KernelBuilder::makeVariable;
  Value broadcast(Value value, unsigned) override { return value; }
  Value shuffle(Value value, Value) override { return value; }
  Value load(kernels::Variable v) override;
  void store(kernels::Variable v, Value value) override;
  Value fmaxAny(Value x, Value y) override;
  Value fmaxNaN(Value x, Value y) override;
  Value fminNaN(Value x, Value y) override;
  Value f32FromHalf(Value bits) override;

private:
  Value address(unsigned buffer, Value index, mlir::Type element);
  void makeEntryPoint();
  bool isThread(Value value);
  void dropGuards();
  bool isRowOf(Value value);
  void splitRows();
  void guardVectoriser();
  void mark(mlir::Attribute attribute);
  void markIndices();
  void markSums();

  mlir::ModuleOp module;
  std::string name;
  size_t buffers;
  mlir::func::FuncOp body;
  Value threadValue, workgroupValue;
  llvm::DenseMap<unsigned, Value> scalars;
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_INVOCATIONBUILDER_H
