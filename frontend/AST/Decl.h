// Declarations, properties and files.
#ifndef AGT_FRONTEND_AST_DECL_H
#define AGT_FRONTEND_AST_DECL_H

#include "frontend/AST/Stmt.h"

namespace agt::ast {

struct Value;

/// One of the words after the first expression of a value: in
/// `reconcile find(token) settle 10s` the items are `find(token)`, `settle` and
/// `10s`. Either a literal, or a dotted name with an optional list of values.
struct MoreItem : NodeOf<NodeKind::MoreItem, Node> {
  using NodeOf::NodeOf;
  Expr *literal = nullptr;
  std::vector<Ident> path;
  bool hasArgs = false;
  std::vector<Value *> args;
};

/// `name = expr`, `{ nested properties }` or `expr item item ...`.
struct Value : NodeOf<NodeKind::Value, Node> {
  using NodeOf::NodeOf;
  enum Kind { Named, Nested, Plain };
  Kind value = Plain;
  /// Named.
  Ident name;
  /// Named and Plain.
  Expr *expr = nullptr;
  /// Nested.
  Props *props = nullptr;
  /// Plain.
  std::vector<MoreItem *> more;
};

/// `word label: value, value`. The label is a name or a constant string.
struct Prop : NodeOf<NodeKind::Prop, Node> {
  using NodeOf::NodeOf;
  Ident word;
  Ident label;
  StringLit *stringLabel = nullptr;
  std::vector<Value *> values;
};

struct Props : NodeOf<NodeKind::Props, Node> {
  using NodeOf::NodeOf;
  std::vector<Prop *> props;
  llvm::SMRange closeRange;

  /// The first property with that word, or null.
  Prop *find(llvm::StringRef word) const {
    for (Prop *prop : props)
      if (prop->word.text == word)
        return prop;
    return nullptr;
  }
};

struct Param : NodeOf<NodeKind::Param, Node> {
  using NodeOf::NodeOf;
  Ident name;
  TypeRef *type = nullptr;
};

class Decl : public Node {
public:
  /// Absent in a test.
  Ident name;
  /// The doc comment's lines without `///` and one blank, joined by '\n'.
  std::string doc;

  static bool classof(const Node *node) {
    return node->kind >= NodeKind::ConstDecl &&
           node->kind <= NodeKind::TestDecl;
  }

protected:
  using Node::Node;
};

struct ImportDecl : NodeOf<NodeKind::ImportDecl, Node> {
  using NodeOf::NodeOf;
  StringLit *path = nullptr;
};

struct ConstDecl : NodeOf<NodeKind::ConstDecl, Decl> {
  using NodeOf::NodeOf;
  Expr *value = nullptr;
};

/// A field of a record. Its name may be a reserved word.
struct Field : NodeOf<NodeKind::Field, Node> {
  using NodeOf::NodeOf;
  Ident name;
  std::string doc;
  TypeRef *type = nullptr;
  /// `in 0.0..1.0`, or null.
  Expr *bounds = nullptr;
};

struct RecordDecl : NodeOf<NodeKind::RecordDecl, Decl> {
  using NodeOf::NodeOf;
  std::vector<Field *> fields;
};

struct EnumDecl : NodeOf<NodeKind::EnumDecl, Decl> {
  using NodeOf::NodeOf;
  std::vector<Ident> values;
};

struct TargetDecl : NodeOf<NodeKind::TargetDecl, Decl> {
  using NodeOf::NodeOf;
  /// `= builtin("...")`, or null.
  Expr *base = nullptr;
  Props *props = nullptr;
};

struct MeshDecl : NodeOf<NodeKind::MeshDecl, Decl> {
  using NodeOf::NodeOf;
  Props *props = nullptr;
};

struct ModelDecl : NodeOf<NodeKind::ModelDecl, Decl> {
  using NodeOf::NodeOf;
  Props *props = nullptr;
};

struct WeightsDecl : NodeOf<NodeKind::WeightsDecl, Decl> {
  using NodeOf::NodeOf;
  StringLit *path = nullptr;
  Ident format;
};

/// `llm x = graph G {...}` or `llm x = openai {...}`.
struct LlmDecl : NodeOf<NodeKind::LlmDecl, Decl> {
  using NodeOf::NodeOf;
  bool fromGraph = false;
  /// The graph or the provider.
  Ident source;
  Props *props = nullptr;
};

/// `name: type` or just `type`.
struct GraphResult {
  Ident name;
  TypeRef *type = nullptr;
};

/// `where name = dim`; the value uses ints, names, members and arithmetic.
struct WhereDim {
  Ident name;
  Expr *value = nullptr;
};

struct GraphDecl : NodeOf<NodeKind::GraphDecl, Decl> {
  using NodeOf::NodeOf;
  std::vector<Param *> params;
  std::vector<GraphResult> results;
  /// Results written in parentheses.
  bool tupleResults = false;
  std::vector<WhereDim> where;
  /// `on MESH`, or absent.
  Ident mesh;
  Block *body = nullptr;
};

/// `tool t(...) -> T {...}`, or `tool t = mcp {...}` with tools inside.
struct ToolDecl : NodeOf<NodeKind::ToolDecl, Decl> {
  using NodeOf::NodeOf;
  /// `mcp`, or absent for a tool with parameters.
  Ident provider;
  std::vector<Param *> params;
  TypeRef *result = nullptr;
  /// Never null; of a provider, its own properties.
  Props *props = nullptr;
  /// Of a provider: its tools. Their names may be reserved words.
  std::vector<ToolDecl *> tools;
  /// Of a provider: properties and tools in source order.
  std::vector<Node *> items;
};

struct FnDecl : NodeOf<NodeKind::FnDecl, Decl> {
  using NodeOf::NodeOf;
  std::vector<Param *> params;
  TypeRef *result = nullptr;
  Block *body = nullptr;
};

/// `node n(params) {...}` of the graph-state form.
struct AgentNode : NodeOf<NodeKind::AgentNode, Node> {
  using NodeOf::NodeOf;
  Ident name;
  std::string doc;
  std::vector<Param *> params;
  /// Written with parentheses, maybe empty ones.
  bool hasParams = false;
  Block *body = nullptr;
};

/// `start n max e visits;`
struct AgentStart : NodeOf<NodeKind::AgentStart, Node> {
  using NodeOf::NodeOf;
  Ident node;
  /// Optional in the grammar; the checker demands it.
  Expr *maxVisits = nullptr;
};

struct AgentDecl : NodeOf<NodeKind::AgentDecl, Decl> {
  using NodeOf::NodeOf;
  std::vector<Param *> params;
  TypeRef *result = nullptr;
  /// The body by kind, each in source order ...
  std::vector<Prop *> props;
  std::vector<Stmt *> stmts;
  std::vector<AgentNode *> nodes;
  std::vector<AgentStart *> starts;
  /// ... and all of it in source order: Prop, Stmt, AgentNode, AgentStart.
  std::vector<Node *> items;
  /// Of the body's closing brace.
  llvm::SMRange closeRange;
};

struct TestDecl : NodeOf<NodeKind::TestDecl, Decl> {
  using NodeOf::NodeOf;
  StringLit *title = nullptr;
  Block *body = nullptr;
};

struct File : NodeOf<NodeKind::File, Node> {
  using NodeOf::NodeOf;
  /// The buffer in the llvm::SourceMgr.
  unsigned bufferId = 0;
  std::vector<ImportDecl *> imports;
  std::vector<Decl *> decls;
  /// Both, in source order.
  std::vector<Node *> items;
};

} // namespace agt::ast

#endif
