// Calls of the library. Most functions have one signature and stand in a table;
// those whose result follows from their arguments have a function each.
#include "frontend/Sema/Agent/Library.h"
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/Agent/Regex.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

namespace {
/// Types by letter: s string, L list<string>, B list<bool>, b bool, f float,
/// o string?.
struct Signature {
  llvm::StringLiteral name;
  llvm::StringLiteral params;
  char result;
};
} // namespace

static constexpr Signature simple[] = {
    {"split", "ss", 'L'},     {"trim", "s", 's'},
    {"replace", "sss", 's'},  {"starts_with", "ss", 'b'},
    {"ends_with", "ss", 'b'}, {"lower", "s", 's'},
    {"upper", "s", 's'},      {"lines", "s", 'L'},
    {"join_text", "Ls", 's'}, {"matches", "ss", 'b'},
    {"find_all", "ss", 'L'},  {"all", "B", 'b'},
    {"any", "B", 'b'},        {"now", "", 'f'},
    {"random", "", 'f'},      {"uuid", "", 's'},
    {"env", "s", 'o'},        {"read_file", "s", 's'},
};
static constexpr llvm::StringLiteral others[] = {
    "len", "concat", "contains", "json", "sort",   "range",
    "sum", "first",  "last",     "open", "prefix", "rerank"};
static constexpr llvm::StringLiteral recorded[] = {"now", "random",    "uuid",
                                                   "env", "read_file", "open"};

static const Signature *findSimple(llvm::StringRef name) {
  for (const Signature &signature : simple)
    if (signature.name == name)
      return &signature;
  return nullptr;
}

bool agt::sema::agents::isLibrary(llvm::StringRef name) {
  return findSimple(name) || llvm::is_contained(others, name);
}

bool agt::sema::agents::isRecorded(llvm::StringRef name) {
  return llvm::is_contained(recorded, name);
}

std::vector<llvm::StringRef> agt::sema::agents::libraryNames() {
  std::vector<llvm::StringRef> names(std::begin(others), std::end(others));
  for (const Signature &signature : simple)
    names.push_back(signature.name);
  names.push_back("parse");
  return names;
}

/// Arguments by position and by name; false after an error. Named ones come
/// behind the others in `args`, null where they are left out.
bool BodyChecker::bind(const ast::CallExpr &expr, llvm::StringRef name,
                       size_t count, llvm::ArrayRef<llvm::StringRef> named,
                       llvm::SmallVectorImpl<const ast::Expr *> &args) {
  args.assign(count + named.size(), nullptr);
  size_t positional = 0;
  bool ok = true;
  for (const ast::Arg &arg : expr.args) {
    if (!arg.name) {
      if (positional < count)
        args[positional] = arg.value;
      ++positional;
      continue;
    }
    size_t index = llvm::find(named, arg.name.text) - named.begin();
    if (index == named.size()) {
      diags.error(arg.name.range, "'" + name + "' has no parameter '" +
                                      arg.name.text + "'" +
                                      didYouMean(arg.name.text, named));
      ok = false;
    } else if (args[count + index]) {
      diags.error(arg.value->range,
                  "parameter '" + arg.name.text + "' is given twice");
      ok = false;
    } else {
      args[count + index] = arg.value;
    }
  }
  if (ok && positional != count) {
    diags.error(expr.range, "'" + name + "' takes " + llvm::Twine(count) +
                                (count == 1 ? " argument" : " arguments") +
                                ", got " + llvm::Twine(positional));
    ok = false;
  }
  if (!ok)
    for (const ast::Arg &arg : expr.args)
      if (!arg.name)
        check(*arg.value);
  return ok;
}

const Type *BodyChecker::simpleCall(const ast::CallExpr &expr,
                                    llvm::StringRef name,
                                    llvm::ArrayRef<Expected> params,
                                    const Type *result) {
  llvm::SmallVector<const ast::Expr *, 4> args;
  if (!bind(expr, name, params.size(), {}, args))
    return result;
  for (auto [arg, param] : llvm::zip_equal(args, params))
    checkAs(*arg, param.type, "as the " + param.what + " of '" + name + "'");
  if (name == "matches" || name == "find_all")
    checkRegex(*args[1]);
  return result;
}

/// A pattern that is put together at run time is checked there.
void BodyChecker::checkRegex(const ast::Expr &expr) {
  std::optional<llvm::StringRef> pattern;
  if (const auto *literal = dyn_cast<ast::StringLit>(&expr))
    pattern = literal->constant();
  else if (const std::shared_ptr<Value> &known = program.info(expr).constant;
           known && known->kind == Value::String)
    pattern = known->text;
  if (!pattern)
    return;
  if (std::optional<std::string> wrong = regexError(*pattern))
    diags.error(expr.range, *wrong);
}

const Type *BodyChecker::checkListArg(const ast::Expr &expr,
                                      llvm::StringRef name) {
  const Type *type = check(expr);
  if (type->isError() || type->is(Type::List))
    return type;
  return error(expr.range,
               "'" + name + "' takes a list, got '" + type->str() + "'");
}

const Type *BodyChecker::checkLen(const ast::CallExpr &expr) {
  llvm::SmallVector<const ast::Expr *, 1> args;
  if (!bind(expr, "len", 1, {}, args))
    return types.integer();
  const Type *type = check(*args[0]);
  if (!type->isError() && !type->is(Type::List) && !type->is(Type::String) &&
      !type->is(Type::Bytes))
    diags.error(args[0]->range, "'len' takes a list, a string or bytes, got '" +
                                    type->str() + "'");
  return types.integer();
}

const Type *BodyChecker::checkConcat(const ast::CallExpr &expr) {
  const Type *type = nullptr;
  std::optional<int64_t> max = 0;
  for (const ast::Arg &arg : expr.args) {
    if (arg.name)
      diags.error(arg.name.range,
                  "'concat' has no parameter '" + arg.name.text + "'");
    const Type *next = checkListArg(*arg.value, "concat");
    if (next->isError())
      return next;
    max = max && next->max ? std::optional<int64_t>(*max + *next->max)
                           : std::nullopt;
    const Type *both = type ? types.meet(type, next) : next;
    if (!both) {
      mismatch(arg.value->range, type, next, "as the other lists are", {});
      return types.error();
    }
    type = both;
  }
  if (!type)
    return error(expr.range, "'concat' takes at least one list");
  return types.list(type->element, max);
}

const Type *BodyChecker::checkContains(const ast::CallExpr &expr) {
  llvm::SmallVector<const ast::Expr *, 2> args;
  if (!bind(expr, "contains", 2, {}, args))
    return types.boolean();
  const Type *whole = check(*args[0]);
  if (whole->is(Type::List))
    checkAs(*args[1], whole->element, "as an element of the list");
  else if (whole->is(Type::String) || whole->isError())
    checkAs(*args[1], whole, "as the text to find");
  else {
    check(*args[1]);
    diags.error(args[0]->range, "'contains' takes a list or a string, got '" +
                                    whole->str() + "'");
  }
  return types.boolean();
}

static bool isOrdered(const Type *type) {
  return type->isNumber() || type->is(Type::String) || type->is(Type::Duration);
}

const Type *BodyChecker::checkSort(const ast::CallExpr &expr) {
  llvm::SmallVector<const ast::Expr *, 3> args;
  if (!bind(expr, "sort", 1, {"by", "desc"}, args))
    return types.error();
  const Type *list = checkListArg(*args[0], "sort");
  if (args[2])
    checkAs(*args[2], types.boolean(), "for 'desc'");
  if (list->isError())
    return list;
  const Type *key = list->element;
  if (const ast::Expr *by = args[1]) {
    const auto *field = dyn_cast<ast::NameRef>(by);
    if (!field)
      return error(by->range, "'by' names a field");
    if (!key->is(Type::Record))
      return error(by->range,
                   "'by' names a field, and '" + key->str() + "' has none");
    const RecordField *found = key->record->find(field->name.text);
    if (!found)
      return error(by->range,
                   "record '" + key->str() + "' has no field '" +
                       field->name.text + "'" +
                       didYouMean(field->name.text, key->record->names()));
    key = found->type;
  }
  if (!isOrdered(key) && !key->is(Type::Nothing) && !key->isError())
    return error(expr.range,
                 "'sort' cannot order '" + key->str() + "'" +
                     (key->is(Type::Record) ? "; name a field with 'by'" : ""));
  return list;
}

const Type *BodyChecker::checkSum(const ast::CallExpr &expr) {
  llvm::SmallVector<const ast::Expr *, 1> args;
  if (!bind(expr, "sum", 1, {}, args))
    return types.error();
  const Type *list = checkListArg(*args[0], "sum");
  if (list->isError())
    return list;
  if (list->element->is(Type::Nothing))
    return types.integer();
  if (!list->element->isNumber())
    return error(args[0]->range,
                 "'sum' takes a list of numbers, got '" + list->str() + "'");
  return list->element;
}

const Type *BodyChecker::checkEnd(const ast::CallExpr &expr,
                                  llvm::StringRef name) {
  llvm::SmallVector<const ast::Expr *, 1> args;
  if (!bind(expr, name, 1, {}, args))
    return types.error();
  const Type *list = checkListArg(*args[0], name);
  return list->isError() ? list : types.option(list->element);
}

const Type *BodyChecker::checkRangeCall(const ast::CallExpr &expr) {
  llvm::SmallVector<const ast::Expr *, 1> args;
  if (!bind(expr, "range", 1, {}, args))
    return types.list(types.integer());
  return types.list(types.integer(),
                    checkCount(*args[0], 0, "the argument of 'range'"));
}

const Type *BodyChecker::checkOpen(const ast::CallExpr &expr) {
  llvm::SmallVector<const ast::Expr *, 1> args;
  if (!bind(expr, "open", 1, {}, args))
    return types.error();
  const Type *handle = check(*args[0]);
  if (handle->isError())
    return handle;
  if (!handle->is(Type::Handle))
    return error(args[0]->range,
                 "'open' reads a handle, got '" + handle->str() + "'");
  return handle->element;
}

/// A model that is asked, or a tool (list<string>, string) -> list<string>.
void BodyChecker::checkReranker(const ast::Expr &name, const ast::Decl &decl) {
  if (llvm::isa<ast::LlmDecl>(decl))
    return;
  const ToolInfo *tool = context.tool(decl);
  const Type *texts = types.list(types.string());
  if (tool && tool->params.size() == 2 &&
      sameValues(texts, tool->params[0].type) &&
      sameValues(types.string(), tool->params[1].type) &&
      sameValues(tool->result, texts))
    return;
  diags
      .error(name.range, "a tool that reranks takes a list<string> and a "
                         "string, and gives a list<string>")
      .note(decl.name.range, "declared here");
}

const Type *BodyChecker::checkRerank(const ast::CallExpr &expr) {
  const Type *texts = types.list(types.string());
  llvm::SmallVector<const ast::Expr *, 4> args;
  step(expr, "rerank", expr.range);
  info(expr).callee = Callee::Rerank;
  if (!bind(expr, "rerank", 2, {"with", "take"}, args))
    return texts;
  checkAs(*args[0], texts, "as the texts of 'rerank'");
  checkAs(*args[1], types.string(), "as the query of 'rerank'");
  std::optional<int64_t> max;
  if (args[3])
    max = checkCount(*args[3], 0, "'take'");
  else
    diags.error(expr.range, "'rerank' needs 'take', as in take = 5");
  const auto *with = llvm::dyn_cast_or_null<ast::NameRef>(args[2]);
  const ast::Decl *decl = with ? checker.find(with->name.text) : nullptr;
  if (!args[2]) {
    diags.error(expr.range,
                "'rerank' needs an llm or a tool, as in with = planner");
  } else if (!llvm::isa_and_nonnull<ast::LlmDecl, ast::ToolDecl>(decl)) {
    diags.error(args[2]->range, "'with' names an llm or a tool");
  } else {
    info(expr).decl = decl;
    context.noteUse(owner, *decl, args[2]->range);
    checkReranker(*args[2], *decl);
  }
  return types.list(types.string(), max);
}

const Type *BodyChecker::checkLibrary(const ast::CallExpr &expr,
                                      const ast::Ident &ident) {
  llvm::StringRef name = ident.text;
  if (name == "rerank")
    return checkRerank(expr);
  if (name == "prefix")
    return checkPrefix(expr);
  bool isStep = isRecorded(name);
  info(expr).callee = isStep ? Callee::Recorded : Callee::Library;
  if (isStep)
    step(expr, name, expr.range);
  const ast::LetStmt *outer = std::exchange(let, nullptr);
  auto typeOf = [&](char letter) {
    switch (letter) {
    case 's':
      return types.string();
    case 'L':
      return types.list(types.string());
    case 'B':
      return types.list(types.boolean());
    case 'b':
      return types.boolean();
    case 'o':
      return types.option(types.string());
    default:
      return types.floating();
    }
  };
  const Type *result = nullptr;
  if (const Signature *signature = findSimple(name)) {
    static constexpr llvm::StringLiteral places[] = {
        "first argument", "second argument", "third argument"};
    std::vector<Expected> params;
    for (auto [i, letter] : llvm::enumerate(signature->params))
      params.push_back({signature->params.size() == 1 ? "argument" : places[i],
                        typeOf(letter)});
    result = simpleCall(expr, name, params, typeOf(signature->result));
  } else if (name == "len") {
    result = checkLen(expr);
  } else if (name == "concat") {
    result = checkConcat(expr);
  } else if (name == "contains") {
    result = checkContains(expr);
  } else if (name == "sort") {
    result = checkSort(expr);
  } else if (name == "range") {
    result = checkRangeCall(expr);
  } else if (name == "sum") {
    result = checkSum(expr);
  } else if (name == "open") {
    result = checkOpen(expr);
  } else if (name == "json") {
    llvm::SmallVector<const ast::Expr *, 1> args;
    if (bind(expr, name, 1, {}, args)) {
      const Type *type = check(*args[0]);
      if (type->is(Type::Context) || type->is(Type::Tuple) ||
          type->is(Type::Bytes) || holdsTensors(type))
        diags.error(args[0]->range,
                    "a '" + type->str() + "' has no form in JSON");
    }
    result = types.string();
  } else {
    result = checkEnd(expr, name);
  }
  let = outer;
  return result;
}

const Type *BodyChecker::checkParse(const ast::ParseCallExpr &expr) {
  const Type *type = context.resolve(*expr.type);
  if (expr.name.text != "parse") {
    for (const ast::Arg &arg : expr.args)
      check(*arg.value);
    return error(expr.name.range, "only 'parse' takes a type, as in "
                                  "parse<T>(text)");
  }
  info(expr).callee = Callee::Library;
  if (!hasSchema(type))
    diags.error(expr.type->range,
                "a '" + type->str() + "' has no form in JSON");
  if (expr.args.size() != 1 || expr.args[0].name) {
    for (const ast::Arg &arg : expr.args)
      check(*arg.value);
    diags.error(expr.range, "'parse' takes 1 argument, got " +
                                llvm::Twine(expr.args.size()));
    return type;
  }
  checkAs(*expr.args[0].value, types.string(), "as the argument of 'parse'");
  return type;
}

/// In the fields of a tool, which are read when it is called.
const Type *BodyChecker::checkEnvironment(const ast::CallExpr &expr,
                                          llvm::StringRef name) {
  info(expr).callee = Callee::Environment;
  if (name == "secret" && !secrets)
    diags.error(expr.range,
                "a secret cannot reach the argv of a process, which "
                "everybody can read; give it in the sandbox's "
                "'env' or in 'stdin'");
  return simpleCall(expr, name, {{"argument", types.string()}}, types.string());
}

const Type *BodyChecker::checkField(const ast::Expr &expr, const Type *expected,
                                    const llvm::Twine &what, bool secrets) {
  this->secrets = secrets;
  if (expected)
    return checkAs(expr, expected, what);
  return check(expr);
}

const Local *BodyChecker::declareToken() {
  Local local;
  local.kind = Local::Param;
  local.name = "token";
  local.type = types.string();
  local.range = owner.name.range;
  program.locals.push_back(local);
  // A parameter of that name is what the word means.
  frames.front().try_emplace("token", &program.locals.back());
  return &program.locals.back();
}

/// What only tests call; null for other names.
const Type *BodyChecker::checkTestCall(const ast::CallExpr &expr,
                                       llvm::StringRef name) {
  if (name == "expect") {
    info(expr).callee = Callee::Library;
    return simpleCall(expr, name, {{"condition", types.boolean()}},
                      types.boolean());
  }
  if (name == "calls") {
    info(expr).callee = Callee::Library;
    const ast::Expr *named =
        expr.args.size() == 1 ? expr.args[0].value : nullptr;
    const auto *member = llvm::dyn_cast_or_null<ast::MemberExpr>(named);
    const auto *ref =
        llvm::dyn_cast_or_null<ast::NameRef>(member ? member->base : named);
    const ast::Decl *decl = ref ? checker.find(ref->name.text) : nullptr;
    if (const auto *tool = llvm::dyn_cast_or_null<ast::ToolDecl>(decl);
        tool && (tool->provider || member)) {
      const ToolInfo *listed =
          member ? context.listedTool(*tool, member->member) : nullptr;
      if (member && !listed)
        return types.integer();
      decl = listed ? listed->decl : nullptr;
    }
    if (llvm::isa_and_nonnull<ast::LlmDecl, ast::ToolDecl>(decl))
      info(expr).decl = decl;
    else
      diags.error(expr.range, "'calls' takes the name of an llm or a tool");
    return types.integer();
  }
  if (name == "randn")
    return checkRandn(expr);
  if (name == "expect_close")
    return checkExpectClose(expr);
  return nullptr;
}
