// Expressions of graphs and consts: an AST expression becomes a Value, and in a
// graph what has to be computed is appended to the GraphBuilder. An operand
// with an error is Poison, and nothing more is said about what uses it.
#ifndef AGT_FRONTEND_SEMA_EXPRCHECKER_H
#define AGT_FRONTEND_SEMA_EXPRCHECKER_H

#include "frontend/Sema/Checker.h"
#include "frontend/Sema/Scope.h"

namespace agt::sema {

struct Builtin;

/// A value and the place that it came from.
struct Operand {
  Value value;
  llvm::SMRange range;
};

class ExprChecker {
public:
  /// For consts, bounds and the like: everything is known.
  explicit ExprChecker(Checker &checker)
      : checker(checker), diags(checker.diags), dims(checker.dims) {}
  /// For dims of a signature: also its names.
  ExprChecker(Checker &checker, const GraphSignature &signature)
      : ExprChecker(checker) {
    this->signature = &signature;
  }
  /// For the body of a graph.
  ExprChecker(Checker &checker, GraphBuilder &graph,
              const GraphSignature &signature, Scope &scope)
      : checker(checker), diags(checker.diags), dims(checker.dims),
        graph(&graph), signature(&signature), scope(&scope) {}

  Value check(const ast::Expr &expr);
  Operand checkOperand(const ast::Expr &expr) {
    return {check(expr), expr.range};
  }
  /// An int that is a size; null after an error.
  Dim checkSize(const ast::Expr &expr);
  /// An int known when the program is compiled.
  std::optional<int64_t> checkConstantInt(const ast::Expr &expr,
                                          llvm::StringRef what);

  //===--------------------------------------------------------------------===//
  // Functions element by element (Elementwise.cpp, Scalars.cpp)
  //===--------------------------------------------------------------------===//

  /// `name` is the operator or function for errors.
  Value binary(Op op, llvm::StringRef name, const Operand &a, const Operand &b,
               llvm::SMRange range);
  Value unary(Op op, llvm::StringRef name, const Operand &a,
              llvm::SMRange range);
  Value compare(ast::CompareOp op, const Operand &a, const Operand &b,
                llvm::SMRange range);
  Value select(const Operand &condition, const Operand &a, const Operand &b,
               llvm::SMRange range);
  Value maskAnd(const Operand &a, const Operand &b, llvm::SMRange range);

  /// A number or bool as a tensor of rank 0 of that dtype; noValue after an
  /// error.
  ValueId scalarTensor(const Operand &scalar, DType dtype);
  /// NumPy's broadcasting; reports and returns nothing where it fails.
  std::optional<Shape> broadcast(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b,
                                 llvm::SMRange range);
  /// Checks that `shape` stretches to `target` without changing it.
  bool broadcastsTo(llvm::ArrayRef<Dim> shape, llvm::ArrayRef<Dim> target,
                    llvm::SMRange range, llvm::StringRef what);

  /// Checks that `value` can stand where `expected` is declared and converts
  /// literals; poison after an error. `note` says where the type is declared.
  Value convert(const Operand &value, const TensorType &expected,
                llvm::StringRef what, llvm::SMRange declared,
                llvm::StringRef note);

  Value error(llvm::SMRange range, const llvm::Twine &message) {
    diags.error(range, message);
    return Value::poison();
  }
  /// Poison for a construct that has no meaning yet; the error comes when its
  /// graph is compiled.
  Value refuse(llvm::SMRange range, llvm::StringRef construct);
  /// The int, or an error about overflow and the like where it is null.
  Value intOrError(Dim dim, llvm::SMRange range);

  /// A mask word (`causal`) where no local has that name.
  std::optional<Value> maskWord(llvm::StringRef name);

  Checker &checker;
  Diagnostics &diags;
  DimContext &dims;
  /// Null outside graphs.
  GraphBuilder *graph = nullptr;
  const GraphSignature *signature = nullptr;
  Scope *scope = nullptr;

private:
  Value checkName(const ast::Ident &name);
  Value checkString(const ast::StringLit &literal);
  Value checkUnary(const ast::UnaryExpr &expr);
  Value checkChain(const ast::ChainExpr &expr);
  Value checkMember(const ast::MemberExpr &expr);
  Value checkIndex(const ast::IndexExpr &expr);
  Value checkWeight(const ast::WeightsDecl &decl, const ast::IndexExpr &expr);
  Value checkElements(const std::vector<ast::Expr *> &elements,
                      Value::Kind kind);
  Value checkOnMesh(const ast::OnMeshExpr &expr);
  // Calls.cpp
  Value checkCall(const ast::CallExpr &expr, bool onSingle);
  Value checkBuiltinCall(const Builtin &builtin, const ast::CallExpr &expr);
  Value checkGraphCall(const ast::GraphDecl &callee, const ast::CallExpr &expr,
                       bool onSingle);
  Value unknownFunction(const ast::Ident &name);
  // Scalars.cpp
  Value scalarBinary(Op op, llvm::StringRef name, const Operand &a,
                     const Operand &b, llvm::SMRange range);
  bool requireDivisor(Op op, const Operand &divisor);
  Value scalarUnary(Op op, llvm::StringRef name, const Operand &a,
                    llvm::SMRange range);
  Value scalarCompare(ast::CompareOp op, const Operand &a, const Operand &b,
                      llvm::SMRange range);
  Value tensorBinary(Op op, llvm::StringRef name, Operand a, Operand b,
                     DTypeSet dtypes, Inst inst);
  Value refine(const Value &value, const TensorType &type, llvm::SMRange range);
  bool meetDTypes(llvm::StringRef name, Operand &a, Operand &b, DTypeSet dtypes,
                  llvm::SMRange range);
};

/// Text of a dim in a message: the number, or `{n}` with its text in front
/// where it is known at run time only.
std::string dimPair(Dim a, Dim b);

} // namespace agt::sema

#endif
