// Expressions. Operators of one precedence level are one flat node (ChainExpr),
// so a sum of 200,000 terms is one node with 200,000 operands and no pass needs
// a deep stack: the depth of an expression is bounded by the nesting limit that
// the parser enforces.
#ifndef AGT_FRONTEND_AST_EXPR_H
#define AGT_FRONTEND_AST_EXPR_H

#include "frontend/AST/Type.h"

#include <optional>

namespace agt::ast {

struct Block;
struct Props;
class Stmt;

class Expr : public Node {
public:
  /// Written in parentheses of its own. `range` leaves them out.
  bool parenthesized = false;

  static bool classof(const Node *node) {
    return node->kind >= NodeKind::IntLit &&
           node->kind <= NodeKind::ReceiveExpr;
  }

protected:
  using Node::Node;
};

/// `42`, `1_000`, `4Ki`. The value is at most 2^63 - 1, or 2^63 where the
/// literal is the operand of a unary minus.
struct IntLit : NodeOf<NodeKind::IntLit, Expr> {
  using NodeOf::NodeOf;
  uint64_t value = 0;
  llvm::StringRef spelling;
};

struct FloatLit : NodeOf<NodeKind::FloatLit, Expr> {
  using NodeOf::NodeOf;
  double value = 0;
  llvm::StringRef spelling;
};

struct DurationLit : NodeOf<NodeKind::DurationLit, Expr> {
  using NodeOf::NodeOf;
  int64_t nanoseconds = 0;
  llvm::StringRef spelling;
};

/// A size, a rate or a frequency.
struct QuantityLit : NodeOf<NodeKind::QuantityLit, Expr> {
  using NodeOf::NodeOf;
  enum Unit { Bytes, BytesPerSecond, FlopsPerSecond, Hertz };
  /// In bytes, bytes/s, FLOP/s or Hz.
  double value = 0;
  Unit unit = Bytes;
  llvm::StringRef spelling;
};

/// A piece of a string: text with its escapes replaced, or `{expr}`.
struct StringPart {
  std::string text;
  Expr *expr = nullptr;
  llvm::SMRange range;
};

struct StringLit : NodeOf<NodeKind::StringLit, Expr> {
  using NodeOf::NodeOf;
  /// No part when empty; text parts are not empty and never adjacent.
  std::vector<StringPart> parts;
  /// Written between `"""`.
  bool block = false;
  /// The source text, quotes included.
  llvm::StringRef spelling;

  /// The text of a string without interpolations.
  std::optional<llvm::StringRef> constant() const {
    if (parts.empty())
      return llvm::StringRef();
    if (parts.size() == 1 && !parts[0].expr)
      return llvm::StringRef(parts[0].text);
    return std::nullopt;
  }
};

struct BoolLit : NodeOf<NodeKind::BoolLit, Expr> {
  using NodeOf::NodeOf;
  bool value = false;
};

struct NoneLit : NodeOf<NodeKind::NoneLit, Expr> {
  using NodeOf::NodeOf;
};

struct NameRef : NodeOf<NodeKind::NameRef, Expr> {
  using NodeOf::NodeOf;
  Ident name;
};

enum class ChainOp { Or, And, Mask, Add, Sub, Mul, Div, Rem };
llvm::StringRef spelling(ChainOp op);

/// `first op operand op operand ...`, applied from left to right. All operators
/// have one precedence: only `||`, only `&&`, only `&`, `+ -`, or `* / %`.
struct ChainExpr : NodeOf<NodeKind::ChainExpr, Expr> {
  using NodeOf::NodeOf;
  struct Link {
    ChainOp op;
    llvm::SMRange opRange;
    Expr *operand;
  };
  Expr *first = nullptr;
  std::vector<Link> rest;
};

enum class CompareOp { Eq, Ne, Lt, Le, Gt, Ge };
llvm::StringRef spelling(CompareOp op);

struct CompareExpr : NodeOf<NodeKind::CompareExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *lhs = nullptr;
  CompareOp op = CompareOp::Eq;
  llvm::SMRange opRange;
  Expr *rhs = nullptr;
};

/// `from..to`
struct RangeExpr : NodeOf<NodeKind::RangeExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *from = nullptr;
  Expr *to = nullptr;
  llvm::SMRange opRange;
};

struct UnaryExpr : NodeOf<NodeKind::UnaryExpr, Expr> {
  using NodeOf::NodeOf;
  /// '!' or '-'.
  char op = '-';
  llvm::SMRange opRange;
  Expr *operand = nullptr;
};

/// `expr` or `name = expr`; the name may be a reserved word.
struct Arg {
  Ident name;
  Expr *value = nullptr;
};

struct CallExpr : NodeOf<NodeKind::CallExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *callee = nullptr;
  std::vector<Arg> args;
  /// Of the closing parenthesis, where a missing argument is reported.
  llvm::SMRange closeRange;
};

struct IndexExpr : NodeOf<NodeKind::IndexExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *base = nullptr;
  std::vector<Expr *> indices;
};

struct MemberExpr : NodeOf<NodeKind::MemberExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *base = nullptr;
  Ident member;
};

/// `f(x) on MESH`
struct OnMeshExpr : NodeOf<NodeKind::OnMeshExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *base = nullptr;
  Ident mesh;
};

/// `parse<T>(text)`: a name, one type, arguments.
struct ParseCallExpr : NodeOf<NodeKind::ParseCallExpr, Expr> {
  using NodeOf::NodeOf;
  Ident name;
  TypeRef *type = nullptr;
  std::vector<Arg> args;
  llvm::SMRange closeRange;
};

/// Two elements or more.
struct TupleExpr : NodeOf<NodeKind::TupleExpr, Expr> {
  using NodeOf::NodeOf;
  std::vector<Expr *> elements;
};

struct ListExpr : NodeOf<NodeKind::ListExpr, Expr> {
  using NodeOf::NodeOf;
  std::vector<Expr *> elements;
};

/// `[element for variable in list if condition]`
struct ComprehensionExpr : NodeOf<NodeKind::ComprehensionExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *element = nullptr;
  Ident variable;
  Expr *list = nullptr;
  Expr *condition = nullptr;
};

struct FieldInit {
  Ident name;
  Expr *value = nullptr;
};

struct RecordLit : NodeOf<NodeKind::RecordLit, Expr> {
  using NodeOf::NodeOf;
  Ident name;
  std::vector<FieldInit> fields;
};

/// One clause of a fork, as written; a clause may be repeated, which the
/// checker refuses.
struct ForkClause {
  enum Kind {
    Key,
    Width,
    Max,
    Deadline,
    PolicyAll,
    PolicyFirst,
    PolicyCollect,
    PolicyQuorum
  };
  Kind kind = Key;
  llvm::SMRange range;
  /// Absent for PolicyAll and PolicyFirst.
  Expr *value = nullptr;
};

struct ForkExpr : NodeOf<NodeKind::ForkExpr, Expr> {
  using NodeOf::NodeOf;
  Ident variable;
  Expr *list = nullptr;
  std::vector<ForkClause> clauses;
  Block *body = nullptr;

  /// The first clause of that kind, or none.
  const ForkClause *clause(ForkClause::Kind kind) const {
    for (const ForkClause &clause : clauses)
      if (clause.kind == kind)
        return &clause;
    return nullptr;
  }
};

struct JoinOp {
  enum Kind { Flatten, Dedupe, Rank, Take, EvidenceHandles, Reduce, Budget };
  Kind kind = Flatten;
  llvm::SMRange range;
  /// Dedupe and Rank.
  Ident field;
  /// Rank.
  bool descending = false;
  /// Take, Budget, and Reduce's fan-in.
  Expr *value = nullptr;
  /// Reduce.
  Ident reducer;
};
llvm::StringRef spelling(JoinOp::Kind kind);

struct JoinExpr : NodeOf<NodeKind::JoinExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *list = nullptr;
  std::vector<JoinOp> ops;
};

struct AskExpr : NodeOf<NodeKind::AskExpr, Expr> {
  using NodeOf::NodeOf;
  Ident model;
  Ident context;
  /// Absent: the answer is a string.
  TypeRef *type = nullptr;
  Props *props = nullptr;
};

struct ApproveExpr : NodeOf<NodeKind::ApproveExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *text = nullptr;
  Expr *role = nullptr;
  /// Optional in the grammar; the checker demands it.
  Expr *within = nullptr;
  bool otherwise = false;
};

struct ReceiveExpr : NodeOf<NodeKind::ReceiveExpr, Expr> {
  using NodeOf::NodeOf;
  Ident name;
  TypeRef *type = nullptr;
  Expr *within = nullptr;
};

struct Pattern : NodeOf<NodeKind::Pattern, Node> {
  using NodeOf::NodeOf;
  enum Kind { Else, None, Ok, Error, Literal, Name };
  Kind pattern = Else;
  /// Literal: an IntLit, FloatLit, DurationLit, StringLit or BoolLit, or a
  /// UnaryExpr '-' over a number.
  Expr *literal = nullptr;
  /// Name: `low` or `Severity.low`.
  Ident name;
  Ident member;
};

/// `pattern => { stmts value }`; `value` is null in a match statement.
struct MatchArm : NodeOf<NodeKind::MatchArm, Node> {
  using NodeOf::NodeOf;
  Pattern *pattern = nullptr;
  Block *body = nullptr;
  Expr *value = nullptr;
};

/// Every arm has a value.
struct MatchExpr : NodeOf<NodeKind::MatchExpr, Expr> {
  using NodeOf::NodeOf;
  Expr *subject = nullptr;
  std::vector<MatchArm *> arms;
};

} // namespace agt::ast

#endif
