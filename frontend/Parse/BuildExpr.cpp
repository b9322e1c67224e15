// Places and expressions.
#include "frontend/Parse/Builder.h"
#include "frontend/Parse/Literals.h"

using namespace agt;
using antlr4::tree::TerminalNode;

//===- Places
//--------------------------------------------------------------===//

static const SyntaxToken &syntax(antlr4::Token *token) {
  return *static_cast<TreeToken *>(token)->syntax;
}

llvm::SMRange Builder::range(antlr4::Token *first, antlr4::Token *last) const {
  return list.range(syntax(first).begin, syntax(last).end);
}

llvm::SMRange Builder::range(Rule *rule) const {
  return range(rule->start, rule->stop);
}

llvm::SMRange Builder::range(TerminalNode *terminal) const {
  return range(terminal->getSymbol(), terminal->getSymbol());
}

llvm::SMRange Builder::range(Rule *first, Rule *last) const {
  return range(first->start, last->stop);
}

llvm::StringRef Builder::text(llvm::SMRange range) const {
  return {
      range.Start.getPointer(),
      static_cast<size_t>(range.End.getPointer() - range.Start.getPointer())};
}

ast::Ident Builder::ident(Rule *rule) const {
  llvm::SMRange place = range(rule);
  return {text(place), place};
}

ast::Ident Builder::identOrNone(Rule *rule) const {
  return rule ? ident(rule) : ast::Ident();
}

std::string Builder::docOf(Rule *rule) const {
  return docCommentBefore(list, syntax(rule->start).begin);
}

void Builder::error(llvm::SMRange range, const llvm::Twine &message) {
  errors.push_back({Severity::Error, range, message.str(), {}});
}

//===- Operators
//-----------------------------------------------------------===//

// `arith` is a flat list whose operators are sorted into levels here, loosest
// first. Each level cuts the list at its operators; what is between two cuts is
// the next level's list. So the work is the length times the number of levels
// and the recursion as deep as there are levels.

namespace {

constexpr unsigned maskLevel = 0;
constexpr unsigned rangeLevelDepth = 1;
constexpr unsigned sumLevel = 2;
constexpr unsigned operandLevel = 4;

/// The level that an operator of `arith` belongs to.
unsigned levelOf(unsigned kind) {
  switch (kind) {
  case AgtLexer::AMP:
    return maskLevel;
  case AgtLexer::DOTDOT:
    return rangeLevelDepth;
  case AgtLexer::PLUS:
  case AgtLexer::MINUS:
    return sumLevel;
  default:
    return sumLevel + 1;
  }
}

ast::ChainOp chainOp(unsigned kind) {
  switch (kind) {
  case AgtLexer::OROR:
    return ast::ChainOp::Or;
  case AgtLexer::ANDAND:
    return ast::ChainOp::And;
  case AgtLexer::AMP:
    return ast::ChainOp::Mask;
  case AgtLexer::PLUS:
    return ast::ChainOp::Add;
  case AgtLexer::MINUS:
    return ast::ChainOp::Sub;
  case AgtLexer::STAR:
    return ast::ChainOp::Mul;
  case AgtLexer::SLASH:
    return ast::ChainOp::Div;
  default:
    return ast::ChainOp::Rem;
  }
}

ast::CompareOp compareOp(unsigned kind) {
  switch (kind) {
  case AgtLexer::EQ:
    return ast::CompareOp::Eq;
  case AgtLexer::NE:
    return ast::CompareOp::Ne;
  case AgtLexer::LT:
    return ast::CompareOp::Lt;
  case AgtLexer::LE:
    return ast::CompareOp::Le;
  case AgtLexer::GT:
    return ast::CompareOp::Gt;
  default:
    return ast::CompareOp::Ge;
  }
}

// In a flat list operands are at even places, operators at odd ones.
TerminalNode *operatorAt(antlr4::ParserRuleContext *tree, size_t index) {
  return static_cast<TerminalNode *>(tree->children[index]);
}

antlr4::ParserRuleContext *operandAt(antlr4::ParserRuleContext *tree,
                                     size_t index) {
  return static_cast<antlr4::ParserRuleContext *>(tree->children[index]);
}

unsigned kindAt(antlr4::ParserRuleContext *tree, size_t index) {
  return operatorAt(tree, index)->getSymbol()->getType();
}

} // namespace

ast::Expr *Builder::expr(AgtParser::ExprContext *tree) {
  // The levels of `||` and `&&`, cut in one pass: `cut` collects a conjunction,
  // `out` the disjunction.
  auto conjunction = [&](size_t begin, size_t end) -> ast::Expr * {
    auto operand = [&](size_t index) {
      return comparison(
          static_cast<AgtParser::ComparisonContext *>(tree->children[index]));
    };
    if (begin + 1 == end)
      return operand(begin);
    auto *chain = context.create<ast::ChainExpr>(
        range(operandAt(tree, begin), operandAt(tree, end - 1)));
    chain->first = operand(begin);
    for (size_t index = begin + 1; index < end; index += 2)
      chain->rest.push_back({ast::ChainOp::And, range(operatorAt(tree, index)),
                             operand(index + 1)});
    return chain;
  };
  ast::ChainExpr *disjunction = nullptr;
  size_t size = tree->children.size(), begin = 0;
  for (size_t index = 1; index < size; index += 2) {
    if (kindAt(tree, index) != AgtLexer::OROR)
      continue;
    ast::Expr *operand = conjunction(begin, index);
    if (!disjunction) {
      disjunction = create<ast::ChainExpr>(tree);
      disjunction->first = operand;
    } else {
      disjunction->rest.back().operand = operand;
    }
    disjunction->rest.push_back(
        {ast::ChainOp::Or, range(operatorAt(tree, index)), nullptr});
    begin = index + 1;
  }
  ast::Expr *last = conjunction(begin, size);
  if (!disjunction)
    return last;
  disjunction->rest.back().operand = last;
  return disjunction;
}

ast::Expr *Builder::comparison(AgtParser::ComparisonContext *tree) {
  ast::Expr *lhs = flat(operandAt(tree, 0));
  if (tree->children.size() == 1)
    return lhs;
  auto *compare = create<ast::CompareExpr>(tree);
  compare->lhs = lhs;
  compare->op = compareOp(kindAt(tree, 1));
  compare->opRange = range(operatorAt(tree, 1));
  compare->rhs = flat(operandAt(tree, 2));
  return compare;
}

ast::Expr *Builder::flat(Rule *tree) {
  return level(tree, 0, tree->children.size(), maskLevel);
}

ast::Expr *Builder::level(Rule *tree, size_t begin, size_t end,
                          unsigned depth) {
  if (begin + 1 == end || depth == operandLevel)
    return flatOperand(tree->children[begin]);
  if (depth == rangeLevelDepth)
    return rangeLevel(tree, begin, end, depth);
  ast::ChainExpr *chain = nullptr;
  size_t start = begin;
  auto add = [&](ast::Expr *operand) {
    if (chain->first)
      chain->rest.back().operand = operand;
    else
      chain->first = operand;
  };
  for (size_t index = begin + 1; index < end; index += 2) {
    unsigned kind = kindAt(tree, index);
    if (levelOf(kind) != depth)
      continue;
    if (!chain)
      chain = context.create<ast::ChainExpr>(
          range(operandAt(tree, begin), operandAt(tree, end - 1)));
    add(level(tree, start, index, depth + 1));
    chain->rest.push_back(
        {chainOp(kind), range(operatorAt(tree, index)), nullptr});
    start = index + 1;
  }
  ast::Expr *last = level(tree, start, end, depth + 1);
  if (!chain)
    return last;
  add(last);
  return chain;
}

ast::Expr *Builder::rangeLevel(Rule *tree, size_t begin, size_t end,
                               unsigned depth) {
  size_t cut = end;
  for (size_t index = begin + 1; index < end; index += 2) {
    if (levelOf(kindAt(tree, index)) != depth)
      continue;
    if (cut != end) {
      error(range(operatorAt(tree, index)), "'..' does not chain");
      end = index;
      break;
    }
    cut = index;
  }
  if (cut >= end)
    return level(tree, begin, end, depth + 1);
  auto *result = context.create<ast::RangeExpr>(
      range(operandAt(tree, begin), operandAt(tree, end - 1)));
  result->opRange = range(operatorAt(tree, cut));
  result->from = level(tree, begin, cut, depth + 1);
  result->to = level(tree, cut + 1, end, depth + 1);
  return result;
}

ast::Expr *Builder::flatOperand(Tree *tree) {
  auto *rule = static_cast<Rule *>(tree);
  if (rule->getRuleIndex() == AgtParser::RuleUnary)
    return unary(static_cast<AgtParser::UnaryContext *>(rule));
  return dimAtom(static_cast<AgtParser::DimAtomContext *>(rule));
}

ast::Expr *Builder::dimAtom(AgtParser::DimAtomContext *tree) {
  if (AgtParser::DimContext *inner = tree->dim()) {
    ast::Expr *result = flat(inner);
    result->parenthesized = true;
    return result;
  }
  if (TerminalNode *literal = tree->INT())
    return terminalOperand(literal);
  ast::Expr *base = nameRef(tree->name());
  if (!tree->word())
    return base;
  auto *member = create<ast::MemberExpr>(tree);
  member->base = base;
  member->member = ident(tree->word());
  return member;
}

ast::Expr *Builder::unary(AgtParser::UnaryContext *tree) {
  size_t prefixes = 0;
  while (tokenOf(tree->children[prefixes]))
    ++prefixes;
  auto *first = static_cast<Rule *>(tree->children[prefixes]);
  ast::Expr *result;
  if (first->getRuleIndex() == AgtParser::RuleReceive) {
    result = receive(static_cast<AgtParser::ReceiveContext *>(first));
  } else {
    result = operand(static_cast<AgtParser::OperandContext *>(first));
    size_t suffixes = tree->children.size() - prefixes - 1;
    // A tree this deep would overflow the stack of a later stage.
    if (suffixes > nestingLimit)
      error(range(tree), llvm::Twine("more than ") + llvm::Twine(nestingLimit) +
                             " calls, indexes and fields in a row");
    else
      for (size_t index = 1; index <= suffixes; ++index)
        result = suffix(result,
                        static_cast<AgtParser::SuffixContext *>(
                            tree->children[prefixes + index]),
                        range(first).Start);
  }
  while (prefixes--) {
    TerminalNode *op = operatorAt(tree, prefixes);
    auto *node = context.create<ast::UnaryExpr>(
        llvm::SMRange(range(op).Start, range(tree).End));
    node->opRange = range(op);
    node->op = op->getSymbol()->getType() == AgtLexer::NOT ? '!' : '-';
    node->operand = result;
    result = node;
  }
  return result;
}

ast::Expr *Builder::suffix(ast::Expr *base, AgtParser::SuffixContext *tree,
                           llvm::SMLoc start) {
  llvm::SMRange whole(start, range(tree).End);
  switch (tokenOf(tree->children.front())) {
  case AgtLexer::LPAREN: {
    auto *call = context.create<ast::CallExpr>(whole);
    call->callee = base;
    call->args = args(tree->args());
    call->closeRange = range(tree->RPAREN());
    return call;
  }
  case AgtLexer::LBRACK: {
    auto *index = context.create<ast::IndexExpr>(whole);
    index->base = base;
    for (auto *each : childrenOf<AgtParser::ExprContext>(tree))
      index->indices.push_back(expr(each));
    return index;
  }
  case AgtLexer::DOT: {
    auto *member = context.create<ast::MemberExpr>(whole);
    member->base = base;
    member->member = ident(tree->word());
    return member;
  }
  default: {
    auto *on = context.create<ast::OnMeshExpr>(whole);
    on->base = base;
    on->mesh = ident(tree->name());
    return on;
  }
  }
}

//===- Operands
//------------------------------------------------------------===//

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

//===- Agents' expressions
//-------------------------------------------------===//

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
