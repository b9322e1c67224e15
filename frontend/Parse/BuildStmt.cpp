// Types and statements.
#include "frontend/Parse/Builder.h"

using namespace agt;

//===- Types -------------------------------------------------------------===//

ast::TypeRef *Builder::type(AgtParser::TypeContext *tree) {
  auto *node = create<ast::TypeRef>(tree);
  node->name = ident(tree->name());
  for (auto *each : childrenOf<AgtParser::TypeArgContext>(tree))
    node->args.push_back(typeArg(each));
  for (Tree *child : tree->children)
    node->options += tokenOf(child) == AgtLexer::QUESTION;
  return node;
}

ast::TypeArg Builder::typeArg(AgtParser::TypeArgContext *tree) {
  ast::TypeArg arg;
  arg.range = range(tree);
  if (AgtParser::TypeContext *inner = tree->type()) {
    arg.type = type(inner);
  } else if (AgtParser::SumContext *bound = tree->sum()) {
    arg.kind = ast::TypeArg::Max;
    arg.max = flat(bound);
  } else {
    arg.kind = ast::TypeArg::Dims;
    for (auto *dim : childrenOf<AgtParser::ExprContext>(tree))
      arg.dims.push_back(expr(dim));
  }
  return arg;
}

//===- Statements --------------------------------------------------------===//

ast::Block *Builder::block(AgtParser::BlockContext *tree) {
  auto *node = create<ast::Block>(tree);
  node->closeRange = range(tree->RBRACE());
  for (auto *each : childrenOf<AgtParser::StmtContext>(tree))
    if (ast::Stmt *inner = stmt(each))
      node->stmts.push_back(inner);
  return node;
}

/// A statement of one expression.
template <typename T, typename RuleT>
ast::Stmt *Builder::valueStmt(RuleT *tree) {
  auto *node = create<T>(tree);
  node->value = expr(tree->expr());
  return node;
}

ast::Stmt *Builder::stmt(AgtParser::StmtContext *tree) {
  auto *inner = static_cast<Rule *>(tree->children.front());
  switch (inner->getRuleIndex()) {
  case AgtParser::RuleLetStmt:
    return let(static_cast<AgtParser::LetStmtContext *>(inner));
  case AgtParser::RuleVarStmt: {
    auto *rule = static_cast<AgtParser::VarStmtContext *>(inner);
    auto *node = create<ast::VarStmt>(rule);
    node->name = ident(rule->name());
    if (rule->type())
      node->type = type(rule->type());
    node->value = expr(rule->expr());
    return node;
  }
  case AgtParser::RuleAssignStmt: {
    auto *rule = static_cast<AgtParser::AssignStmtContext *>(inner);
    auto *node = create<ast::AssignStmt>(rule);
    node->name = ident(rule->name());
    node->value = expr(rule->expr());
    return node;
  }
  case AgtParser::RuleIfStmt:
    return ifStmt(static_cast<AgtParser::IfStmtContext *>(inner));
  case AgtParser::RuleMatchStmt:
    return matchStmt(static_cast<AgtParser::MatchStmtContext *>(inner));
  case AgtParser::RuleForStmt:
  case AgtParser::RuleWhileStmt:
  case AgtParser::RuleLoopStmt:
  case AgtParser::RuleRepeatStmt:
    return loopStmt(inner);
  case AgtParser::RuleTryStmt: {
    auto *rule = static_cast<AgtParser::TryStmtContext *>(inner);
    auto *node = create<ast::TryStmt>(rule);
    node->body = block(rule->block(0));
    node->error = ident(rule->name());
    node->handler = block(rule->block(1));
    return node;
  }
  case AgtParser::RuleReturnStmt:
    return valueStmt<ast::ReturnStmt>(
        static_cast<AgtParser::ReturnStmtContext *>(inner));
  case AgtParser::RuleYieldStmt:
    return valueStmt<ast::YieldStmt>(
        static_cast<AgtParser::YieldStmtContext *>(inner));
  case AgtParser::RuleFailStmt:
    return valueStmt<ast::FailStmt>(
        static_cast<AgtParser::FailStmtContext *>(inner));
  case AgtParser::RuleSleepStmt:
    return valueStmt<ast::SleepStmt>(
        static_cast<AgtParser::SleepStmtContext *>(inner));
  case AgtParser::RuleEmitStmt:
    return valueStmt<ast::EmitStmt>(
        static_cast<AgtParser::EmitStmtContext *>(inner));
  case AgtParser::RuleAssertStmt: {
    auto *rule = static_cast<AgtParser::AssertStmtContext *>(inner);
    auto *node = create<ast::AssertStmt>(rule);
    node->condition = expr(rule->expr(0));
    if (rule->COMMA())
      node->message = expr(rule->expr(1));
    return node;
  }
  case AgtParser::RuleGotoStmt:
    return gotoStmt(static_cast<AgtParser::GotoStmtContext *>(inner));
  case AgtParser::RuleMockStmt: {
    auto *rule = static_cast<AgtParser::MockStmtContext *>(inner);
    auto *node = create<ast::MockStmt>(rule);
    node->model = ident(rule->name());
    node->file = constantString(rule->string(), "the file of a mock");
    return node;
  }
  case AgtParser::RuleShardStmt:
    return shard(static_cast<AgtParser::ShardStmtContext *>(inner));
  case AgtParser::RuleExprStmt: {
    auto *rule = static_cast<AgtParser::ExprStmtContext *>(inner);
    auto *node = create<ast::ExprStmt>(rule);
    node->expr = expr(rule->expr());
    return node;
  }
  default:
    return nullptr;
  }
}

ast::Stmt *Builder::let(AgtParser::LetStmtContext *tree) {
  auto *node = create<ast::LetStmt>(tree);
  for (auto *name : childrenOf<AgtParser::NameContext>(tree))
    node->names.push_back(ident(name));
  node->tuple = tree->LPAREN() != nullptr;
  if (tree->WAS()) {
    node->was = node->names.back();
    node->names.pop_back();
  }
  if (tree->type())
    node->type = type(tree->type());
  node->value = expr(tree->expr());
  return node;
}

ast::IfStmt *Builder::ifStmt(AgtParser::IfStmtContext *tree) {
  auto *node = create<ast::IfStmt>(tree);
  node->condition = expr(tree->expr());
  node->then = block(tree->block(0));
  if (tree->ifStmt())
    node->elseIf = ifStmt(tree->ifStmt());
  else if (tree->ELSE())
    node->otherwise = block(tree->block(1));
  return node;
}

ast::Stmt *Builder::matchStmt(AgtParser::MatchStmtContext *tree) {
  auto *node = create<ast::MatchStmt>(tree);
  node->subject = expr(tree->expr());
  for (auto *each : childrenOf<AgtParser::StmtArmContext>(tree)) {
    auto *arm = create<ast::MatchArm>(each);
    arm->pattern = pattern(each->pattern());
    arm->body = block(each->block());
    node->arms.push_back(arm);
  }
  return node;
}

ast::Stmt *Builder::loopStmt(Rule *tree) {
  switch (tree->getRuleIndex()) {
  case AgtParser::RuleForStmt: {
    auto *rule = static_cast<AgtParser::ForStmtContext *>(tree);
    auto *node = create<ast::ForStmt>(rule);
    node->variable = ident(rule->name());
    node->list = expr(rule->expr());
    node->body = block(rule->block());
    return node;
  }
  case AgtParser::RuleWhileStmt: {
    auto *rule = static_cast<AgtParser::WhileStmtContext *>(tree);
    auto *node = create<ast::WhileStmt>(rule);
    node->condition = expr(rule->expr(0));
    if (rule->MAX())
      node->max = expr(rule->expr(1));
    node->body = block(rule->block());
    return node;
  }
  case AgtParser::RuleLoopStmt: {
    auto *rule = static_cast<AgtParser::LoopStmtContext *>(tree);
    auto *node = create<ast::LoopStmt>(rule);
    node->variable = ident(rule->name());
    if (rule->expr())
      node->max = expr(rule->expr());
    node->body = block(rule->block());
    return node;
  }
  default: {
    auto *rule = static_cast<AgtParser::RepeatStmtContext *>(tree);
    auto *node = create<ast::RepeatStmt>(rule);
    auto names = childrenOf<AgtParser::NameContext>(rule);
    node->variable = ident(names.front());
    for (size_t index = 1; index < names.size(); ++index)
      node->carrying.push_back(ident(names[index]));
    node->bounds = expr(rule->expr());
    node->body = block(rule->block());
    return node;
  }
  }
}

ast::Stmt *Builder::gotoStmt(AgtParser::GotoStmtContext *tree) {
  auto *node = create<ast::GotoStmt>(tree);
  node->node = ident(tree->name());
  node->hasArgs = tree->args() != nullptr;
  if (node->hasArgs)
    node->args = args(tree->args());
  return node;
}

ast::Stmt *Builder::shard(AgtParser::ShardStmtContext *tree) {
  auto *node = create<ast::ShardStmt>(tree);
  for (auto *name : childrenOf<AgtParser::NameContext>(tree))
    node->names.push_back(ident(name));
  for (auto *each : childrenOf<AgtParser::ShardByContext>(tree)) {
    ast::ShardBy by;
    by.range = range(each);
    // BY name OVER name (COMMA nameNotBy)* (BALANCE name)? (VIA name)?
    auto names = childrenOf<AgtParser::NameContext>(each);
    by.dim = ident(names[0]);
    by.axes.push_back(ident(names[1]));
    for (auto *axis : childrenOf<AgtParser::NameNotByContext>(each))
      by.axes.push_back(ident(axis));
    size_t next = 2;
    if (each->BALANCE())
      by.balance = ident(names[next++]);
    if (each->VIA())
      by.via = ident(names[next]);
    node->by.push_back(by);
  }
  return node;
}
