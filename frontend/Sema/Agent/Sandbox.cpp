// The `sandbox` of a tool.
#include "frontend/Sema/Agent/Properties.h"
#include "frontend/Sema/Suggest.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

static void checkPaths(Checker &checker, const ast::Expr &expr,
                       llvm::StringRef word, std::vector<std::string> &paths) {
  const auto *list = dyn_cast<ast::ListExpr>(&expr);
  if (!list) {
    checker.diags.error(expr.range, "expected a list of paths for '" + word +
                                        "', as in [\"out\"]");
    return;
  }
  for (const ast::Expr *element : list->elements)
    if (const ast::StringLit *path =
            constantString(checker, *element, "a path"))
      paths.push_back(absolutePath(checker, *path));
}

static void checkEnv(Checker &checker, const ast::Prop &prop,
                     Sandbox &sandbox) {
  const ast::Value *value = prop.values.size() == 1 ? prop.values[0] : nullptr;
  if (!value || value->value != ast::Value::Nested) {
    checker.diags.error(prop.word.range,
                        "expected names and values for 'env', as in "
                        "env: { TOKEN: secret(\"TOKEN\"); }");
    return;
  }
  forEachProp(checker.diags, value->props->props, "'env'", {}, {},
              [&](const ast::Prop &entry) {
                if (const ast::Expr *text = singleValue(checker.diags, entry))
                  sandbox.env.emplace_back(
                      entry.word.text.str(),
                      startText(checker, *text, entry.word.text, true));
              });
}

static void checkClause(Checker &checker, const ast::Prop &prop,
                        Sandbox &sandbox) {
  llvm::StringRef word = prop.word.text;
  if (word == "env")
    return checkEnv(checker, prop, sandbox);
  const ast::Expr *value = singleValue(checker.diags, prop);
  if (!value)
    return;
  if (word == "network") {
    sandbox.hostNetwork = wordOf(value) == "host";
    if (!sandbox.hostNetwork && !llvm::isa<ast::NoneLit>(value))
      checker.diags.error(value->range,
                          "expected 'none' or 'host' for 'network'");
  } else if (word == "read") {
    checkPaths(checker, *value, word, sandbox.read);
  } else if (word == "write") {
    checkPaths(checker, *value, word, sandbox.write);
  } else if (word == "memory") {
    sandbox.memoryBytes = constantSize(checker, *value, word);
  } else if (word == "files") {
    sandbox.fileBytes = constantSize(checker, *value, word);
  } else if (word == "cpu") {
    sandbox.cpuNanoseconds = constantDuration(checker, *value, word);
  } else {
    sandbox.processes = constantCount(checker, *value, 1, word);
  }
}

Sandbox agt::sema::agents::checkSandbox(Checker &checker,
                                        const ast::Prop &prop) {
  Sandbox sandbox;
  const ast::Value *value = prop.values.size() == 1 ? prop.values[0] : nullptr;
  if (value && value->value == ast::Value::Nested) {
    forEachProp(checker.diags, value->props->props, "a sandbox",
                {"network", "read", "write", "env", "memory", "cpu",
                 "processes", "files"},
                {}, [&](const ast::Prop &clause) {
                  checkClause(checker, clause, sandbox);
                });
    return sandbox;
  }
  sandbox.untrusted = value && value->value == ast::Value::Plain &&
                      value->more.empty() && wordOf(value->expr) == "untrusted";
  if (!sandbox.untrusted)
    checker.diags.error(prop.values.empty() ? prop.word.range
                                            : prop.values.front()->range,
                        "expected 'untrusted' or clauses for 'sandbox', as in "
                        "{ network: none; }");
  return sandbox;
}
