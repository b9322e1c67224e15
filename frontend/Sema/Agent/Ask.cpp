// Steps of their own form: `ask`, `approve`, `receive`.
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

static const ast::Expr *single(const ast::Prop &prop) {
  const ast::Value *value = prop.values.size() == 1 ? prop.values[0] : nullptr;
  return value && value->value == ast::Value::Plain && value->more.empty()
             ? value->expr
             : nullptr;
}

void BodyChecker::checkAskTools(const ast::Expr &expr) {
  const auto *list = dyn_cast<ast::ListExpr>(&expr);
  if (!list) {
    diags.error(expr.range, "'tools' takes a list of tools, as in [search]");
    return;
  }
  for (const ast::Expr *element : list->elements) {
    const auto *member = dyn_cast<ast::MemberExpr>(element);
    const auto *ref = dyn_cast<ast::NameRef>(member ? member->base : element);
    const auto *tool =
        ref ? checker.findAs<ast::ToolDecl>(ref->name.text) : nullptr;
    if (!tool) {
      llvm::StringRef name = ref ? ref->name.text : "";
      diags.error(element->range,
                  ref ? "unknown tool '" + name + "'" +
                            didYouMean(name, checker.namesOf<ast::ToolDecl>())
                      : "expected the name of a tool");
      continue;
    }
    if (member) {
      const ToolInfo *listed = context.listedTool(*tool, member->member);
      if (!listed)
        continue;
      tool = listed->decl;
    } else if (tool->provider) {
      diags.error(element->range, "'" + ref->name.text +
                                      "' offers tools; name one of them, as "
                                      "in " +
                                      ref->name.text + ".name");
      continue;
    }
    info(*element).decl = tool;
    context.noteUse(owner, *tool, element->range);
    for (const Param &param : context.tool(*tool)->params)
      if (!hasSchema(param.type))
        diags
            .error(element->range,
                   "a model cannot call '" + context.tool(*tool)->name +
                       "': a '" + param.type->str() + "' has no form in JSON")
            .note(param.range, "the parameter is here");
  }
}

void BodyChecker::checkAskProp(const ast::AskExpr &expr,
                               const ast::Prop &prop) {
  llvm::StringRef word = prop.word.text;
  const ast::Expr *value = single(prop);
  if (!value) {
    diags.error(prop.values.empty() ? prop.word.range
                                    : prop.values.front()->range,
                "'" + word + "' takes one value");
    return;
  }
  std::string what = ("for '" + word + "'").str();
  if (word == "system" || word == "user") {
    checkAs(*value, types.string(), what);
  } else if (word == "messages") {
    checkAs(*value, types.list(context.builtinRecord("Message")), what);
  } else if (word == "tools") {
    checkAskTools(*value);
  } else if (word == "max" || word == "tokens") {
    checkCount(*value, 1, ("'" + word + "'").str());
  } else if (word == "seed") {
    checkAs(*value, types.integer(), what);
  } else if (word == "temperature") {
    checkAs(*value, types.floating(), what);
  } else if (word == "stop") {
    checkAs(*value, types.list(types.string()), what);
  } else if (word == "on_change") {
    const auto *ref = dyn_cast<ast::NameRef>(value);
    llvm::StringRef text = ref ? ref->name.text : "";
    if (text != "keep" && text != "rerun" && text != "fail")
      diags.error(value->range,
                  "expected 'keep', 'rerun' or 'fail' for 'on_change'");
  }
}

/// What llms from graphs cannot do yet.
void BodyChecker::refuseOfLocal(const ast::AskExpr &expr) {
  if (const ast::Prop *tools = expr.props->find("tools"))
    checker.refuseLater(&owner, tools->word.range, "tools of a local llm");
}

/// `with CTX`: a context that the llm itself has read, as far as that is seen.
void BodyChecker::checkAskContext(const ast::AskExpr &expr) {
  const ast::Ident &name = expr.context;
  Local *local = find(name.text);
  if (!local) {
    diags.error(name.range, "unknown name '" + name.text + "'" +
                                didYouMean(name.text, candidates()));
    return;
  }
  if (!local->type->isError() && !local->type->is(Type::Context)) {
    mismatch(name.range, types.context(), local->type, "after 'with'",
             local->range);
    return;
  }
  info(expr).local = local;
  const auto *made = llvm::dyn_cast_or_null<ast::CallExpr>(local->value);
  if (!made || info(*made).callee != Callee::Prefix)
    return;
  const ast::Decl *reader = info(*made).decl;
  if (reader && info(expr).decl && reader != info(expr).decl)
    diags
        .error(name.range, "'" + name.text + "' is a context of '" +
                               reader->name.text + "', not of '" +
                               expr.model.text + "'")
        .note(made->range, "made here");
}

/// prefix(LLM, TEXT).
const Type *BodyChecker::checkPrefix(const ast::CallExpr &expr) {
  step(expr, "prefix", expr.range);
  info(expr).callee = Callee::Prefix;
  const ast::LetStmt *outer = std::exchange(let, nullptr);
  bool fits = expr.args.size() == 2 && !expr.args[0].name && !expr.args[1].name;
  if (!fits) {
    diags.error(expr.range, "'prefix' takes an llm and a text, as in "
                            "prefix(planner, doc)");
  } else {
    const ast::Expr *args[] = {expr.args[0].value, expr.args[1].value};
    const auto *ref = dyn_cast<ast::NameRef>(args[0]);
    const auto *llm =
        ref ? checker.findAs<ast::LlmDecl>(ref->name.text) : nullptr;
    if (llm) {
      info(expr).decl = llm;
      context.noteUse(owner, *llm, args[0]->range);
    } else {
      diags.error(args[0]->range,
                  "the first argument of 'prefix' names an llm");
    }
    checkAs(*args[1], types.string(), "as the text of 'prefix'");
  }
  let = outer;
  return types.context();
}

const Type *BodyChecker::checkAsk(const ast::AskExpr &expr) {
  static const llvm::StringRef known[] = {
      "system", "user",        "messages", "tools", "max",
      "tokens", "temperature", "seed",     "stop",  "on_change"};
  llvm::StringRef model = expr.model.text;
  step(expr, ("ask." + model).str(),
       llvm::SMRange(expr.loc(), expr.model.range.End));
  const ast::LetStmt *outer = std::exchange(let, nullptr);
  if (const auto *llm = checker.findAs<ast::LlmDecl>(model)) {
    info(expr).decl = llm;
    context.noteUse(owner, *llm, expr.model.range);
    if (llm->fromGraph)
      refuseOfLocal(expr);
  } else if (const ast::Decl *decl = checker.find(model)) {
    diags.error(expr.model.range,
                "'" + model + "' is " + kindOf(*decl) + ", not an llm");
  } else {
    diags.error(expr.model.range,
                "unknown llm '" + model + "'" +
                    didYouMean(model, checker.namesOf<ast::LlmDecl>()));
  }
  if (expr.context)
    checkAskContext(expr);
  const Type *type = expr.type ? context.resolve(*expr.type) : types.string();
  if (!hasSchema(type))
    diags.error(expr.type->range,
                "a model cannot answer with a '" + type->str() + "'");
  llvm::StringMap<llvm::SMRange> seen;
  for (const ast::Prop *prop : expr.props->props) {
    llvm::StringRef word = prop->word.text;
    auto [entry, fresh] = seen.try_emplace(word, prop->word.range);
    if (!llvm::is_contained(known, word))
      diags.error(prop->word.range, "'ask' has no property '" + word + "'" +
                                        didYouMean(word, known));
    else if (!fresh)
      diags.error(prop->word.range, "'" + word + "' is given twice")
          .note(entry->second, "first given here");
    else if (prop->label || prop->stringLabel)
      diags.error(prop->word.range, "'" + word + "' takes no label");
    else
      checkAskProp(expr, *prop);
  }
  if (!seen.count("user") && !seen.count("messages"))
    diags.error(expr.props->range, "'ask' needs 'user' or 'messages'");
  if (seen.count("messages") && seen.count("user"))
    diags.error(seen["user"], "'ask' takes either 'user' or 'messages'")
        .note(seen["messages"], "'messages' is here");
  if (seen.count("tools") && !seen.count("max"))
    diags.error(seen["tools"], "'tools' needs 'max', the most calls that the "
                               "model may make");
  if (seen.count("max") && !seen.count("tools"))
    diags.error(seen["max"], "'max' bounds the calls of 'tools', and there "
                             "are none");
  let = outer;
  return type;
}

const Type *BodyChecker::checkApprove(const ast::ApproveExpr &expr) {
  llvm::SMRange word(expr.loc(),
                     llvm::SMLoc::getFromPointer(expr.loc().getPointer() + 7));
  step(expr, "approve", word);
  const ast::LetStmt *outer = std::exchange(let, nullptr);
  checkAs(*expr.text, types.string(), "after 'approve'");
  checkAs(*expr.role, types.string(), "after 'by'");
  if (expr.within)
    checkAs(*expr.within, types.duration(), "after 'within'");
  else
    diags.error(word, "'approve' needs a time, as in approve \"publish?\" by "
                      "\"editor\" within 24h else false");
  let = outer;
  return types.boolean();
}

const Type *BodyChecker::checkReceive(const ast::ReceiveExpr &expr) {
  llvm::SMRange word(expr.loc(),
                     llvm::SMLoc::getFromPointer(expr.loc().getPointer() + 7));
  step(expr, ("receive." + expr.name.text).str(), word);
  const ast::LetStmt *outer = std::exchange(let, nullptr);
  const Type *type = context.resolve(*expr.type);
  checkAs(*expr.within, types.duration(), "after 'within'");
  let = outer;
  if (type->isError())
    return type;
  if (!type->is(Type::Option))
    return error(expr.type->range, "'receive' gives an option, 'none' when the "
                                   "time is over: write '" +
                                       type->str() + "?'");
  if (!hasSchema(type))
    return error(expr.type->range,
                 "a signal cannot carry a '" + type->element->str() + "'");
  return type;
}
