// Tools: what is called, and what the runtime must know to call it once. The
// fields that depend on a call are checked like the body of a fn over the
// parameters and the token.
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/Agent/Properties.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

llvm::StringRef agt::sema::agents::effectName(Effect effect) {
  switch (effect) {
  case Effect::Pure:
    return "pure";
  case Effect::Idempotent:
    return "idempotent";
  case Effect::Reconcile:
    return "reconcile";
  case Effect::Once:
    return "once";
  }
  return "";
}

static constexpr llvm::StringLiteral reconcileForm =
    "expected the tool that finds the effect, as in reconcile find(token) "
    "settle 10s";

void ToolChecker::checkHttp(const ast::Prop &prop) {
  http = &prop;
  const ast::Value *value = prop.values.size() == 1 ? prop.values[0] : nullptr;
  bool plain = value && value->value == ast::Value::Plain &&
               value->more.size() == 1 && value->more[0]->literal &&
               llvm::isa<ast::StringLit>(value->more[0]->literal);
  if (!plain || wordOf(value->expr).empty()) {
    diags.error(value ? value->range : prop.word.range,
                "expected a method and a URL, as in POST \"https://...\"");
    return;
  }
  static const llvm::StringRef methods[] = {"GET",   "POST",   "PUT",
                                            "PATCH", "DELETE", "HEAD"};
  llvm::StringRef method = wordOf(value->expr);
  if (!llvm::is_contained(methods, method))
    diags.error(value->expr->range, "unknown method '" + method +
                                        "', expected " + oneOf(methods) +
                                        didYouMean(method, methods));
  tool.method = method.str();
  tool.url = value->more[0]->literal;
}

void ToolChecker::checkReconcile(const ast::Value &value) {
  tool.effect = Effect::Reconcile;
  const ast::MoreItem *call = value.more.empty() ? nullptr : value.more[0];
  bool named = call && (call->path.size() == 1 || call->path.size() == 2);
  bool settles = value.more.size() == 3 && wordOf(*value.more[1]) == "settle" &&
                 value.more[2]->literal;
  if (!named || !call->hasArgs || (value.more.size() != 1 && !settles)) {
    diags.error(value.range, reconcileForm);
    return;
  }
  reconcile = call;
  if (settles)
    tool.settleNanoseconds =
        constantDuration(checker, *value.more[2]->literal, "settle")
            .value_or(0);
}

void ToolChecker::checkEffect(const ast::Prop &prop) {
  static const llvm::StringRef effects[] = {"pure", "idempotent", "reconcile",
                                            "once"};
  const ast::Value *value = prop.values.size() == 1 ? prop.values[0] : nullptr;
  llvm::StringRef word =
      value && value->value == ast::Value::Plain ? wordOf(value->expr) : "";
  // Whatever is wrong with it, it is there.
  tool.effect = Effect::Once;
  if (word == "reconcile")
    return checkReconcile(*value);
  if (!value || !value->more.empty() || !llvm::is_contained(effects, word)) {
    diags.error(value ? value->range : prop.word.range,
                "expected " + oneOf(effects) + " for 'effect'" +
                    didYouMean(word, effects));
    tool.effect = Effect::Pure;
    return;
  }
  tool.effect = word == "pure"         ? Effect::Pure
                : word == "idempotent" ? Effect::Idempotent
                                       : Effect::Once;
}

/// `exponential(500ms, max 30s)`.
void ToolChecker::checkBackoff(const ast::MoreItem &item) {
  auto fail = [&] {
    diags.error(item.range, "expected a delay, as in exponential(500ms, max "
                            "30s)");
  };
  if (wordOf(item) != "exponential" || item.args.empty() ||
      item.args.size() > 2)
    return fail();
  const ast::Value &base = *item.args[0];
  if (base.value != ast::Value::Plain || !base.more.empty())
    return fail();
  tool.backoffNanoseconds = constantDuration(checker, *base.expr, "exponential")
                                .value_or(tool.backoffNanoseconds);
  tool.maxBackoffNanoseconds =
      std::max(tool.maxBackoffNanoseconds, tool.backoffNanoseconds);
  if (item.args.size() == 1)
    return;
  const ast::Value &max = *item.args[1];
  if (max.value != ast::Value::Plain || wordOf(max.expr) != "max" ||
      max.more.size() != 1 || !max.more[0]->literal)
    return fail();
  std::optional<int64_t> limit =
      constantDuration(checker, *max.more[0]->literal, "max");
  if (!limit)
    return;
  tool.maxBackoffNanoseconds = *limit;
  if (*limit < tool.backoffNanoseconds)
    diags.error(max.range, "the longest delay is below the first one");
}

void ToolChecker::checkRetry(const ast::Prop &prop) {
  retry = &prop;
  const ast::Value *value = prop.values.size() == 1 ? prop.values[0] : nullptr;
  if (!value || value->value != ast::Value::Plain || value->more.size() > 1) {
    diags.error(value ? value->range : prop.word.range,
                "expected a number of further attempts for 'retry', as in 4 "
                "exponential(500ms, max 30s)");
    return;
  }
  tool.retries = constantCount(checker, *value->expr, 0, "retry").value_or(0);
  if (!value->more.empty())
    checkBackoff(*value->more[0]);
}

void agt::sema::agents::checkLimit(Checker &checker, const ast::Prop &prop,
                                   CallLimit &limit) {
  static constexpr llvm::StringLiteral form =
      "expected calls per time or calls at once for 'limit', as in 5 per 1s, "
      "concurrent 2";
  for (const ast::Value *value : prop.values) {
    bool plain = value->value == ast::Value::Plain;
    if (plain && wordOf(value->expr) == "concurrent" &&
        value->more.size() == 1 && value->more[0]->literal) {
      limit.concurrent =
          constantCount(checker, *value->more[0]->literal, 1, "concurrent")
              .value_or(0);
    } else if (plain && value->more.size() == 2 &&
               wordOf(*value->more[0]) == "per" && value->more[1]->literal) {
      limit.calls =
          constantCount(checker, *value->expr, 1, "limit").value_or(0);
      limit.nanoseconds =
          constantDuration(checker, *value->more[1]->literal, "per")
              .value_or(0);
    } else {
      checker.diags.error(value->range, form);
    }
  }
}

/// `15s`; of an MCP tool also `15s max 5m`, as far as progress extends it.
void ToolChecker::checkTimeout(const ast::Prop &prop) {
  const ast::Value *value = prop.values.size() == 1 ? prop.values[0] : nullptr;
  bool extends = value && value->value == ast::Value::Plain &&
                 value->more.size() == 2 && wordOf(*value->more[0]) == "max" &&
                 value->more[1]->literal;
  if (!extends || !tool.server) {
    if (const ast::Expr *time = singleValue(diags, prop)) {
      tool.timeoutNanoseconds = constantDuration(checker, *time, "timeout")
                                    .value_or(tool.timeoutNanoseconds);
      tool.timeoutRange = time->range;
    }
    return;
  }
  tool.timeoutRange = value->range;
  tool.timeoutNanoseconds = constantDuration(checker, *value->expr, "timeout")
                                .value_or(tool.timeoutNanoseconds);
  tool.longestNanoseconds =
      constantDuration(checker, *value->more[1]->literal, "max");
  if (tool.longestNanoseconds &&
      *tool.longestNanoseconds < tool.timeoutNanoseconds)
    diags.error(value->range, "the longest time is below the first one");
}

void ToolChecker::checkProp(const ast::Prop &prop) {
  llvm::StringRef word = prop.word.text;
  if (word == "http")
    return checkHttp(prop);
  if (word == "effect")
    return checkEffect(prop);
  if (word == "retry")
    return checkRetry(prop);
  if (word == "limit")
    return checkLimit(checker, prop, tool.limit);
  if (word == "sandbox") {
    tool.sandbox = checkSandbox(checker, prop);
    return;
  }
  if (word == "timeout")
    return checkTimeout(prop);
  if (word == "exec")
    exec = &prop;
  const ast::Expr *value = singleValue(diags, prop);
  if (!value)
    return;
  if (word == "exec") {
    tool.argv = value;
  } else if (word == "stdin") {
    bool json = wordOf(value) == "json" &&
                llvm::none_of(tool.params, [](const Param &param) {
                  return param.name == "json";
                });
    tool.stdinJson = json;
    tool.stdinText = json ? nullptr : value;
  } else if (word == "body") {
    tool.body = value;
  } else if (word == "header") {
    tool.headers.emplace_back(labelOf(prop).str(), value);
  } else {
    tool.onChange = onChangeOf(checker, *value).value_or(OnChange::Fail);
  }
}

void ToolChecker::checkReconcileArgs(const ast::MoreItem &item) {
  llvm::StringRef name = item.path.front().text;
  const auto *decl = checker.findAs<ast::ToolDecl>(name);
  if (!decl) {
    diags.error(item.range,
                "unknown tool '" + name + "'" +
                    didYouMean(name, checker.namesOf<ast::ToolDecl>()));
    return;
  }
  if (item.path.size() == 1 && decl->provider) {
    diags.error(item.range, "'" + name +
                                "' offers tools; name one of them, as "
                                "in " +
                                name + ".name");
    return;
  }
  const ToolInfo *callee = item.path.size() == 1
                               ? context.tool(*decl)
                               : context.listedTool(*decl, item.path[1]);
  if (!callee)
    return;
  decl = callee->decl;
  name = callee->name;
  tool.reconciler = callee;
  context.noteUse(*tool.decl, *decl, item.range);
  const Type *wanted = context.types.option(tool.result);
  if (callee->result != wanted && !callee->result->isError() &&
      !wanted->isError())
    diags
        .error(item.range, "'" + name + "' must give '" + wanted->str() +
                               "' to find what '" + tool.name + "' did, not '" +
                               callee->result->str() + "'")
        .note(decl->result->range, "declared here");
  std::vector<const ast::Value *> args(callee->params.size());
  for (auto [i, arg] : llvm::enumerate(item.args)) {
    size_t index = i;
    if (arg->value == ast::Value::Named)
      for (index = 0; index < callee->params.size(); ++index)
        if (callee->params[index].name == arg->name.text)
          break;
    bool plain = arg->value == ast::Value::Named ||
                 (arg->value == ast::Value::Plain && arg->more.empty());
    if (!plain || index >= args.size() || args[index]) {
      diags.error(arg->range, "'" + name + "' has no parameter for this value")
          .note(decl->name.range, "declared here");
      return;
    }
    args[index] = arg;
  }
  for (auto [param, arg] : llvm::zip_equal(callee->params, args))
    if (!arg) {
      diags
          .error(item.range,
                 "call of '" + name + "' lacks '" + param.name + "'")
          .note(decl->name.range, "declared here");
      return;
    }
  tool.reconcileArgs = std::move(args);
}

/// The expressions over parameters and token.
void ToolChecker::checkFields() {
  TypeTable &types = context.types;
  BodyChecker body(context, BodyChecker::Mode::Tool, *tool.decl, tool.result,
                   tool.decl->result);
  tool.locals = body.declareParams(tool.decl->params, tool.params);
  tool.token = body.declareToken();
  if (tool.server) {
    // Whatever was given in an ordinary tool's place has been refused.
  } else if (tool.argv) {
    body.checkField(*tool.argv, types.list(types.string()), "for 'exec'",
                    false);
    const auto *list = dyn_cast<ast::ListExpr>(tool.argv);
    if (!list || list->elements.empty())
      diags.error(tool.argv->range, "'exec' takes a list that begins with a "
                                    "program, as in [\"ls\", path]");
  }
  if (tool.stdinText) {
    const Type *type =
        body.checkField(*tool.stdinText, nullptr, "for 'stdin'", true);
    if (!type->is(Type::String) && !type->is(Type::Bytes) && !type->isError())
      diags.error(tool.stdinText->range,
                  "expected a string, bytes or 'json' for 'stdin', got '" +
                      type->str() + "'");
  }
  if (tool.url)
    body.checkField(*tool.url, types.string(), "for 'http'", true);
  if (tool.body) {
    const Type *type = body.checkField(*tool.body, nullptr, "for 'body'", true);
    if (!hasSchema(type) && !type->is(Type::Bytes) && !type->is(Type::None))
      diags.error(tool.body->range,
                  "a '" + type->str() + "' has no form in JSON");
  }
  for (const auto &[name, value] : tool.headers)
    body.checkField(*value, types.string(), "for 'header'", true);
  if (!tool.reconciler)
    return;
  for (size_t i = 0; i < tool.reconcileArgs.size(); ++i)
    body.checkField(*tool.reconcileArgs[i]->expr,
                    tool.reconciler->params[i].type,
                    "for parameter '" + tool.reconciler->params[i].name +
                        "' of '" + tool.reconciler->name + "'",
                    false);
}

/// What properties say together.
void ToolChecker::checkWhole() {
  const ast::ToolDecl &decl = *tool.decl;
  llvm::StringRef name = tool.name;
  if (!tool.effect)
    diags.error(decl.name.range, "tool '" + name +
                                     "' needs 'effect': pure, idempotent, "
                                     "reconcile F(...) or once");
  checkKind();
  if (retry && tool.effect == Effect::Once && decl.props->find("effect")) {
    const ast::Prop *effect = decl.props->find("effect");
    if (tool.retries > 0)
      diags
          .error(retry->word.range,
                 "tool '" + name + "' cannot be retried: its effect is 'once'")
          .note(effect->range, "the effect is declared here");
  }
}

/// Which properties belong to which kind of tool.
void ToolChecker::checkKind() {
  const ast::ToolDecl &decl = *tool.decl;
  llvm::StringRef name = tool.name;
  if (tool.server) {
    for (llvm::StringRef word :
         {"exec", "http", "stdin", "body", "header", "sandbox"})
      if (const ast::Prop *prop = decl.props->find(word))
        diags.error(prop->word.range, "'" + word +
                                          "' has no place in a tool of an MCP "
                                          "server, as '" +
                                          name + "' is");
    return;
  }
  if (!exec && !http)
    diags.error(decl.name.range, "tool '" + name + "' needs 'exec' or 'http'");
  if (exec && http)
    diags.error(http->word.range, "a tool has either 'exec' or 'http'")
        .note(exec->word.range, "'exec' is here");
  auto only = [&](llvm::StringRef word, const ast::Prop *with,
                  llvm::StringRef kind) {
    const ast::Prop *prop = decl.props->find(word);
    if (prop && !with && (exec || http))
      diags.error(prop->word.range,
                  "'" + word + "' belongs to a tool with '" + kind + "'");
  };
  only("stdin", exec, "exec");
  only("sandbox", exec, "exec");
  only("body", http, "http");
  only("header", http, "http");
}

void ToolChecker::check() {
  forEachProp(diags, tool.decl->props->props, "a tool",
              {"exec", "http", "stdin", "body", "header", "effect", "timeout",
               "retry", "limit", "sandbox", "on_change"},
              {"header"}, [&](const ast::Prop &prop) { checkProp(prop); });
  if (reconcile)
    checkReconcileArgs(*reconcile);
  checkFields();
  checkWhole();
}
