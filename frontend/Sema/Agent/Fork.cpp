// Forks: clauses, the key, the branch, and the type that the policy gives.
#include "frontend/AST/Walk.h"
#include "frontend/Sema/Agent/BodyChecker.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

static llvm::StringRef clauseWord(ast::ForkClause::Kind kind) {
  switch (kind) {
  case ast::ForkClause::Key:
    return "key";
  case ast::ForkClause::Width:
    return "width";
  case ast::ForkClause::Max:
    return "max";
  case ast::ForkClause::Deadline:
    return "deadline";
  default:
    return "policy";
  }
}

static bool mentions(const ast::Expr &expr, llvm::StringRef name) {
  bool found = false;
  ast::walk(const_cast<ast::Expr &>(expr), [&](ast::Node &node) {
    if (const auto *ref = dyn_cast<ast::NameRef>(&node))
      found |= ref->name.text == name;
    // A comprehension may give the name to another variable.
    const auto *inner = dyn_cast<ast::ComprehensionExpr>(&node);
    return !inner || inner->variable.text != name;
  });
  return found;
}

/// The most branches that there can be, if that is known.
std::optional<int64_t> BodyChecker::checkForkClauses(const ast::ForkExpr &expr,
                                                     const Type *list) {
  std::optional<int64_t> max = list->isError() ? std::nullopt : list->max;
  llvm::StringMap<llvm::SMRange> seen;
  bool bounded = list->isError() || list->max;
  for (const ast::ForkClause &clause : expr.clauses) {
    llvm::StringRef word = clauseWord(clause.kind);
    auto [entry, fresh] = seen.try_emplace(word, clause.range);
    if (!fresh)
      diags.error(clause.range, "'" + word + "' is given twice")
          .note(entry->second, "first given here");
    switch (clause.kind) {
    case ast::ForkClause::Width:
      checkCount(*clause.value, 1, "'width'");
      break;
    case ast::ForkClause::Max: {
      std::optional<int64_t> bound = checkCount(*clause.value, 0, "'max'");
      if (bound)
        max = max ? std::min(*max, *bound) : *bound;
      bounded = true;
      break;
    }
    case ast::ForkClause::Deadline:
      checkAs(*clause.value, types.duration(), "for 'deadline'");
      break;
    default:
      break;
    }
  }
  if (!bounded)
    diags.error(expr.list->range, "a fork needs a bound: '" + list->str() +
                                      "' has no 'max', so say 'max n' after "
                                      "it");
  for (const ast::ForkClause &clause : expr.clauses) {
    if (clause.kind != ast::ForkClause::PolicyCollect &&
        clause.kind != ast::ForkClause::PolicyQuorum)
      continue;
    bool collect = clause.kind == ast::ForkClause::PolicyCollect;
    std::optional<int64_t> least = checkCount(*clause.value, collect ? 0 : 1,
                                              collect ? "'min'" : "a quorum");
    if (least && max && *least > *max)
      diags.error(clause.value->range,
                  "the fork has at most " + llvm::Twine(*max) +
                      " branches, so " + llvm::Twine(*least) +
                      " can never succeed");
  }
  return max;
}

void BodyChecker::checkKey(const ast::ForkExpr &expr, const Type *element) {
  const ast::ForkClause *clause = expr.clause(ast::ForkClause::Key);
  if (!clause)
    return;
  stepless = "the key of a fork";
  const Type *type = check(*clause->value);
  stepless = "";
  if (!type->isError() && !type->is(Type::String) && !type->is(Type::Int) &&
      !type->is(Type::Enum) && !type->is(Type::Bool))
    diags.error(clause->value->range, "a key is a string, an int, a bool or an "
                                      "enum, got '" +
                                          type->str() + "'");
  if (!mentions(*clause->value, expr.variable.text))
    diags
        .error(clause->value->range, "the key must mention '" +
                                         expr.variable.text +
                                         "', or all branches have one key")
        .note(expr.variable.range, "the variable of the fork is here");
}

const Type *BodyChecker::checkFork(const ast::ForkExpr &expr,
                                   const Type *expected) {
  llvm::SMRange word(expr.loc(), expr.variable.range.End);
  step(expr, "fork", word);
  const ast::LetStmt *outer = std::exchange(let, nullptr);
  const Type *list = check(*expr.list);
  if (!list->isError() && !list->is(Type::List)) {
    diags.error(expr.list->range,
                "expected a list after 'in', got '" + list->str() + "'");
    list = types.error();
  }
  std::optional<int64_t> max = checkForkClauses(expr, list);
  const Type *element = list->isError() ? list : list->element;

  ForkFrame frame{&expr, nullptr};
  bool listed = !expr.clause(ast::ForkClause::PolicyFirst);
  if (expected && listed && expected->is(Type::List))
    frame.expected = expected->element->is(Type::Result)
                         ? expected->element->element
                         : expected->element;
  else if (expected && !listed)
    frame.expected = expected;

  forks.push_back(frame);
  pushFrame();
  paths.push();
  declare(expr, expr.variable, Local::Fork, element);
  checkKey(expr, element);
  bool goesOn = checkBlock(*expr.body);
  paths.pop();
  popFrame();
  const Type *yielded = forks.back().yielded;
  const Type *hint = forks.back().expected;
  if (yielded && hint && converts(yielded, hint))
    yielded = hint;
  forks.pop_back();
  let = outer;

  if (goesOn)
    diags
        .error(expr.body->closeRange,
               "a branch of the fork may end without 'yield' or 'fail'")
        .note(word, "the fork is here");
  else if (!yielded)
    diags.error(word, "no branch of the fork yields a value");
  if (!yielded)
    return types.error();
  if (yielded->is(Type::None) || yielded->is(Type::Nothing))
    return error(word, "the type of what the branches yield is not known");
  // The type of a branch, for lowering.
  info(*expr.body).type = yielded;
  if (!listed)
    return yielded;
  bool plain = !expr.clause(ast::ForkClause::PolicyCollect) &&
               !expr.clause(ast::ForkClause::PolicyQuorum);
  return types.list(plain ? yielded : types.result(yielded), max);
}
