// The body of an agent, fn, tool or test as ops. All decisions were taken by
// the checker; where it asked for a conversion (NodeInfo::wanted), one is made
// here. A statement that leaves (`return`, `yield`, `fail`, `goto`) ends its
// block, and what follows it in the source is dropped.
#ifndef AGT_FRONTEND_LOWER_AGENT_BODYLOWERING_H
#define AGT_FRONTEND_LOWER_AGENT_BODYLOWERING_H

#include "frontend/Lower/Agent/AgentLowering.h"

namespace agt {

class BodyLowering {
public:
  using Type = const sema::agents::Type *;
  BodyLowering(AgentLowering &module, mlir::Location loc)
      : module(module), program(module.program), builder(module.builder),
        loc(loc) {}

  /// Starts a region whose arguments are these locals.
  void begin(mlir::Region &region,
             llvm::ArrayRef<const sema::agents::Local *> locals);
  /// Statements of a fn or test; `result` is what `return` gives.
  void lowerBody(llvm::ArrayRef<ast::Stmt *> stmts, Type result);
  void lowerAgent(const sema::agents::AgentInfo &agent);
  void lowerRequest(const sema::agents::ToolInfo &tool, mlir::Region &region);
  void lowerReconcile(const sema::agents::ToolInfo &tool, mlir::Region &region);

private:
  using Value = mlir::Value;

  //===--------------------------------------------------------------------===//
  // Statements; true where control goes on behind it
  //===--------------------------------------------------------------------===//

  bool stmts(llvm::ArrayRef<ast::Stmt *> list);
  bool stmt(const ast::Stmt &stmt);
  void letStmt(const ast::LetStmt &stmt);
  bool ifStmt(const ast::IfStmt &stmt);
  void forStmt(const ast::ForStmt &stmt);
  void whileStmt(const ast::WhileStmt &stmt);
  void loopStmt(const ast::LoopStmt &stmt);
  bool tryStmt(const ast::TryStmt &stmt);
  void assertStmt(const ast::AssertStmt &stmt);
  void testCall(const ast::CallExpr &expr);
  Value randomTensor(const ast::CallExpr &expr);
  void expectClose(const ast::CallExpr &expr);
  /// A region of statements: an `agt.result` ends it where control goes on.
  bool region(mlir::Region &region, llvm::function_ref<bool()> body);
  bool blockRegion(mlir::Region &into, const ast::Block &block) {
    return region(into, [&] { return stmts(block.stmts); });
  }

  //===--------------------------------------------------------------------===//
  // Expressions
  //===--------------------------------------------------------------------===//

  /// As the checker wanted it.
  Value expr(const ast::Expr &expr);
  Value exprAs(const ast::Expr &expr, Type type);
  /// Of its own type; `hint` is for `none`, `[]` and what holds them.
  Value exprPlain(const ast::Expr &expr, Type hint);
  Value convert(Value value, mlir::Type type);
  Value name(const ast::NameRef &expr);
  Value constant(const sema::Value &value, Type type);
  Value string(const ast::StringLit &expr);
  Value chain(const ast::ChainExpr &expr);
  Value logic(llvm::ArrayRef<const ast::Expr *> operands, bool isAnd);
  Value arithmetic(ast::ChainOp op, Value left, Value right);
  Value compare(const ast::CompareExpr &expr, Value *left = nullptr,
                Value *right = nullptr);
  Value unary(const ast::UnaryExpr &expr);
  Value list(const ast::ListExpr &expr, Type hint);
  Value comprehension(const ast::ComprehensionExpr &expr);
  Value record(const ast::RecordLit &expr);
  Value member(const ast::MemberExpr &expr);
  Value call(const ast::CallExpr &expr);
  Value library(const ast::CallExpr &expr);
  Value sort(const ast::CallExpr &expr, Value list);
  Value ask(const ast::AskExpr &expr);
  Value approve(const ast::ApproveExpr &expr);
  Value receive(const ast::ReceiveExpr &expr);
  Value fork(const ast::ForkExpr &expr);
  Value join(const ast::JoinExpr &expr);
  Value prefix(const ast::CallExpr &expr);
  Value rerank(const ast::CallExpr &expr);
  Value matchExpr(const ast::MatchExpr &expr);
  bool matchArms(Value subject, Type type, const sema::agents::Local *local,
                 llvm::ArrayRef<ast::MatchArm *> arms, mlir::TypeRange types,
                 llvm::function_ref<bool(const ast::MatchArm &)> arm,
                 Value *result);
  Value patternHolds(const ast::Pattern &pattern, Value subject, Type type);

  Value boolean(bool value);
  Value integer(int64_t value);
  Value text(llvm::StringRef text);
  Value duration(int64_t nanoseconds);
  mlir::Type type(Type type) { return module.type(type); }
  Type typeOf(const ast::Expr &expr) { return program.typeOf(expr); }
  const sema::agents::NodeInfo &info(const ast::Node &node) {
    return program.info(node);
  }
  Value load(const sema::agents::Local *local);

  /// The attributes that all steps have.
  struct StepAttrs {
    mlir::StringAttr segment, hash, was, onChange;
  };
  StepAttrs step(const ast::Node &node, llvm::ArrayRef<std::string> meaning,
                 llvm::StringRef onChange = "");
  std::string signature(llvm::ArrayRef<sema::agents::Param> params,
                        Type result);

  AgentLowering &module;
  const sema::agents::AgentProgram &program;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// Values, and variables of `var`s.
  llvm::DenseMap<const sema::agents::Local *, Value> values;
  /// What `return` gives, and what the innermost fork's branches yield.
  Type result = nullptr;
  Type yielded = nullptr;
  /// Steps of a test are counted by name.
  llvm::StringMap<unsigned> testCalls;
};

} // namespace agt

#endif
