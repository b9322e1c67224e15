// Properties of tools, models and agents: values with units, words, and texts
// that are put together when the program starts.
#ifndef AGT_FRONTEND_SEMA_AGENT_PROPERTIES_H
#define AGT_FRONTEND_SEMA_AGENT_PROPERTIES_H

#include "frontend/Sema/Agent/AgentChecker.h"
#include "frontend/Sema/PropertyList.h"

namespace agt::sema::agents {

/// A duration above 0 that is known, or nothing after an error.
std::optional<int64_t> constantDuration(Checker &checker, const ast::Expr &expr,
                                        llvm::StringRef what);
/// An int of at least `least` that is known.
std::optional<int64_t> constantCount(Checker &checker, const ast::Expr &expr,
                                     int64_t least, llvm::StringRef what);
/// A size such as 256MiB.
std::optional<int64_t> constantSize(Checker &checker, const ast::Expr &expr,
                                    llvm::StringRef what);
/// The name that is all of an expression, or empty.
llvm::StringRef wordOf(const ast::Expr *expr);
llvm::StringRef wordOf(const ast::MoreItem &item);
/// Constants, `env("X")`, `secret("X")`, and strings of them.
Text startText(Checker &checker, const ast::Expr &expr, llvm::StringRef what,
               bool secrets);
/// A constant string, or null after an error.
const ast::StringLit *constantString(Checker &checker, const ast::Expr &expr,
                                     llvm::StringRef what);
/// `5 per 1s, concurrent 2`.
void checkLimit(Checker &checker, const ast::Prop &prop, CallLimit &limit);
std::optional<OnChange> onChangeOf(Checker &checker, const ast::Expr &expr);

void checkLlm(AgentChecker &context, LlmInfo &info);
void checkAgentProps(AgentChecker &context, AgentInfo &info);
Sandbox checkSandbox(Checker &checker, const ast::Prop &prop);
void checkMcp(AgentChecker &context, McpServer &server);

/// The properties of one tool.
class ToolChecker {
public:
  ToolChecker(AgentChecker &context, ToolInfo &tool)
      : context(context), checker(context.checker), diags(context.diags),
        tool(tool) {}
  void check();

private:
  void checkProp(const ast::Prop &prop);
  void checkHttp(const ast::Prop &prop);
  void checkEffect(const ast::Prop &prop);
  void checkReconcile(const ast::Value &value);
  void checkReconcileArgs(const ast::MoreItem &item);
  void checkRetry(const ast::Prop &prop);
  void checkBackoff(const ast::MoreItem &item);
  void checkTimeout(const ast::Prop &prop);
  void checkFields();
  void checkKind();
  void checkWhole();

  AgentChecker &context;
  Checker &checker;
  Diagnostics &diags;
  ToolInfo &tool;
  const ast::Prop *exec = nullptr, *http = nullptr, *retry = nullptr;
  const ast::MoreItem *reconcile = nullptr;
};

} // namespace agt::sema::agents

#endif
