//===- AgentEmitter.h - One function of an agent ----------------*- C++ -*-===//
//
// Structured ops become blocks of one function, a fork's branch a function of
// its own. bool, int, float and duration are registers; every other value is a
// pointer that the runtime owns. A call that may fail gives an outcome: 0 goes
// on, anything else goes to the error block, which is the handler's of the
// innermost `try` for 1 and the function's return otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_AGENTS_AGENTEMITTER_H
#define AGT_CODEGEN_HOST_AGENTS_AGENTEMITTER_H

#include "codegen/host/HostBuilder.h"
#include "codegen/host/agents/AgentModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

#include <optional>

namespace agt::host {

class AgentEmitter {
public:
  using Value = mlir::Value;
  AgentEmitter(AgentModule &module, mlir::func::FuncOp function)
      : module(module), function(function), host(function), b(host.ir()) {
    scope = host.argument(0);
  }

  /// An agent, a fn, a test, or a region of a tool. What ends in `agt.result`
  /// gives its values as a list.
  void emitBody(mlir::Region &region);
  /// The branch of a fork, with what it captures in the order of `captures`.
  void emitBranch(ForkOp fork, llvm::ArrayRef<Value> captures);

private:
  using Values = llvm::SmallVector<Value>;

  // Blocks and outcomes.
  mlir::Block *newBlock(mlir::TypeRange types = {});
  void jump(mlir::Block *to, mlir::ValueRange values = {});
  void branch(Value condition, mlir::Block *then, mlir::Block *otherwise);
  void check(Value outcome);
  void failUnless(Value condition, llvm::StringRef message, Value first,
                  Value second);
  void giveBack(Value boxed);

  // Values.
  mlir::Type hostType(mlir::Type type);
  Value box(Value value, mlir::Type type);
  Value unbox(Value pointer, mlir::Type type);
  Value boxed(Value irValue) {
    return box(values.lookup(irValue), irValue.getType());
  }
  Value convert(Value value, mlir::Type from, mlir::Type to);
  Value array(llvm::ArrayRef<Value> pointers);
  Value boxedArray(mlir::ValueRange irValues);
  Value bytes(llvm::StringRef text);
  Value stringValue(llvm::StringRef text);
  Value place(mlir::Operation *op);
  Value isNull(Value pointer);
  Value call(llvm::StringRef name, llvm::ArrayRef<Value> arguments) {
    return host.callAbi(name, arguments);
  }
  /// A checked call whose last argument is where the result goes.
  Value callForValue(llvm::StringRef name, Values arguments, mlir::Type type);
  Value callForPointer(llvm::StringRef name, Values arguments);

  // Ops.
  std::optional<Values> emit(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  bool emitValue(mlir::Operation &op);
  bool emitControl(mlir::Operation &op);
  bool emitStep(mlir::Operation &op);
  void emitLeave(mlir::Operation &op);
  Value compare(CompareValuesOp op);
  Value calculate(CalculateOp op);
  Value library(mlir::Operation *op, llvm::StringRef name, Value args,
                size_t count, mlir::Type type);
  Value outcome(OutcomeOp op);
  void emitIf(IfOp op);
  void loopOver(Value count, llvm::StringRef name,
                llvm::function_ref<void(Value)> body);
  void emitWhile(WhileOp op);
  void emitTry(TryOp op);
  Value collect(CollectOp op);
  void emitNodes(mlir::Block &block);
  void emitGoto(GotoOp op);
  void visit(llvm::StringRef node, mlir::ValueRange arguments);
  Value ask(AskOp op);
  Value fork(ForkOp op);
  Value join(JoinOp op);
  Value site(mlir::Operation *op);

  AgentModule &module;
  mlir::func::FuncOp function;
  HostBuilder host;
  mlir::OpBuilder &b;
  llvm::DenseMap<Value, Value> values;
  /// The scope of steps here, and that of the whole function.
  Value scope;
  /// Where outcomes other than 0 go; takes the outcome.
  mlir::Block *errors = nullptr;
  Value resultPlace;
  struct Node {
    NodeOp op;
    mlir::Block *entry;
    Value visits;
  };
  llvm::StringMap<Node> nodes;
  Value totalVisits;
  int64_t maxVisits = 0;
};

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_AGENTS_AGENTEMITTER_H
