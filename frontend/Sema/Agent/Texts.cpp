// Values of properties that are known when the program is compiled, and texts
// that are put together when it starts.
#include "frontend/Sema/Agent/Properties.h"
#include "frontend/Sema/ExprChecker.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

std::string agt::sema::agents::durationText(int64_t nanoseconds) {
  struct Unit {
    int64_t size;
    const char *name;
  };
  static constexpr Unit units[] = {
      {86'400'000'000'000, "d"}, {3'600'000'000'000, "h"},
      {60'000'000'000, "m"},     {1'000'000'000, "s"},
      {1'000'000, "ms"},         {1'000, "us"}};
  for (const Unit &unit : units)
    if (nanoseconds != 0 && nanoseconds % unit.size == 0)
      return std::to_string(nanoseconds / unit.size) + unit.name;
  return std::to_string(nanoseconds) + "ns";
}

std::optional<int64_t>
agt::sema::agents::constantDuration(Checker &checker, const ast::Expr &expr,
                                    llvm::StringRef what) {
  Value value = ExprChecker(checker).check(expr);
  if (value.isPoison())
    return std::nullopt;
  if (value.kind == Value::Duration && value.integer > 0)
    return value.integer;
  checker.diags.error(expr.range, "expected a duration above 0, such as 15s, "
                                  "for '" +
                                      what + "'");
  return std::nullopt;
}

std::optional<int64_t> agt::sema::agents::constantCount(Checker &checker,
                                                        const ast::Expr &expr,
                                                        int64_t least,
                                                        llvm::StringRef what) {
  Value value = ExprChecker(checker).check(expr);
  if (value.isPoison())
    return std::nullopt;
  std::optional<int64_t> number = value.constantInt();
  if (number && *number >= least)
    return number;
  checker.diags.error(expr.range, "expected an int of at least " +
                                      llvm::Twine(least) + " for '" + what +
                                      "', got " + describe(value));
  return std::nullopt;
}

std::optional<int64_t> agt::sema::agents::constantSize(Checker &checker,
                                                       const ast::Expr &expr,
                                                       llvm::StringRef what) {
  const auto *literal = dyn_cast<ast::QuantityLit>(&expr);
  if (literal && literal->unit == ast::QuantityLit::Bytes &&
      literal->value >= 1 && literal->value < 9e18)
    return int64_t(literal->value);
  checker.diags.error(expr.range, "expected a size above 0, such as 256MiB, "
                                  "for '" +
                                      what + "'");
  return std::nullopt;
}

llvm::StringRef agt::sema::agents::wordOf(const ast::Expr *expr) {
  const auto *ref = llvm::dyn_cast_or_null<ast::NameRef>(expr);
  return ref ? ref->name.text : "";
}

llvm::StringRef agt::sema::agents::wordOf(const ast::MoreItem &item) {
  return item.path.size() == 1 ? item.path[0].text : "";
}

const ast::StringLit *agt::sema::agents::constantString(Checker &checker,
                                                        const ast::Expr &expr,
                                                        llvm::StringRef what) {
  const auto *literal = dyn_cast<ast::StringLit>(&expr);
  if (literal && literal->constant())
    return literal;
  checker.diags.error(expr.range, "expected a constant string for " + what);
  return nullptr;
}

std::optional<OnChange> agt::sema::agents::onChangeOf(Checker &checker,
                                                      const ast::Expr &expr) {
  llvm::StringRef word = wordOf(&expr);
  if (word == "keep")
    return OnChange::Keep;
  if (word == "rerun")
    return OnChange::Rerun;
  if (word == "fail")
    return OnChange::Fail;
  checker.diags.error(expr.range,
                      "expected 'keep', 'rerun' or 'fail' for 'on_change'");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// `env("X")` or `secret("X")`: the name in it.
static std::optional<TextPart> environmentOf(const ast::Expr &expr) {
  const auto *call = dyn_cast<ast::CallExpr>(&expr);
  llvm::StringRef word = call ? wordOf(call->callee) : "";
  if ((word != "env" && word != "secret") || call->args.size() != 1 ||
      call->args[0].name)
    return std::nullopt;
  const auto *name = dyn_cast<ast::StringLit>(call->args[0].value);
  if (!name || !name->constant())
    return std::nullopt;
  return TextPart{word == "env" ? TextPart::Env : TextPart::Secret,
                  name->constant()->str()};
}

Text agt::sema::agents::startText(Checker &checker, const ast::Expr &expr,
                                  llvm::StringRef what, bool secrets) {
  if (std::optional<TextPart> part = environmentOf(expr)) {
    if (part->kind == TextPart::Secret && !secrets)
      checker.diags.error(expr.range, "a secret cannot reach '" + what +
                                          "', which is recorded");
    return {*part};
  }
  Text text;
  if (const auto *literal = dyn_cast<ast::StringLit>(&expr)) {
    for (const ast::StringPart &part : literal->parts) {
      if (!part.expr) {
        text.push_back({TextPart::Constant, part.text});
        continue;
      }
      for (TextPart &inner : startText(checker, *part.expr, what, secrets))
        text.push_back(std::move(inner));
    }
    return text;
  }
  const auto *name = dyn_cast<ast::NameRef>(&expr);
  if (name && checker.findAs<ast::ConstDecl>(name->name.text)) {
    Value value = *checker.globalValue(name->name.text);
    if (value.kind == Value::String)
      return {{TextPart::Constant, value.text}};
    if (value.isPoison())
      return {};
  }
  checker.diags.error(expr.range, "expected a text for '" + what +
                                      "': a string, env(\"NAME\")" +
                                      (secrets ? " or secret(\"NAME\")" : ""));
  return {};
}
