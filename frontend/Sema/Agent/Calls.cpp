// Calls: what a name means, arguments against parameters, and where steps may
// stand.
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/Agent/Library.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

bool BodyChecker::step(const ast::Node &node, llvm::StringRef callee,
                       llvm::SMRange range) {
  if (mode != Mode::Agent) {
    diags.error(range, "'" + callee +
                           "' is a step and stands in an agent, "
                           "not in a " +
                           keywordOf(owner));
    return false;
  }
  if (!stepless.empty()) {
    diags.error(range, stepless + " cannot contain the step '" + callee + "'");
    return false;
  }
  NodeInfo &entry = info(node);
  if (!let || let->value != &node) {
    entry.segment = callee.str();
    paths.add(callee, range, false);
    return true;
  }
  const ast::Ident &name = let->names.front();
  entry.segment = name.text.str();
  entry.was = let->was.text.str();
  // Two lets of one name in one block are an error of their own.
  auto other = frames.back().find(name.text);
  if (other == frames.back().end())
    paths.add(name.text, name.range, true);
  return true;
}

const Type *BodyChecker::unknownFunction(const ast::Ident &name) {
  std::vector<llvm::StringRef> candidates = libraryNames();
  llvm::append_range(candidates, checker.namesOf<ast::FnDecl>());
  llvm::append_range(candidates, checker.namesOf<ast::ToolDecl>());
  llvm::append_range(candidates, checker.namesOf<ast::AgentDecl>());
  return error(name.range, "unknown function '" + name.text + "'" +
                               didYouMean(name.text, candidates));
}

const Type *BodyChecker::checkCall(const ast::CallExpr &expr) {
  auto checkAll = [&] {
    for (const ast::Arg &arg : expr.args)
      check(*arg.value);
  };
  if (const auto *member = dyn_cast<ast::MemberExpr>(expr.callee)) {
    const auto *base = dyn_cast<ast::NameRef>(member->base);
    const auto *provider = base && !find(base->name.text)
                               ? checker.findAs<ast::ToolDecl>(base->name.text)
                               : nullptr;
    if (!provider || !provider->provider) {
      checkAll();
      return error(expr.callee->range, "only a name can be called");
    }
    if (const ToolInfo *tool = context.listedTool(*provider, member->member))
      return checkToolCall(expr, expr.callee->range, *tool->decl);
    checkAll();
    return types.error();
  }
  const auto *callee = dyn_cast<ast::NameRef>(expr.callee);
  if (!callee) {
    checkAll();
    return error(expr.callee->range, "only a name can be called");
  }
  const ast::Ident &name = callee->name;
  if (find(name.text)) {
    checkAll();
    return error(name.range, "'" + name.text + "' is a value, not a function");
  }
  // A declaration of the program takes a name from the library.
  if (const ast::Decl *decl = checker.find(name.text))
    return checkDeclCall(expr, name, *decl);
  if (mode == Mode::Tool && (name.text == "env" || name.text == "secret"))
    return checkEnvironment(expr, name.text);
  if (name.text == "secret") {
    checkAll();
    return error(expr.range, "a secret cannot reach a value that is recorded; "
                             "it may stand in 'key' of an llm, and in what a "
                             "tool sends or its sandbox gets");
  }
  if (mode == Mode::Test)
    if (const Type *type = checkTestCall(expr, name.text))
      return type;
  if (isLibrary(name.text))
    return checkLibrary(expr, name);
  checkAll();
  return unknownFunction(name);
}

const Type *BodyChecker::checkDeclCall(const ast::CallExpr &expr,
                                       const ast::Ident &name,
                                       const ast::Decl &decl) {
  info(expr).decl = &decl;
  if (const auto *fn = dyn_cast<ast::FnDecl>(&decl)) {
    const FnInfo &callee = *program.fnOf.lookup(fn);
    info(expr).callee = Callee::Fn;
    context.noteUse(owner, decl, name.range);
    checkArgs(expr, name.text, callee.params, decl.name.range);
    return callee.result;
  }
  if (const auto *tool = dyn_cast<ast::ToolDecl>(&decl))
    return checkToolCall(expr, name.range, *tool);
  if (const auto *child = dyn_cast<ast::AgentDecl>(&decl)) {
    const AgentInfo &callee = *context.agent(*child);
    info(expr).callee = Callee::Agent;
    context.noteUse(owner, decl, name.range);
    if (mode != Mode::Test)
      step(expr, name.text, name.range);
    checkArgs(expr, name.text, callee.params, decl.name.range);
    return callee.result;
  }
  if (const auto *graph = dyn_cast<ast::GraphDecl>(&decl);
      graph && mode == Mode::Test)
    return checkGraphCall(expr, *graph);
  for (const ast::Arg &arg : expr.args)
    check(*arg.value);
  return error(name.range, "'" + name.text + "' is " + kindOf(decl) +
                               " and cannot be called in a " +
                               keywordOf(owner));
}

const Type *BodyChecker::checkToolCall(const ast::CallExpr &expr,
                                       llvm::SMRange callee,
                                       const ast::ToolDecl &decl) {
  const ToolInfo *tool = context.tool(decl);
  if (!tool) {
    for (const ast::Arg &arg : expr.args)
      check(*arg.value);
    llvm::StringRef name = decl.name.text;
    return error(
        callee,
        "'" + name + "' offers tools, as in " + name + "." +
            (decl.tools.empty() ? "name" : decl.tools.front()->name.text) +
            "(...)");
  }
  info(expr).decl = &decl;
  info(expr).callee = Callee::Tool;
  context.noteUse(owner, decl, callee);
  step(expr, tool->name, callee);
  checkArgs(expr, tool->name, tool->params, decl.name.range);
  return tool->result;
}

void BodyChecker::checkArgs(const ast::CallExpr &expr, llvm::StringRef callee,
                            llvm::ArrayRef<Param> params,
                            llvm::SMRange declared) {
  checkArgList(expr, expr.args, expr.closeRange, callee, params, declared);
}

void BodyChecker::checkArgList(const ast::Node &node,
                               llvm::ArrayRef<ast::Arg> args, llvm::SMRange end,
                               llvm::StringRef callee,
                               llvm::ArrayRef<Param> params,
                               llvm::SMRange declared) {
  // The value is no longer that of the `let`.
  const ast::LetStmt *outer = std::exchange(let, nullptr);
  std::vector<const ast::Arg *> given(params.size());
  std::vector<llvm::StringRef> names;
  for (const Param &param : params)
    names.push_back(param.name);
  bool tooMany = false;
  for (auto [i, arg] : llvm::enumerate(args)) {
    size_t index = i;
    if (arg.name) {
      index = llvm::find(names, arg.name.text) - names.begin();
      if (index == names.size()) {
        check(*arg.value);
        diags
            .error(arg.name.range, "'" + callee + "' has no parameter '" +
                                       arg.name.text + "'" +
                                       didYouMean(arg.name.text, names))
            .note(declared, "declared here");
        continue;
      }
    } else if (index >= params.size()) {
      check(*arg.value);
      if (!std::exchange(tooMany, true))
        diags
            .error(arg.value->range,
                   "'" + callee + "' takes " + llvm::Twine(params.size()) +
                       " arguments, got " + llvm::Twine(args.size()))
            .note(declared, "declared here");
      continue;
    }
    const Param &param = params[index];
    if (given[index]) {
      diags
          .error(arg.value->range,
                 "parameter '" + param.name + "' is given twice")
          .note(given[index]->value->range, "first given here");
      check(*arg.value);
      continue;
    }
    given[index] = &arg;
    checkAs(*arg.value, param.type,
            "for parameter '" + param.name + "' of '" + callee + "'",
            param.range);
  }
  std::string missing;
  for (auto [i, arg] : llvm::enumerate(given))
    if (!arg)
      missing += (missing.empty() ? "'" : ", '") + names[i].str() + "'";
  if (!missing.empty())
    diags.error(end, "call of '" + callee + "' lacks " + missing)
        .note(declared, "declared here");
  std::vector<const ast::Expr *> &values = program.arguments[&node];
  for (const ast::Arg *arg : given)
    values.push_back(arg ? arg->value : nullptr);
  let = outer;
}
