// Statements.
#include "frontend/AST/Dump.h"
#include "frontend/Lower/Agent/BodyLowering.h"

using namespace agt;
using namespace agt::sema::agents;
using namespace mlir;
using llvm::cast;
using llvm::dyn_cast;

void BodyLowering::begin(Region &region, llvm::ArrayRef<const Local *> locals) {
  Block *block = builder.createBlock(&region);
  for (const Local *local : locals)
    values[local] = block->addArgument(type(local->type),
                                       module.locations.get(local->range));
}

bool BodyLowering::region(Region &into, llvm::function_ref<bool()> body) {
  OpBuilder::InsertionGuard guard(builder);
  if (into.empty())
    builder.createBlock(&into);
  else
    builder.setInsertionPointToEnd(&into.front());
  bool goesOn = body();
  if (goesOn || into.front().empty() ||
      !into.front().back().hasTrait<OpTrait::IsTerminator>())
    ResultOp::create(builder, loc);
  return goesOn;
}

void BodyLowering::lowerBody(llvm::ArrayRef<ast::Stmt *> list, Type result) {
  this->result = result;
  Region &into = *builder.getInsertionBlock()->getParent();
  region(into, [&] { return stmts(list); });
}

void BodyLowering::lowerAgent(const AgentInfo &agent) {
  result = agent.result;
  Region &into = *builder.getInsertionBlock()->getParent();
  region(into, [&] {
    bool goesOn = stmts(agent.decl->stmts);
    if (!agent.start)
      return goesOn;
    for (const NodeDecl &entry : agent.nodes) {
      loc = module.locations.get(entry.node->name.range);
      auto op = NodeOp::create(
          builder, loc, builder.getStringAttr(entry.node->name.text),
          entry.node->doc.empty() ? StringAttr()
                                  : builder.getStringAttr(entry.node->doc));
      OpBuilder::InsertionGuard guard(builder);
      begin(op.getBody(), entry.params);
      blockRegion(op.getBody(), *entry.node->body);
    }
    StartOp::create(builder, loc, agent.start->name.text, agent.maxVisits);
    return false;
  });
}

bool BodyLowering::stmts(llvm::ArrayRef<ast::Stmt *> list) {
  for (const ast::Stmt *entry : list)
    if (!stmt(*entry))
      return false;
  return true;
}

void BodyLowering::letStmt(const ast::LetStmt &stmt) {
  Value value = expr(*stmt.value);
  if (!stmt.tuple) {
    values[program.declared.lookup(&stmt)] = value;
    return;
  }
  auto types = cast<TupleType>(value.getType()).getTypes();
  auto locals = program.declaredTuple.find(&stmt)->second;
  for (size_t i = 0; i < types.size(); ++i)
    values[locals[i]] = FieldOp::create(builder, loc, types[i], value, i);
}

bool BodyLowering::ifStmt(const ast::IfStmt &stmt) {
  Value condition = expr(*stmt.condition);
  auto op = IfOp::create(builder, loc, TypeRange(), condition);
  bool then = blockRegion(op.getThen(), *stmt.then);
  bool otherwise = region(op.getOtherwise(), [&] {
    if (stmt.elseIf)
      return ifStmt(*stmt.elseIf);
    return !stmt.otherwise || stmts(stmt.otherwise->stmts);
  });
  return then || otherwise;
}

void BodyLowering::forStmt(const ast::ForStmt &stmt) {
  Value list = expr(*stmt.list);
  auto op = ForOp::create(builder, loc, info(stmt).segment, list);
  OpBuilder::InsertionGuard guard(builder);
  begin(op.getBody(), program.declared.lookup(&stmt));
  blockRegion(op.getBody(), *stmt.body);
}

void BodyLowering::whileStmt(const ast::WhileStmt &stmt) {
  Value max = expr(*stmt.max);
  auto op = WhileOp::create(builder, loc, info(stmt).segment, max);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&op.getCondition());
    Value condition = expr(*stmt.condition);
    ResultOp::create(builder, loc, condition);
  }
  blockRegion(op.getBody(), *stmt.body);
}

void BodyLowering::loopStmt(const ast::LoopStmt &stmt) {
  Value max = expr(*stmt.max);
  auto op = LoopOp::create(builder, loc, info(stmt).segment, max);
  OpBuilder::InsertionGuard guard(builder);
  begin(op.getBody(), program.declared.lookup(&stmt));
  blockRegion(op.getBody(), *stmt.body);
}

bool BodyLowering::tryStmt(const ast::TryStmt &stmt) {
  auto op = TryOp::create(builder, loc);
  bool body = blockRegion(op.getBody(), *stmt.body);
  OpBuilder::InsertionGuard guard(builder);
  begin(op.getHandler(), program.declared.lookup(&stmt));
  return blockRegion(op.getHandler(), *stmt.handler) || body;
}

void BodyLowering::assertStmt(const ast::AssertStmt &stmt) {
  Value condition = expr(*stmt.condition);
  auto op = IfOp::create(builder, loc, TypeRange(), condition);
  region(op.getThen(), [] { return true; });
  region(op.getOtherwise(), [&] {
    Value message =
        stmt.message ? expr(*stmt.message) : text("an assertion does not hold");
    FailOp::create(builder, loc, message);
    return false;
  });
}

bool BodyLowering::stmt(const ast::Stmt &stmt) {
  using ast::NodeKind;
  loc = module.locations.get(stmt.range);
  switch (stmt.kind) {
  case NodeKind::LetStmt:
    letStmt(cast<ast::LetStmt>(stmt));
    return true;
  case NodeKind::VarStmt: {
    const Local *local = program.declared.lookup(&stmt);
    Value init = exprAs(*cast<ast::VarStmt>(stmt).value, local->type);
    values[local] = VariableOp::create(
        builder, loc, VariableType::get(builder.getContext(), init.getType()),
        init);
    return true;
  }
  case NodeKind::AssignStmt: {
    Value value = expr(*cast<ast::AssignStmt>(stmt).value);
    AssignOp::create(builder, loc, value, values.lookup(info(stmt).local));
    return true;
  }
  case NodeKind::IfStmt:
    return ifStmt(cast<ast::IfStmt>(stmt));
  case NodeKind::MatchStmt: {
    const auto &match = cast<ast::MatchStmt>(stmt);
    Value subject = expr(*match.subject);
    return matchArms(
        subject, typeOf(*match.subject), info(*match.subject).local, match.arms,
        TypeRange(),
        [&](const ast::MatchArm &arm) { return stmts(arm.body->stmts); },
        nullptr);
  }
  case NodeKind::ForStmt:
    forStmt(cast<ast::ForStmt>(stmt));
    return true;
  case NodeKind::WhileStmt:
    whileStmt(cast<ast::WhileStmt>(stmt));
    return true;
  case NodeKind::LoopStmt:
    loopStmt(cast<ast::LoopStmt>(stmt));
    return true;
  case NodeKind::TryStmt:
    return tryStmt(cast<ast::TryStmt>(stmt));
  case NodeKind::ReturnStmt: {
    Value value = expr(*cast<ast::ReturnStmt>(stmt).value);
    FinishOp::create(builder, loc, value);
    return false;
  }
  case NodeKind::YieldStmt: {
    Value value = exprAs(*cast<ast::YieldStmt>(stmt).value, yielded);
    GiveOp::create(builder, loc, value);
    return false;
  }
  case NodeKind::FailStmt: {
    Value message = expr(*cast<ast::FailStmt>(stmt).value);
    FailOp::create(builder, loc, message);
    return false;
  }
  case NodeKind::AssertStmt:
    assertStmt(cast<ast::AssertStmt>(stmt));
    return true;
  case NodeKind::GotoStmt: {
    const auto &jump = cast<ast::GotoStmt>(stmt);
    llvm::SmallVector<Value> args;
    for (const ast::Expr *arg : program.arguments.lookup(&stmt))
      args.push_back(expr(*arg));
    GotoOp::create(builder, loc, jump.node.text, args);
    return false;
  }
  case NodeKind::SleepStmt: {
    Value value = expr(*cast<ast::SleepStmt>(stmt).value);
    StepAttrs at = step(stmt, {"sleep"});
    SleepOp::create(builder, loc, value, at.segment, at.hash, at.was,
                    at.onChange);
    return true;
  }
  case NodeKind::EmitStmt: {
    const ast::Expr &source = *cast<ast::EmitStmt>(stmt).value;
    Value value = expr(source);
    StepAttrs at = step(stmt, {"emit", ast::structure(source)});
    EmitOp::create(builder, loc, value, at.segment, at.hash, at.was,
                   at.onChange);
    return true;
  }
  case NodeKind::MockStmt: {
    const auto &mock = cast<ast::MockStmt>(stmt);
    MockOp::create(builder, loc, mock.model.text,
                   program.mockFiles.lookup(&stmt));
    return true;
  }
  case NodeKind::ExprStmt: {
    const ast::Expr &value = *cast<ast::ExprStmt>(stmt).expr;
    const auto *call = dyn_cast<ast::CallExpr>(&value);
    const auto *callee = call ? dyn_cast<ast::NameRef>(call->callee) : nullptr;
    if (callee && callee->name.text == "expect" &&
        info(*call).callee == Callee::Library && result == nullptr)
      testCall(*call);
    else
      expr(value);
    return true;
  }
  default:
    llvm_unreachable("a statement of an agent");
  }
}

static const ast::Expr *named(const ast::CallExpr &call, llvm::StringRef name) {
  for (const ast::Arg &arg : call.args)
    if (arg.name.text == name)
      return arg.value;
  return nullptr;
}

static llvm::SmallVector<const ast::Expr *>
positional(const ast::CallExpr &call) {
  llvm::SmallVector<const ast::Expr *> list;
  for (const ast::Arg &arg : call.args)
    if (!arg.name)
      list.push_back(arg.value);
  return list;
}

static llvm::StringRef sourceOf(llvm::SMRange range) {
  const char *begin = range.Start.getPointer();
  return {begin, size_t(range.End.getPointer() - begin)};
}

Value BodyLowering::randomTensor(const ast::CallExpr &call) {
  llvm::SmallVector<Value> sizes;
  for (const ast::Expr *size :
       cast<ast::ListExpr>(positional(call).front())->elements)
    sizes.push_back(expr(*size));
  const ast::Expr *seed = named(call, "seed");
  Value number = seed ? expr(*seed) : integer(0);
  return RandomTensorOp::create(builder, loc, type(typeOf(call)), sizes,
                                number);
}

/// Without bounds the two may differ by 1e-5; with one, the other is 0.
void BodyLowering::expectClose(const ast::CallExpr &call) {
  auto sides = positional(call);
  std::string words =
      (sourceOf(sides[0]->range) + " and " + sourceOf(sides[1]->range)).str();
  Value actual = expr(*sides[0]), expected = expr(*sides[1]);
  const ast::Expr *atol = named(call, "atol"), *rtol = named(call, "rtol");
  auto bound = [&](const ast::Expr *given, double otherwise) -> Value {
    if (given)
      return expr(*given);
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF64FloatAttr(otherwise));
  };
  Value absolute = bound(atol, rtol ? 0 : 1e-5), relative = bound(rtol, 0);
  ExpectCloseOp::create(builder, loc, actual, expected, words, absolute,
                        relative);
}

/// `expect(condition)`: the sides of a comparison are shown as well.
void BodyLowering::testCall(const ast::CallExpr &call) {
  const ast::Expr &source = *call.args[0].value;
  std::string words = sourceOf(source.range).str();
  llvm::SmallVector<Value> sides;
  Value condition;
  if (const auto *comparison = dyn_cast<ast::CompareExpr>(&source)) {
    Value left, right;
    condition = compare(*comparison, &left, &right);
    sides = {left, right};
  } else {
    condition = expr(source);
  }
  ExpectOp::create(builder, loc, condition, words, sides);
}
