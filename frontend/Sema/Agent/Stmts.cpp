// Statements of bodies. Each check says whether control may go on behind it.
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/Agent/Properties.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::cast;
using llvm::dyn_cast;

//===----------------------------------------------------------------------===//
// Whole bodies
//===----------------------------------------------------------------------===//

std::vector<const Local *>
BodyChecker::declareParams(llvm::ArrayRef<ast::Param *> list,
                           llvm::ArrayRef<Param> params) {
  std::vector<const Local *> locals;
  for (auto [param, checked] : llvm::zip_equal(list, params)) {
    // A parameter declared twice was reported with the signature.
    frames.back().erase(param->name.text);
    locals.push_back(declare(*param, param->name, Local::Param, checked.type));
  }
  return locals;
}

void BodyChecker::checkFn(const ast::Block &block) {
  pushFrame();
  bool goesOn = checkStmts(block.stmts);
  popFrame();
  if (goesOn)
    diags.error(block.closeRange, ownerText() + " may end without a 'return'")
        .note(resultRef->range, "the result is declared here");
}

void BodyChecker::checkTest(const ast::Block &block) {
  checkStmts(block.stmts);
}

void BodyChecker::checkAgent(AgentInfo &info) {
  agent = &info;
  const ast::AgentDecl &decl = *info.decl;
  pushFrame();
  bool goesOn = checkStmts(decl.stmts);
  checkNodes(info, goesOn);
  popFrame();
  if (goesOn && decl.nodes.empty() && decl.starts.empty())
    diags.error(decl.closeRange, ownerText() + " may end without a 'return'")
        .note(resultRef->range, "the result is declared here");
}

bool BodyChecker::checkBlock(const ast::Block &block) {
  pushFrame();
  bool goesOn = checkStmts(block.stmts);
  popFrame();
  return goesOn;
}

bool BodyChecker::checkStmts(llvm::ArrayRef<ast::Stmt *> stmts) {
  bool goesOn = true;
  for (const ast::Stmt *stmt : stmts)
    goesOn &= checkStmt(*stmt);
  return goesOn;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool isKnown(const Type *type) {
  if (type->is(Type::None) || type->is(Type::Nothing))
    return false;
  for (const Type *element : type->elements)
    if (!isKnown(element))
      return false;
  return !type->element || isKnown(type->element);
}

void BodyChecker::checkLet(const ast::LetStmt &stmt) {
  const Type *declared = stmt.type ? context.resolve(*stmt.type) : nullptr;
  const ast::LetStmt *outer = std::exchange(let, stmt.tuple ? nullptr : &stmt);
  const Type *type = declared ? checkAs(*stmt.value, declared,
                                        "for '" + stmt.names.front().text + "'",
                                        stmt.type->range)
                              : check(*stmt.value);
  let = outer;
  if (stmt.was && program.info(*stmt.value).segment.empty())
    diags.error(stmt.was.range,
                "'was' keeps the name of a step, and this is none");
  if (stmt.tuple)
    return checkTupleLet(stmt, type);
  if (!isKnown(type)) {
    diags.error(stmt.names.front().range,
                "the type of '" + stmt.names.front().text +
                    "' is not known here; write it after a colon");
    type = types.error();
  }
  declare(stmt, stmt.names.front(), Local::Let, type, stmt.value);
}

void BodyChecker::checkTupleLet(const ast::LetStmt &stmt, const Type *type) {
  if (!type->isError() &&
      (!type->is(Type::Tuple) || type->elements.size() != stmt.names.size())) {
    diags.error(stmt.value->range, "expected a tuple of " +
                                       llvm::Twine(stmt.names.size()) +
                                       " values, got '" + type->str() + "'");
    type = types.error();
  }
  std::vector<const Local *> locals;
  for (auto [i, name] : llvm::enumerate(stmt.names))
    locals.push_back(declare(stmt, name, Local::Let,
                             type->isError() ? type : type->elements[i]));
  program.declaredTuple[&stmt] = std::move(locals);
}

void BodyChecker::checkVar(const ast::VarStmt &stmt) {
  const Type *declared = stmt.type ? context.resolve(*stmt.type) : nullptr;
  const Type *type =
      declared ? checkAs(*stmt.value, declared, "for '" + stmt.name.text + "'",
                         stmt.type->range)
               : check(*stmt.value);
  // What is assigned later may be longer than the first value.
  if (!declared && type->is(Type::List))
    type = types.list(type->element);
  if (!isKnown(type)) {
    diags.error(stmt.name.range,
                "the type of '" + stmt.name.text +
                    "' is not known here; write it after a colon");
    type = types.error();
  }
  declare(stmt, stmt.name, Local::Var, type);
}

void BodyChecker::checkAssign(const ast::AssignStmt &stmt) {
  llvm::StringRef name = stmt.name.text;
  Local *local = find(name);
  if (!local) {
    check(*stmt.value);
    if (const ast::Decl *decl = checker.find(name))
      diags.error(stmt.name.range, "'" + name + "' is " + kindOf(*decl) +
                                       " and cannot be assigned");
    else
      diags.error(stmt.name.range, "unknown name '" + name + "'" +
                                       didYouMean(name, candidates()));
    return;
  }
  info(stmt).local = local;
  checkAs(*stmt.value, local->type, "for '" + name + "'", local->range);
  if (local->kind != Local::Var) {
    diags
        .error(stmt.name.range,
               "'" + name + "' cannot be assigned; only a 'var' can")
        .note(local->range, "declared here");
    return;
  }
  local->assigned = true;
  if (local->forkDepth < forks.size())
    diags
        .error(stmt.name.range, "a branch of a fork cannot assign '" + name +
                                    "', which is declared outside; yield the "
                                    "value instead")
        .note(local->range, "declared here")
        .note(forks[local->forkDepth].fork->variable.range, "the fork is here");
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

bool BodyChecker::checkIf(const ast::IfStmt &stmt) {
  checkAs(*stmt.condition, types.boolean(), "as the condition");
  paths.enterArm(stmt, 0);
  bool then = checkBlock(*stmt.then);
  paths.leaveArm(then);
  paths.enterArm(stmt, 1);
  bool otherwise = true;
  if (stmt.elseIf)
    otherwise = checkIf(*stmt.elseIf);
  else if (stmt.otherwise)
    otherwise = checkBlock(*stmt.otherwise);
  paths.leaveArm(otherwise);
  return then || otherwise;
}

void BodyChecker::checkFor(const ast::ForStmt &stmt) {
  const Type *list = check(*stmt.list);
  if (!list->isError() && !list->is(Type::List)) {
    diags.error(stmt.list->range,
                "expected a list after 'in', got '" + list->str() + "'");
    list = types.error();
  }
  pushFrame();
  paths.push();
  declare(stmt, stmt.variable, Local::Loop,
          list->isError() ? list : list->element);
  checkBlock(*stmt.body);
  popFrame();
  info(stmt).segment = stmt.variable.text.str();
  if (paths.pop())
    paths.addLoop(stmt.variable.text, stmt.variable.range);
}

void BodyChecker::checkMax(const ast::Expr *max, const ast::Node &stmt,
                           llvm::StringRef form) {
  if (max) {
    checkCount(*max, 0, "'max'");
    return;
  }
  llvm::StringRef word = form.take_until([](char c) { return c == ' '; });
  llvm::SMRange range(stmt.loc(), llvm::SMLoc::getFromPointer(
                                      stmt.loc().getPointer() + word.size()));
  diags.error(range, "a '" + word + "' needs a bound, as in " + form);
}

void BodyChecker::checkWhile(const ast::WhileStmt &stmt) {
  checkMax(stmt.max, stmt, "while (c) max 3 {...}");
  info(stmt).segment = paths.number("while");
  paths.push();
  checkAs(*stmt.condition, types.boolean(), "as the condition");
  checkBlock(*stmt.body);
  paths.pop();
}

void BodyChecker::checkLoop(const ast::LoopStmt &stmt) {
  checkMax(stmt.max, stmt, "loop i max 3 {...}");
  pushFrame();
  paths.push();
  declare(stmt, stmt.variable, Local::Loop, types.integer());
  checkBlock(*stmt.body);
  popFrame();
  info(stmt).segment = stmt.variable.text.str();
  if (paths.pop())
    paths.addLoop(stmt.variable.text, stmt.variable.range);
}

bool BodyChecker::checkTry(const ast::TryStmt &stmt) {
  size_t mark = paths.enterTry();
  bool body = checkBlock(*stmt.body);
  paths.leaveTry(mark);
  pushFrame();
  declare(stmt, stmt.error, Local::Caught, context.builtinRecord("failure"));
  bool handler = checkBlock(*stmt.handler);
  popFrame();
  return body || handler;
}

void BodyChecker::checkReturn(const ast::ReturnStmt &stmt) {
  if (mode == Mode::Test) {
    check(*stmt.value);
    diags.error(stmt.range, "a test returns nothing");
    return;
  }
  checkAs(*stmt.value, result, "as the result of " + ownerText(),
          resultRef->range);
  if (!forks.empty())
    diags
        .error(stmt.range, "a branch of a fork cannot return from " +
                               ownerText() + "; 'yield' gives its value")
        .note(forks.back().fork->variable.range, "the fork is here");
  if (node)
    returning.insert(node);
}

void BodyChecker::checkYield(const ast::YieldStmt &stmt) {
  if (forks.empty()) {
    check(*stmt.value);
    diags.error(stmt.range,
                "'yield' gives the value of a branch and stands in a fork");
    return;
  }
  // The fork that is innermost now; the value may hold forks of its own.
  size_t index = forks.size() - 1;
  const Type *type = check(*stmt.value, forks[index].expected);
  ForkFrame &frame = forks[index];
  if (!frame.yielded) {
    frame.yielded = type;
    frame.firstYield = stmt.value->range;
    return;
  }
  const Type *both = types.meet(frame.yielded, type);
  if (both) {
    frame.yielded = both;
    return;
  }
  diags
      .error(stmt.value->range, "expected '" + frame.yielded->str() +
                                    "' from this branch, got '" + type->str() +
                                    "'")
      .note(frame.firstYield, "another 'yield' of the fork is here");
  frame.yielded = types.error();
}

void BodyChecker::checkMock(const ast::MockStmt &stmt) {
  if (mode != Mode::Test) {
    diags.error(stmt.range, "'mock' replaces a model and stands in a test");
    return;
  }
  const auto *llm = checker.findAs<ast::LlmDecl>(stmt.model.text);
  if (stmt.file->constant())
    program.mockFiles[&stmt] = absolutePath(checker, *stmt.file);
  if (llm)
    info(stmt).decl = llm;
  else
    diags.error(
        stmt.model.range,
        "unknown llm '" + stmt.model.text + "'" +
            didYouMean(stmt.model.text, checker.namesOf<ast::LlmDecl>()));
}

/// A statement that only agents have.
static llvm::StringRef agentWord(ast::NodeKind kind) {
  switch (kind) {
  case ast::NodeKind::SleepStmt:
    return "sleep";
  case ast::NodeKind::EmitStmt:
    return "emit";
  case ast::NodeKind::GotoStmt:
    return "goto";
  default:
    return "";
  }
}

bool BodyChecker::checkStmt(const ast::Stmt &stmt) {
  using ast::NodeKind;
  llvm::StringRef word = agentWord(stmt.kind);
  if (!word.empty() && mode != Mode::Agent) {
    diags.error(stmt.range, "'" + word + "' stands in an agent, not in a " +
                                keywordOf(owner));
    return stmt.kind != NodeKind::GotoStmt;
  }
  switch (stmt.kind) {
  case NodeKind::LetStmt:
    checkLet(cast<ast::LetStmt>(stmt));
    return true;
  case NodeKind::VarStmt:
    checkVar(cast<ast::VarStmt>(stmt));
    return true;
  case NodeKind::AssignStmt:
    checkAssign(cast<ast::AssignStmt>(stmt));
    return true;
  case NodeKind::IfStmt:
    return checkIf(cast<ast::IfStmt>(stmt));
  case NodeKind::MatchStmt:
    return checkMatchStmt(cast<ast::MatchStmt>(stmt));
  case NodeKind::ForStmt:
    checkFor(cast<ast::ForStmt>(stmt));
    return true;
  case NodeKind::WhileStmt:
    checkWhile(cast<ast::WhileStmt>(stmt));
    return true;
  case NodeKind::LoopStmt:
    checkLoop(cast<ast::LoopStmt>(stmt));
    return true;
  case NodeKind::TryStmt:
    return checkTry(cast<ast::TryStmt>(stmt));
  case NodeKind::ReturnStmt:
    checkReturn(cast<ast::ReturnStmt>(stmt));
    return false;
  case NodeKind::YieldStmt:
    checkYield(cast<ast::YieldStmt>(stmt));
    return false;
  case NodeKind::FailStmt:
    checkAs(*cast<ast::FailStmt>(stmt).value, types.string(),
            "as the message of 'fail'");
    return false;
  case NodeKind::AssertStmt: {
    const auto &assertion = cast<ast::AssertStmt>(stmt);
    checkAs(*assertion.condition, types.boolean(), "after 'assert'");
    if (assertion.message)
      checkAs(*assertion.message, types.string(), "as the message of 'assert'");
    return true;
  }
  case NodeKind::GotoStmt:
    checkGoto(cast<ast::GotoStmt>(stmt));
    return false;
  case NodeKind::SleepStmt:
    checkAs(*cast<ast::SleepStmt>(stmt).value, types.duration(),
            "after 'sleep'");
    info(stmt).segment = paths.number("sleep");
    return true;
  case NodeKind::EmitStmt:
    checkAs(*cast<ast::EmitStmt>(stmt).value, types.string(), "after 'emit'");
    info(stmt).segment = paths.number("emit");
    return true;
  case NodeKind::MockStmt:
    checkMock(cast<ast::MockStmt>(stmt));
    return true;
  case NodeKind::RepeatStmt:
    diags.error(stmt.range,
                "'repeat' stands in a graph; use 'loop' or 'for' here");
    return true;
  case NodeKind::ShardStmt:
    diags.error(stmt.range, "'shard' stands in a graph");
    return true;
  case NodeKind::ExprStmt:
    check(*cast<ast::ExprStmt>(stmt).expr);
    return true;
  default:
    llvm_unreachable("a statement");
  }
}
