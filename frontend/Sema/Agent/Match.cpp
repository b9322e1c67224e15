// `match`: patterns against the type of the subject, and whether together they
// cover it. In `else`, a name that holds an option matched so far against
// `none` is its value.
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

namespace {

/// The cases of one type, and which of them are left.
class Cover {
public:
  Cover(Diagnostics &diags, const Type *type) : diags(diags), type(type) {
    value = type->is(Type::Option) ? type->element : type;
    if (type->is(Type::Option))
      left.push_back("none");
    if (type->is(Type::Result)) {
      left = {"ok", "error"};
      closed = true;
    } else if (value->is(Type::Bool)) {
      left.insert(left.end(), {"true", "false"});
      closed = true;
    } else if (value->is(Type::Enum)) {
      for (const ast::Ident &name : value->enumeration->values)
        left.push_back(name.text.str());
      closed = true;
    }
  }

  /// Takes the cases of a pattern; reports one that does not fit, that came
  /// before, or for which nothing is left.
  void add(const ast::Pattern &pattern);
  bool complete() const {
    return hasElse || unknown || (closed && left.empty());
  }
  /// What is not covered, for the error.
  std::string rest() const;
  bool noneTaken() const { return takenNone; }

private:
  /// The case's name as it is written in a pattern; empty after an error.
  std::string nameOf(const ast::Pattern &pattern);
  std::string wrong(const ast::Pattern &pattern, llvm::StringRef what);
  std::string literal(const ast::Pattern &pattern);
  std::string enumCase(const ast::Pattern &pattern);

  Diagnostics &diags;
  const Type *type;
  /// Without its option.
  const Type *value;
  bool closed = false;
  bool hasElse = false;
  bool takenNone = false;
  /// A pattern with an error may have meant any case.
  bool unknown = false;
  std::vector<std::string> left;
  llvm::StringMap<llvm::SMRange> seen;
};

} // namespace

std::string Cover::wrong(const ast::Pattern &pattern, llvm::StringRef what) {
  diags.error(pattern.range, what + " never matches '" + type->str() + "'");
  return "";
}

std::string Cover::literal(const ast::Pattern &pattern) {
  const ast::Expr *expr = pattern.literal;
  std::string sign;
  if (const auto *unary = dyn_cast<ast::UnaryExpr>(expr)) {
    expr = unary->operand;
    sign = "-";
  }
  if (const auto *boolean = dyn_cast<ast::BoolLit>(expr))
    return value->is(Type::Bool) ? (boolean->value ? "true" : "false")
                                 : wrong(pattern, "a bool");
  if (const auto *integer = dyn_cast<ast::IntLit>(expr))
    return value->isNumber() ? sign + std::to_string(integer->value)
                             : wrong(pattern, "an int");
  if (const auto *number = dyn_cast<ast::FloatLit>(expr))
    return value->is(Type::Float) ? sign + std::to_string(number->value)
                                  : wrong(pattern, "a float");
  if (const auto *duration = dyn_cast<ast::DurationLit>(expr))
    return value->is(Type::Duration)
               ? std::to_string(duration->nanoseconds) + "ns"
               : wrong(pattern, "a duration");
  const auto &text = llvm::cast<ast::StringLit>(*expr);
  if (!value->is(Type::String))
    return wrong(pattern, "a string");
  if (!text.constant()) {
    diags.error(pattern.range, "a pattern has no interpolations");
    return "";
  }
  return "\"" + text.constant()->str() + "\"";
}

std::string Cover::enumCase(const ast::Pattern &pattern) {
  llvm::StringRef name =
      pattern.member ? pattern.member.text : pattern.name.text;
  if (!value->is(Type::Enum)) {
    diags.error(pattern.range, "'" + name +
                                   "' names a value of an enum, and "
                                   "the subject is of type '" +
                                   type->str() + "'");
    return "";
  }
  const ast::EnumDecl &decl = *value->enumeration;
  if (pattern.member && pattern.name.text != decl.name.text) {
    diags.error(pattern.range, "expected a value of enum '" + decl.name.text +
                                   "', got one of '" + pattern.name.text + "'");
    return "";
  }
  std::vector<llvm::StringRef> names;
  for (const ast::Ident &entry : decl.values)
    names.push_back(entry.text);
  if (llvm::is_contained(names, name))
    return name.str();
  diags
      .error(pattern.range, "enum '" + decl.name.text + "' has no value '" +
                                name + "'" + didYouMean(name, names))
      .note(decl.name.range, "'" + decl.name.text + "' is declared here");
  return "";
}

std::string Cover::nameOf(const ast::Pattern &pattern) {
  switch (pattern.pattern) {
  case ast::Pattern::None:
    return type->is(Type::Option) ? "none" : wrong(pattern, "'none'");
  case ast::Pattern::Ok:
  case ast::Pattern::Error:
    if (!type->is(Type::Result))
      return wrong(pattern,
                   pattern.pattern == ast::Pattern::Ok ? "'ok'" : "'error'");
    return pattern.pattern == ast::Pattern::Ok ? "ok" : "error";
  case ast::Pattern::Literal:
    if (type->is(Type::Result))
      return wrong(pattern, "a literal");
    return literal(pattern);
  default:
    return enumCase(pattern);
  }
}

void Cover::add(const ast::Pattern &pattern) {
  if (type->isError()) {
    unknown = true;
    return;
  }
  if (hasElse) {
    diags.error(pattern.range, "nothing is left for this pattern after 'else'");
    return;
  }
  if (pattern.pattern == ast::Pattern::Else) {
    hasElse = true;
    return;
  }
  std::string name = nameOf(pattern);
  if (name.empty()) {
    unknown = true;
    return;
  }
  takenNone |= pattern.pattern == ast::Pattern::None;
  auto [entry, fresh] = seen.try_emplace(name, pattern.range);
  if (!fresh)
    diags.error(pattern.range, "'" + name + "' is matched twice")
        .note(entry->second, "first matched here");
  llvm::erase(left, name);
}

std::string Cover::rest() const {
  if (!closed)
    return left.empty() ? "every '" + value->str() + "'"
                        : "'none' and every '" + value->str() + "'";
  std::string text;
  for (size_t i = 0; i < left.size(); ++i) {
    if (i > 0)
      text += i + 1 == left.size() ? " and " : ", ";
    text += "'" + left[i] + "'";
  }
  return text;
}

bool BodyChecker::checkArms(
    const ast::Node &node, const ast::Expr &subject,
    llvm::ArrayRef<ast::MatchArm *> arms,
    llvm::function_ref<bool(const ast::MatchArm &)> arm) {
  const ast::LetStmt *outer = std::exchange(let, nullptr);
  const Type *type = check(subject);
  let = outer;
  if (type->is(Type::List) || type->is(Type::Record) ||
      type->is(Type::Handle) || type->is(Type::Tuple) ||
      type->is(Type::Context) || type->is(Type::Bytes) || holdsTensors(type))
    type =
        error(subject.range, "'match' cannot compare a '" + type->str() + "'");
  Cover cover(diags, type);
  const Local *local = program.info(subject).local;
  bool goesOn = false;
  for (auto [i, entry] : llvm::enumerate(arms)) {
    cover.add(*entry->pattern);
    pushFrame();
    // In `else`, and for a value's own patterns, the option holds a value.
    bool isElse = entry->pattern->pattern == ast::Pattern::Else;
    if (local && type->is(Type::Option) &&
        (isElse ? cover.noneTaken()
                : entry->pattern->pattern != ast::Pattern::None)) {
      Local narrowed = *local;
      narrowed.kind = Local::Narrowed;
      narrowed.type = type->element;
      narrowed.narrowed = local;
      program.locals.push_back(narrowed);
      frames.back()[local->name] = &program.locals.back();
      program.declared[entry] = &program.locals.back();
    }
    paths.enterArm(node, i);
    bool falls = arm(*entry);
    paths.leaveArm(falls);
    goesOn |= falls;
    popFrame();
  }
  if (!cover.complete())
    diags.error(subject.range, "'match' does not cover " + cover.rest());
  return goesOn;
}

bool BodyChecker::checkMatchStmt(const ast::MatchStmt &stmt) {
  return checkArms(
      stmt, *stmt.subject, stmt.arms,
      [&](const ast::MatchArm &arm) { return checkStmts(arm.body->stmts); });
}

const Type *BodyChecker::checkMatchExpr(const ast::MatchExpr &expr,
                                        const Type *expected) {
  const Type *result = nullptr;
  bool failed = false;
  checkArms(expr, *expr.subject, expr.arms, [&](const ast::MatchArm &arm) {
    const ast::LetStmt *outer = std::exchange(let, nullptr);
    bool goesOn = checkStmts(arm.body->stmts);
    const Type *type = check(*arm.value, expected);
    let = outer;
    if (expected && converts(type, expected))
      type = expected;
    const Type *both = result ? types.meet(result, type) : type;
    if (!both && !failed) {
      mismatch(arm.value->range, result, type, "as in the arms before", {});
      failed = true;
    }
    if (both)
      result = both;
    return goesOn;
  });
  return failed || !result ? types.error() : result;
}
