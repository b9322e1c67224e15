// Parse tree to AST. Internal to frontend/Parse, included by sources only.
//
// The tree is without errors; what the grammar accepts and the language does
// not (chains of `..`, interpolations in constant strings) is reported here.
// Lists that may be very long (operands, elements, statements) are read from
// the tree's children in one pass: ANTLR's own accessors search from the start
// each time.
#ifndef AGT_FRONTEND_PARSE_BUILDER_H
#define AGT_FRONTEND_PARSE_BUILDER_H

#include "frontend/AST/AST.h"
#include "frontend/Parse/TreeParser.h"

namespace agt {

class Builder {
public:
  Builder(const TokenList &list, ast::Context &context,
          std::vector<Diagnostic> &errors)
      : list(list), context(context), errors(errors) {}

  /// Appends the declarations of `tree` to `file`.
  void build(AgtParser::FileContext &tree, ast::File &file);

private:
  using Rule = antlr4::ParserRuleContext;
  using Tree = antlr4::tree::ParseTree;

  //===- Places ----------------------------------------------------------===//

  llvm::SMRange range(antlr4::Token *first, antlr4::Token *last) const;
  llvm::SMRange range(Rule *rule) const;
  llvm::SMRange range(antlr4::tree::TerminalNode *terminal) const;
  llvm::SMRange range(Rule *first, Rule *last) const;
  llvm::StringRef text(llvm::SMRange range) const;
  ast::Ident ident(Rule *rule) const;
  ast::Ident identOrNone(Rule *rule) const;
  std::string docOf(Rule *rule) const;
  void error(llvm::SMRange range, const llvm::Twine &message);

  template <typename T> T *create(Rule *rule) {
    return context.create<T>(range(rule));
  }

  //===- Expressions (BuildExpr.cpp) -------------------------------------===//

  ast::Expr *expr(AgtParser::ExprContext *tree);
  ast::Expr *comparison(AgtParser::ComparisonContext *tree);
  /// Operands and operators in turn; `dim`, `sum` and `arith` have this shape.
  ast::Expr *flat(Rule *tree);
  ast::Expr *level(Rule *tree, size_t begin, size_t end, unsigned depth);
  ast::Expr *rangeLevel(Rule *tree, size_t begin, size_t end, unsigned depth);
  ast::Expr *flatOperand(Tree *tree);
  ast::Expr *dimAtom(AgtParser::DimAtomContext *tree);
  ast::Expr *unary(AgtParser::UnaryContext *tree);
  ast::Expr *suffix(ast::Expr *base, AgtParser::SuffixContext *tree,
                    llvm::SMLoc start);
  ast::Expr *operand(AgtParser::OperandContext *tree);
  ast::Expr *terminalOperand(antlr4::tree::TerminalNode *terminal);
  ast::Expr *number(AgtParser::NumberContext *tree);
  ast::Expr *nameRef(Rule *name);
  ast::StringLit *string(AgtParser::StringContext *tree);
  ast::StringLit *constantString(AgtParser::StringContext *tree,
                                 llvm::StringRef where);
  ast::Expr *receive(AgtParser::ReceiveContext *tree);
  ast::Expr *parseCall(AgtParser::ParseCallContext *tree);
  ast::Expr *tuple(AgtParser::TupleContext *tree);
  ast::Expr *listExpr(AgtParser::ListContext *tree);
  ast::Expr *recordLit(AgtParser::RecordLitContext *tree);
  ast::Expr *fork(AgtParser::ForkContext *tree);
  ast::Expr *join(AgtParser::JoinContext *tree);
  ast::Expr *ask(AgtParser::AskContext *tree);
  ast::Expr *approve(AgtParser::ApproveContext *tree);
  ast::Expr *matchExpr(AgtParser::MatchExprContext *tree);
  std::vector<ast::Arg> args(AgtParser::ArgsContext *tree);
  ast::Pattern *pattern(AgtParser::PatternContext *tree);

  //===- Types, statements (BuildStmt.cpp) -------------------------------===//

  ast::TypeRef *type(AgtParser::TypeContext *tree);
  ast::TypeArg typeArg(AgtParser::TypeArgContext *tree);
  ast::Block *block(AgtParser::BlockContext *tree);
  /// Null for an empty statement.
  ast::Stmt *stmt(AgtParser::StmtContext *tree);
  ast::Stmt *let(AgtParser::LetStmtContext *tree);
  ast::IfStmt *ifStmt(AgtParser::IfStmtContext *tree);
  ast::Stmt *matchStmt(AgtParser::MatchStmtContext *tree);
  ast::Stmt *loopStmt(Rule *tree);
  ast::Stmt *gotoStmt(AgtParser::GotoStmtContext *tree);
  ast::Stmt *shard(AgtParser::ShardStmtContext *tree);
  template <typename T, typename RuleT> ast::Stmt *valueStmt(RuleT *tree);

  //===- Declarations, properties (BuildDecl.cpp) ------------------------===//

  ast::Decl *decl(AgtParser::DeclContext *tree);
  ast::Decl *record(AgtParser::RecordDeclContext *tree);
  ast::Decl *enumDecl(AgtParser::EnumDeclContext *tree);
  ast::Decl *llm(AgtParser::LlmDeclContext *tree);
  ast::Decl *graph(AgtParser::GraphDeclContext *tree);
  ast::Decl *tool(AgtParser::ToolDeclContext *tree);
  void toolBody(AgtParser::ToolBodyContext *tree, ast::ToolDecl &tool);
  ast::Decl *agent(AgtParser::AgentDeclContext *tree);
  void agentBody(AgtParser::AgentBodyContext *tree, ast::AgentDecl &agent);
  ast::AgentNode *agentNode(AgtParser::AgentNodeContext *tree);
  std::vector<ast::Param *> params(AgtParser::ParamsContext *tree);
  ast::Props *props(AgtParser::PropsContext *tree);
  /// Of `prop` and `agentProp`, which have the same shape.
  ast::Prop *prop(Rule *tree);
  ast::Value *value(AgtParser::ValueContext *tree);
  ast::MoreItem *more(AgtParser::MoreContext *tree);

  const TokenList &list;
  ast::Context &context;
  std::vector<Diagnostic> &errors;
};

/// The rule's number, or -1 for a terminal.
inline ssize_t ruleOf(antlr4::tree::ParseTree *tree) {
  auto *rule = dynamic_cast<antlr4::RuleContext *>(tree);
  return rule ? static_cast<ssize_t>(rule->getRuleIndex()) : -1;
}

/// The token type of a terminal, or 0 for a rule.
inline unsigned tokenOf(antlr4::tree::ParseTree *tree) {
  auto *terminal = dynamic_cast<antlr4::tree::TerminalNode *>(tree);
  return terminal ? terminal->getSymbol()->getType() : 0;
}

/// The children that are of rule type T, in one pass.
template <typename T>
std::vector<T *> childrenOf(antlr4::ParserRuleContext *tree) {
  std::vector<T *> result;
  for (antlr4::tree::ParseTree *child : tree->children)
    if (auto *rule = dynamic_cast<T *>(child))
      result.push_back(rule);
  return result;
}

} // namespace agt

#endif
