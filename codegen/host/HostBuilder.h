//===- HostBuilder.h - The body of a host function --------------*- C++ -*-===//
//
// Small words for what host functions are made of: integers of 64 bits, bytes
// of C structs, calls whose status is checked. After a checked call the
// builder stands in the block where all is well; the other edge returns the
// status to the caller.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_HOSTBUILDER_H
#define AGT_CODEGEN_HOST_HOSTBUILDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace agt::host {

class HostBuilder {
public:
  using Value = mlir::Value;

  /// Starts `function`, which has no body yet.
  explicit HostBuilder(mlir::func::FuncOp function);

  mlir::OpBuilder &ir() { return builder; }
  void setLocation(mlir::Location location) { loc = location; }
  mlir::Location location() const { return loc; }
  Value argument(unsigned index) { return function.getArgument(index); }

  // Values of 64 bits.
  Value i64(int64_t value);
  Value i32(int64_t value);
  /// Two 32-bit members of a struct as the word that holds both.
  Value pair(int64_t low, int64_t high);
  Value f64(double value);
  Value toI64(Value indexOrInteger);
  Value toF64(Value integer);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value product(llvm::ArrayRef<Value> factors); // 1 for none
  /// `expression` over `symbols`, in 64 bits.
  Value evaluate(mlir::AffineExpr expression, llvm::ArrayRef<Value> symbols);

  // Memory.
  Value text(llvm::StringRef text);   // a C string
  Value symbol(llvm::StringRef name); // the address of a constant elsewhere
  Value load(Value base, int64_t offset, mlir::Type type);
  void store(Value value, Value base, int64_t offset);
  /// Room for `bytes` bytes in the frame, aligned to 8.
  Value frame(int64_t bytes);
  /// `values` side by side in room of the frame made once for each `slot`.
  Value array(unsigned slot, llvm::ArrayRef<Value> values);

  mlir::Type ptr() {
    return mlir::LLVM::LLVMPointerType::get(builder.getContext());
  }
  Value null();

  /// Calls an ABI function.
  Value callAbi(llvm::StringRef name, llvm::ArrayRef<Value> arguments);
  /// Calls an ABI function and returns its status to the caller if it failed.
  void call(llvm::StringRef name, llvm::ArrayRef<Value> arguments);
  /// Ends the function with a status.
  void finish(Value status);
  /// The status of a call that ends the function.
  void tailCall(llvm::StringRef name, llvm::ArrayRef<Value> arguments);
  /// Calls the failing ABI function and returns what it gives where
  /// `condition` does not hold.
  void require(Value condition, llvm::ArrayRef<Value> failArguments);

private:
  void returnUnless(Value condition, llvm::function_ref<Value()> status);

  mlir::func::FuncOp function;
  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  mlir::Location loc;
  llvm::StringMap<std::string> texts;
  llvm::DenseMap<unsigned, std::pair<Value, int64_t>> slots;
};

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_HOSTBUILDER_H
