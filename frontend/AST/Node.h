// What every node of the AST shares: a kind for llvm::isa, the source range,
// and an owner. Nodes are created by a Context, which owns them all in one flat
// list; they point at each other with raw pointers. So no destructor recurses,
// whatever the shape of the tree, and a tree lives exactly as long as its
// Context and the llvm::SourceMgr whose buffers its ranges and names point
// into.
#ifndef AGT_FRONTEND_AST_NODE_H
#define AGT_FRONTEND_AST_NODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SMLoc.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace agt::ast {

/// One kind per node class. Classes with common bases are contiguous: classof
/// of Expr, Stmt and Decl are ranges.
enum class NodeKind : uint8_t {
  // Expressions.
  IntLit,
  FloatLit,
  DurationLit,
  QuantityLit,
  StringLit,
  BoolLit,
  NoneLit,
  NameRef,
  ChainExpr,
  CompareExpr,
  RangeExpr,
  UnaryExpr,
  CallExpr,
  IndexExpr,
  MemberExpr,
  OnMeshExpr,
  ParseCallExpr,
  TupleExpr,
  ListExpr,
  ComprehensionExpr,
  RecordLit,
  ForkExpr,
  JoinExpr,
  AskExpr,
  ApproveExpr,
  MatchExpr,
  ReceiveExpr,
  // Statements.
  LetStmt,
  VarStmt,
  AssignStmt,
  IfStmt,
  MatchStmt,
  ForStmt,
  WhileStmt,
  LoopStmt,
  RepeatStmt,
  TryStmt,
  ReturnStmt,
  YieldStmt,
  FailStmt,
  AssertStmt,
  GotoStmt,
  SleepStmt,
  EmitStmt,
  MockStmt,
  ShardStmt,
  ExprStmt,
  // Declarations.
  ConstDecl,
  RecordDecl,
  EnumDecl,
  TargetDecl,
  MeshDecl,
  ModelDecl,
  WeightsDecl,
  LlmDecl,
  GraphDecl,
  ToolDecl,
  FnDecl,
  AgentDecl,
  TestDecl,
  // The rest.
  ImportDecl,
  AgentNode,
  AgentStart,
  Field,
  Param,
  Block,
  MatchArm,
  Pattern,
  Prop,
  Props,
  Value,
  MoreItem,
  TypeRef,
  File,
};

/// The kind's name as dumps print it: "IntLit".
llvm::StringRef kindName(NodeKind kind);

/// A name with its place, for errors that point at it. Both point into the
/// source buffer. False when an optional name is absent.
struct Ident {
  llvm::StringRef text;
  llvm::SMRange range;

  explicit operator bool() const { return !text.empty(); }
};

class Node {
public:
  const NodeKind kind;
  /// From the first character to one past the last, without parentheses around
  /// an expression and without a statement's leading doc comment.
  llvm::SMRange range;

  virtual ~Node();
  llvm::SMLoc loc() const { return range.Start; }

  Node(const Node &) = delete;
  Node &operator=(const Node &) = delete;

protected:
  Node(NodeKind kind, llvm::SMRange range) : kind(kind), range(range) {}
};

/// A node class: `struct IfStmt : NodeOf<NodeKind::IfStmt, Stmt>`.
template <NodeKind K, typename Base> struct NodeOf : Base {
  explicit NodeOf(llvm::SMRange range) : Base(K, range) {}
  static bool classof(const Node *node) { return node->kind == K; }
};

/// Owns nodes.
class Context {
public:
  Context() = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  template <typename T> T *create(llvm::SMRange range) {
    auto node = std::make_unique<T>(range);
    T *raw = node.get();
    nodes.push_back(std::move(node));
    return raw;
  }

private:
  std::vector<std::unique_ptr<Node>> nodes;
};

} // namespace agt::ast

#endif
