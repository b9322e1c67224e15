// Statements and blocks. Empty statements (`;`) leave no node.
#ifndef AGT_FRONTEND_AST_STMT_H
#define AGT_FRONTEND_AST_STMT_H

#include "frontend/AST/Expr.h"

namespace agt::ast {

class Stmt : public Node {
public:
  static bool classof(const Node *node) {
    return node->kind >= NodeKind::LetStmt && node->kind <= NodeKind::ExprStmt;
  }

protected:
  using Node::Node;
};

/// `{ ... }`; its range includes the braces.
struct Block : NodeOf<NodeKind::Block, Node> {
  using NodeOf::NodeOf;
  std::vector<Stmt *> stmts;
  /// Of the closing brace, where a missing `return` is reported.
  llvm::SMRange closeRange;
};

/// `let x = e;`, or `let (a, b) = e;` when `tuple`.
struct LetStmt : NodeOf<NodeKind::LetStmt, Stmt> {
  using NodeOf::NodeOf;
  std::vector<Ident> names;
  /// Written with parentheses; `let (a) = e;` has one name and is a tuple.
  bool tuple = false;
  /// `was old`, or absent.
  Ident was;
  TypeRef *type = nullptr;
  Expr *value = nullptr;
};

struct VarStmt : NodeOf<NodeKind::VarStmt, Stmt> {
  using NodeOf::NodeOf;
  Ident name;
  TypeRef *type = nullptr;
  Expr *value = nullptr;
};

struct AssignStmt : NodeOf<NodeKind::AssignStmt, Stmt> {
  using NodeOf::NodeOf;
  Ident name;
  Expr *value = nullptr;
};

struct IfStmt : NodeOf<NodeKind::IfStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *condition = nullptr;
  Block *then = nullptr;
  /// At most one of the two.
  Block *otherwise = nullptr;
  IfStmt *elseIf = nullptr;
};

/// No arm has a value.
struct MatchStmt : NodeOf<NodeKind::MatchStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *subject = nullptr;
  std::vector<MatchArm *> arms;
};

struct ForStmt : NodeOf<NodeKind::ForStmt, Stmt> {
  using NodeOf::NodeOf;
  Ident variable;
  Expr *list = nullptr;
  Block *body = nullptr;
};

struct WhileStmt : NodeOf<NodeKind::WhileStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *condition = nullptr;
  /// Optional in the grammar; the checker demands it.
  Expr *max = nullptr;
  Block *body = nullptr;
};

struct LoopStmt : NodeOf<NodeKind::LoopStmt, Stmt> {
  using NodeOf::NodeOf;
  Ident variable;
  /// Optional in the grammar; the checker demands it.
  Expr *max = nullptr;
  Block *body = nullptr;
};

struct RepeatStmt : NodeOf<NodeKind::RepeatStmt, Stmt> {
  using NodeOf::NodeOf;
  Ident variable;
  /// `0..n`
  Expr *bounds = nullptr;
  std::vector<Ident> carrying;
  Block *body = nullptr;
};

struct TryStmt : NodeOf<NodeKind::TryStmt, Stmt> {
  using NodeOf::NodeOf;
  Block *body = nullptr;
  Ident error;
  Block *handler = nullptr;
};

struct ReturnStmt : NodeOf<NodeKind::ReturnStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *value = nullptr;
};

struct YieldStmt : NodeOf<NodeKind::YieldStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *value = nullptr;
};

struct FailStmt : NodeOf<NodeKind::FailStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *value = nullptr;
};

struct AssertStmt : NodeOf<NodeKind::AssertStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *condition = nullptr;
  Expr *message = nullptr;
};

struct GotoStmt : NodeOf<NodeKind::GotoStmt, Stmt> {
  using NodeOf::NodeOf;
  Ident node;
  std::vector<Arg> args;
  /// Written with parentheses, maybe empty ones.
  bool hasArgs = false;
};

struct SleepStmt : NodeOf<NodeKind::SleepStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *value = nullptr;
};

struct EmitStmt : NodeOf<NodeKind::EmitStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *value = nullptr;
};

struct MockStmt : NodeOf<NodeKind::MockStmt, Stmt> {
  using NodeOf::NodeOf;
  Ident model;
  StringLit *file = nullptr;
};

/// `by DIM over AXIS, AXIS balance B via V`
struct ShardBy {
  llvm::SMRange range;
  Ident dim;
  std::vector<Ident> axes;
  Ident balance;
  Ident via;
};

struct ShardStmt : NodeOf<NodeKind::ShardStmt, Stmt> {
  using NodeOf::NodeOf;
  std::vector<Ident> names;
  std::vector<ShardBy> by;
};

struct ExprStmt : NodeOf<NodeKind::ExprStmt, Stmt> {
  using NodeOf::NodeOf;
  Expr *expr = nullptr;
};

} // namespace agt::ast

#endif
