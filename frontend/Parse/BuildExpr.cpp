// Places, operators and what follows an operand.
#include "frontend/Parse/Builder.h"

using namespace agt;
using antlr4::tree::TerminalNode;

//===- Places ------------------------------------------------------------===//

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

//===- Operators ---------------------------------------------------------===//

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
