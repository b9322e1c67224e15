// Operands: literals, strings, calls, lists, records, and what agents do.
#include "frontend/Parse/Builder.h"
#include "frontend/Parse/Literals.h"

using namespace agt;
using antlr4::tree::TerminalNode;

//===- Operands ----------------------------------------------------------===//

ast::Expr *Builder::operand(AgtParser::OperandContext *tree) {
  Tree *child = tree->children.front();
  switch (ruleOf(child)) {
  case -1:
    return terminalOperand(static_cast<TerminalNode *>(child));
  case AgtParser::RuleNumber:
    return number(static_cast<AgtParser::NumberContext *>(child));
  case AgtParser::RuleString:
    return string(static_cast<AgtParser::StringContext *>(child));
  case AgtParser::RuleName:
    return nameRef(static_cast<Rule *>(child));
  case AgtParser::RuleParseCall:
    return parseCall(static_cast<AgtParser::ParseCallContext *>(child));
  case AgtParser::RuleTuple:
    return tuple(static_cast<AgtParser::TupleContext *>(child));
  case AgtParser::RuleList:
    return listExpr(static_cast<AgtParser::ListContext *>(child));
  case AgtParser::RuleRecordLit:
    return recordLit(static_cast<AgtParser::RecordLitContext *>(child));
  case AgtParser::RuleFork:
    return fork(static_cast<AgtParser::ForkContext *>(child));
  case AgtParser::RuleJoin:
    return join(static_cast<AgtParser::JoinContext *>(child));
  case AgtParser::RuleAsk:
    return ask(static_cast<AgtParser::AskContext *>(child));
  case AgtParser::RuleApprove:
    return approve(static_cast<AgtParser::ApproveContext *>(child));
  default:
    return matchExpr(static_cast<AgtParser::MatchExprContext *>(child));
  }
}

// Values that do not fit were reported on tokens; the AST is then not used.
ast::Expr *Builder::terminalOperand(TerminalNode *terminal) {
  llvm::SMRange place = range(terminal);
  switch (terminal->getSymbol()->getType()) {
  case AgtLexer::INT: {
    auto *literal = context.create<ast::IntLit>(place);
    literal->spelling = text(place);
    literal->value = parseInt(literal->spelling).value_or(0);
    return literal;
  }
  case AgtLexer::FLOAT: {
    auto *literal = context.create<ast::FloatLit>(place);
    literal->spelling = text(place);
    literal->value = parseFloat(literal->spelling).value_or(0);
    return literal;
  }
  case AgtLexer::DURATION: {
    auto *literal = context.create<ast::DurationLit>(place);
    literal->spelling = text(place);
    literal->nanoseconds = parseDuration(literal->spelling).value_or(0);
    return literal;
  }
  case AgtLexer::QUANTITY: {
    auto *literal = context.create<ast::QuantityLit>(place);
    literal->spelling = text(place);
    if (auto quantity = parseQuantity(literal->spelling)) {
      literal->value = quantity->value;
      literal->unit = quantity->unit;
    }
    return literal;
  }
  case AgtLexer::NONE:
    return context.create<ast::NoneLit>(place);
  default: {
    auto *literal = context.create<ast::BoolLit>(place);
    literal->value = terminal->getSymbol()->getType() == AgtLexer::TRUE;
    return literal;
  }
  }
}

ast::Expr *Builder::number(AgtParser::NumberContext *tree) {
  return terminalOperand(static_cast<TerminalNode *>(tree->children.front()));
}

ast::Expr *Builder::nameRef(Rule *name) {
  auto *ref = create<ast::NameRef>(name);
  ref->name = ident(name);
  return ref;
}

ast::StringLit *Builder::string(AgtParser::StringContext *tree) {
  auto *literal = create<ast::StringLit>(tree);
  literal->spelling = text(literal->range);
  literal->block = literal->spelling.starts_with("\"\"\"");

  // One piece for each child between the quotes: text as written (true), or
  // what stands for itself. An interpolation's piece stays empty.
  std::vector<std::pair<bool, std::string>> pieces;
  std::vector<ast::StringPart> parts;
  auto add = [&](bool source, std::string piece, llvm::SMRange place) {
    pieces.emplace_back(source, std::move(piece));
    parts.push_back({"", nullptr, place});
  };
  for (size_t index = 1; index + 1 < tree->children.size(); ++index) {
    auto *terminal = dynamic_cast<TerminalNode *>(tree->children[index]);
    llvm::SMRange place = range(terminal);
    llvm::StringRef spelling = text(place);
    switch (terminal->getSymbol()->getType()) {
    case AgtLexer::STRING_TEXT:
      add(true, spelling.str(), place);
      break;
    case AgtLexer::STRING_ESCAPE:
      add(false, parseEscape(spelling).value_or(""), place);
      break;
    case AgtLexer::STRING_BRACE:
      add(false, spelling.take_front().str(), place);
      break;
    default: {
      auto *closing = dynamic_cast<TerminalNode *>(tree->children[index + 2]);
      add(false, "", {place.Start, range(closing).End});
      parts.back().expr = expr(
          static_cast<AgtParser::ExprContext *>(tree->children[index + 1]));
      index += 2;
    }
    }
  }
  if (literal->block)
    stripBlockString(pieces);

  for (size_t index = 0; index != parts.size(); ++index) {
    ast::StringPart &part = parts[index];
    if (part.expr) {
      literal->parts.push_back(std::move(part));
      continue;
    }
    if (pieces[index].second.empty())
      continue;
    if (literal->parts.empty() || literal->parts.back().expr)
      literal->parts.push_back({"", nullptr, part.range});
    literal->parts.back().text += pieces[index].second;
    literal->parts.back().range.End = part.range.End;
  }
  return literal;
}

ast::StringLit *Builder::constantString(AgtParser::StringContext *tree,
                                        llvm::StringRef where) {
  ast::StringLit *literal = string(tree);
  for (const ast::StringPart &part : literal->parts)
    if (part.expr) {
      error(part.range, where + " is constant and takes no interpolation");
      break;
    }
  return literal;
}

ast::Expr *Builder::receive(AgtParser::ReceiveContext *tree) {
  auto *node = create<ast::ReceiveExpr>(tree);
  node->name = ident(tree->name());
  node->type = type(tree->type());
  node->within = unary(tree->unary());
  return node;
}

ast::Expr *Builder::parseCall(AgtParser::ParseCallContext *tree) {
  auto *node = create<ast::ParseCallExpr>(tree);
  node->name = ident(tree->name());
  node->type = type(tree->type());
  node->args = args(tree->args());
  node->closeRange = range(tree->RPAREN());
  return node;
}

ast::Expr *Builder::tuple(AgtParser::TupleContext *tree) {
  auto elements = childrenOf<AgtParser::ExprContext>(tree);
  if (elements.size() == 1) {
    ast::Expr *only = expr(elements.front());
    only->parenthesized = true;
    return only;
  }
  auto *node = create<ast::TupleExpr>(tree);
  for (AgtParser::ExprContext *element : elements)
    node->elements.push_back(expr(element));
  return node;
}

ast::Expr *Builder::listExpr(AgtParser::ListContext *tree) {
  auto elements = childrenOf<AgtParser::ExprContext>(tree);
  if (AgtParser::ComprehensionContext *each = tree->comprehension()) {
    auto *node = create<ast::ComprehensionExpr>(tree);
    node->element = expr(elements.front());
    node->variable = ident(each->name());
    node->list = expr(each->expr(0));
    if (each->IF())
      node->condition = expr(each->expr(1));
    return node;
  }
  auto *node = create<ast::ListExpr>(tree);
  for (AgtParser::ExprContext *element : elements)
    node->elements.push_back(expr(element));
  return node;
}

ast::Expr *Builder::recordLit(AgtParser::RecordLitContext *tree) {
  auto *node = create<ast::RecordLit>(tree);
  node->name = ident(tree->name());
  for (auto *field : childrenOf<AgtParser::FieldInitContext>(tree))
    node->fields.push_back({ident(field->word()), expr(field->expr())});
  return node;
}

//===- Agents' expressions -----------------------------------------------===//

ast::Expr *Builder::fork(AgtParser::ForkContext *tree) {
  auto *node = create<ast::ForkExpr>(tree);
  node->variable = ident(tree->name());
  node->list = expr(tree->expr());
  for (auto *each : childrenOf<AgtParser::ForkClauseContext>(tree)) {
    ast::ForkClause clause;
    clause.range = range(each);
    using Kind = ast::ForkClause::Kind;
    clause.kind = each->KEY()        ? Kind::Key
                  : each->WIDTH()    ? Kind::Width
                  : each->MAX()      ? Kind::Max
                  : each->DEADLINE() ? Kind::Deadline
                  : each->ALL()      ? Kind::PolicyAll
                  : each->FIRST()    ? Kind::PolicyFirst
                  : each->COLLECT()  ? Kind::PolicyCollect
                                     : Kind::PolicyQuorum;
    if (each->expr())
      clause.value = expr(each->expr());
    node->clauses.push_back(clause);
  }
  node->body = block(tree->block());
  return node;
}

ast::Expr *Builder::join(AgtParser::JoinContext *tree) {
  auto *node = create<ast::JoinExpr>(tree);
  node->list = expr(tree->expr());
  for (auto *each : childrenOf<AgtParser::JoinOpContext>(tree)) {
    ast::JoinOp op;
    op.range = range(each);
    using Kind = ast::JoinOp::Kind;
    op.kind = each->FLATTEN()    ? Kind::Flatten
              : each->DEDUPE()   ? Kind::Dedupe
              : each->RANK()     ? Kind::Rank
              : each->TAKE()     ? Kind::Take
              : each->EVIDENCE() ? Kind::EvidenceHandles
              : each->REDUCE()   ? Kind::Reduce
                                 : Kind::Budget;
    op.field = identOrNone(each->word());
    op.descending = each->DESC() != nullptr;
    if (each->expr())
      op.value = expr(each->expr());
    op.reducer = identOrNone(each->name());
    node->ops.push_back(op);
  }
  return node;
}

ast::Expr *Builder::ask(AgtParser::AskContext *tree) {
  auto *node = create<ast::AskExpr>(tree);
  node->model = ident(tree->name(0));
  if (tree->WITH())
    node->context = ident(tree->name(1));
  if (tree->type())
    node->type = type(tree->type());
  node->props = props(tree->props());
  return node;
}

ast::Expr *Builder::approve(AgtParser::ApproveContext *tree) {
  auto *node = create<ast::ApproveExpr>(tree);
  node->text = expr(tree->expr(0));
  node->role = expr(tree->expr(1));
  if (tree->WITHIN())
    node->within = expr(tree->expr(2));
  node->otherwise = tree->TRUE() != nullptr;
  return node;
}

ast::Expr *Builder::matchExpr(AgtParser::MatchExprContext *tree) {
  auto *node = create<ast::MatchExpr>(tree);
  node->subject = expr(tree->expr());
  for (auto *each : childrenOf<AgtParser::ExprArmContext>(tree)) {
    auto *arm = create<ast::MatchArm>(each);
    arm->pattern = pattern(each->pattern());
    arm->body = context.create<ast::Block>(
        llvm::SMRange(range(each->LBRACE()).Start, range(each->RBRACE()).End));
    arm->body->closeRange = range(each->RBRACE());
    for (auto *inner : childrenOf<AgtParser::StmtContext>(each))
      if (ast::Stmt *node = stmt(inner))
        arm->body->stmts.push_back(node);
    arm->value = expr(each->expr());
    node->arms.push_back(arm);
  }
  return node;
}

std::vector<ast::Arg> Builder::args(AgtParser::ArgsContext *tree) {
  std::vector<ast::Arg> result;
  for (auto *each : childrenOf<AgtParser::ArgContext>(tree))
    result.push_back({identOrNone(each->word()), expr(each->expr())});
  return result;
}

ast::Pattern *Builder::pattern(AgtParser::PatternContext *tree) {
  auto *node = create<ast::Pattern>(tree);
  node->pattern = ast::Pattern::Literal;
  if (tree->ELSE()) {
    node->pattern = ast::Pattern::Else;
  } else if (tree->NONE()) {
    node->pattern = ast::Pattern::None;
  } else if (tree->string()) {
    node->literal = string(tree->string());
  } else if (tree->number()) {
    node->literal = number(tree->number());
    if (TerminalNode *minus = tree->MINUS()) {
      auto *negated = create<ast::UnaryExpr>(tree);
      negated->opRange = range(minus);
      negated->operand = node->literal;
      node->literal = negated;
    }
  } else if (tree->name()) {
    node->pattern = ast::Pattern::Name;
    node->name = ident(tree->name());
    node->member = identOrNone(tree->word());
    if (!node->member && node->name.text == "ok")
      node->pattern = ast::Pattern::Ok;
    if (!node->member && node->name.text == "error")
      node->pattern = ast::Pattern::Error;
  } else {
    node->literal =
        terminalOperand(static_cast<TerminalNode *>(tree->children.front()));
  }
  return node;
}
