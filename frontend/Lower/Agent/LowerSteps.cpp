// Steps of their own form: ask, approve, receive, fork, join.
#include "frontend/AST/Dump.h"
#include "frontend/Lower/Agent/BodyLowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema::agents;
using namespace mlir;
using llvm::cast;
using llvm::dyn_cast;
using Kind = sema::agents::Type::Kind;

//===----------------------------------------------------------------------===//
// ask, approve, receive
//===----------------------------------------------------------------------===//

Value BodyLowering::ask(const ast::AskExpr &ask) {
  Location at = loc;
  llvm::StringMap<Value> values;
  std::vector<std::string> meaning = {"ask", ask.model.text.str(),
                                      module.meaning(typeOf(ask))};
  Value prefix;
  if (ask.context) {
    prefix = load(info(ask).local);
    meaning.push_back("with:" + ask.context.text.str());
  }
  llvm::SmallVector<Attribute> tools;
  llvm::StringRef onChange;
  for (const ast::Prop *prop : ask.props->props) {
    llvm::StringRef name = prop->word.text;
    const ast::Expr &source = *prop->values.front()->expr;
    if (name == "on_change") {
      onChange = cast<ast::NameRef>(source).name.text;
      continue;
    }
    meaning.push_back(name.str() + ":" + ast::structure(source));
    if (name != "tools") {
      values[name] = expr(source);
      continue;
    }
    for (const ast::Expr *tool : cast<ast::ListExpr>(source).elements)
      tools.push_back(FlatSymbolRefAttr::get(
          builder.getContext(), program.toolOf.lookup(info(*tool).decl)->name));
  }
  loc = at;
  StepAttrs attrs = step(ask, meaning, onChange);
  return AskOp::create(
      builder, loc, type(typeOf(ask)),
      FlatSymbolRefAttr::get(builder.getContext(), ask.model.text), prefix,
      values.lookup("system"), values.lookup("user"), values.lookup("messages"),
      values.lookup("max"), values.lookup("temperature"),
      values.lookup("tokens"), values.lookup("seed"), values.lookup("stop"),
      tools.empty() ? ArrayAttr() : builder.getArrayAttr(tools), attrs.segment,
      attrs.hash, attrs.was, attrs.onChange);
}

Value BodyLowering::approve(const ast::ApproveExpr &approve) {
  Location at = loc;
  Value shown = expr(*approve.text), role = expr(*approve.role);
  Value within = expr(*approve.within);
  loc = at;
  StepAttrs attrs = step(approve, {"approve", ast::structure(*approve.text),
                                   ast::structure(*approve.role)});
  return ApproveOp::create(builder, loc, builder.getI1Type(), shown, role,
                           within, builder.getBoolAttr(approve.otherwise),
                           attrs.segment, attrs.hash, attrs.was,
                           attrs.onChange);
}

Value BodyLowering::receive(const ast::ReceiveExpr &receive) {
  Location at = loc;
  Value within = expr(*receive.within);
  loc = at;
  StepAttrs attrs = step(receive, {"receive", receive.name.text.str(),
                                   module.meaning(typeOf(receive))});
  return ReceiveOp::create(builder, loc, type(typeOf(receive)),
                           builder.getStringAttr(receive.name.text), within,
                           attrs.segment, attrs.hash, attrs.was,
                           attrs.onChange);
}

//===----------------------------------------------------------------------===//
// fork
//===----------------------------------------------------------------------===//

static llvm::StringRef policyName(const ast::ForkExpr &fork) {
  if (fork.clause(ast::ForkClause::PolicyCollect))
    return "collect";
  if (fork.clause(ast::ForkClause::PolicyQuorum))
    return "quorum";
  if (fork.clause(ast::ForkClause::PolicyFirst))
    return "first";
  return "all";
}

Value BodyLowering::fork(const ast::ForkExpr &fork) {
  Location at = loc;
  Value items = expr(*fork.list);
  Value least, width, max, deadline;
  for (const ast::ForkClause &clause : fork.clauses) {
    if (!clause.value || clause.kind == ast::ForkClause::Key)
      continue;
    Value value = expr(*clause.value);
    switch (clause.kind) {
    case ast::ForkClause::Width:
      width = value;
      break;
    case ast::ForkClause::Max:
      max = value;
      break;
    case ast::ForkClause::Deadline:
      deadline = value;
      break;
    default:
      least = value;
    }
  }
  const ast::ForkClause *key = fork.clause(ast::ForkClause::Key);
  llvm::StringRef policy = policyName(fork);
  Type outer = std::exchange(yielded, info(*fork.body).type);
  loc = at;
  StepAttrs attrs =
      step(fork, {"fork", policy.str(), module.meaning(yielded),
                  key ? ast::structure(*key->value) : std::string()});
  auto op = ForkOp::create(builder, loc, type(typeOf(fork)),
                           builder.getStringAttr(policy), least, items, width,
                           max, deadline, attrs.segment, attrs.hash, attrs.was,
                           attrs.onChange);
  OpBuilder::InsertionGuard guard(builder);
  const Local *variable = program.declared.lookup(&fork);
  if (key) {
    begin(op.getKeys(), variable);
    Value value = expr(*key->value);
    ResultOp::create(builder, loc, value);
  }
  begin(op.getBranch(), variable);
  op.getBranch().addArgument(builder.getI64Type(), at);
  blockRegion(op.getBranch(), *fork.body);
  yielded = outer;
  return op;
}

//===----------------------------------------------------------------------===//
// join
//===----------------------------------------------------------------------===//

static llvm::StringRef opName(ast::JoinOp::Kind kind) {
  switch (kind) {
  case ast::JoinOp::Flatten:
    return "flatten";
  case ast::JoinOp::Dedupe:
    return "dedupe";
  case ast::JoinOp::Rank:
    return "rank";
  case ast::JoinOp::Take:
    return "take";
  case ast::JoinOp::EvidenceHandles:
    return "evidence";
  case ast::JoinOp::Reduce:
    return "reduce";
  case ast::JoinOp::Budget:
    return "budget";
  }
  return "";
}

Value BodyLowering::join(const ast::JoinExpr &join) {
  Location at = loc;
  Value list = expr(*join.list);
  Type element = typeOf(*join.list)->element;
  if (element->is(Kind::Result))
    element = element->element;
  std::vector<std::string> meaning = {"join", module.meaning(typeOf(join))};
  llvm::SmallVector<Attribute> ops;
  llvm::SmallVector<Value> numbers;
  for (const ast::JoinOp &op : join.ops) {
    llvm::SmallVector<NamedAttribute> entries;
    auto add = [&](llvm::StringRef name, Attribute value) {
      entries.push_back(builder.getNamedAttr(name, value));
    };
    add("op", builder.getStringAttr(opName(op.kind)));
    std::string text = opName(op.kind).str();
    if (op.kind == ast::JoinOp::Flatten)
      element = element->element;
    if (op.field) {
      for (auto [i, field] : llvm::enumerate(element->record->fields))
        if (field.name == op.field.text)
          add("field", builder.getI64IntegerAttr(i));
      text += " " + op.field.text.str() + (op.descending ? " desc" : "");
    }
    if (op.descending)
      add("desc", builder.getUnitAttr());
    if (op.reducer) {
      add("with",
          FlatSymbolRefAttr::get(builder.getContext(), op.reducer.text));
      text += " " + op.reducer.text.str();
    }
    if (op.value) {
      numbers.push_back(expr(*op.value));
      text += " " + ast::structure(*op.value);
    }
    meaning.push_back(text);
    ops.push_back(builder.getDictionaryAttr(entries));
  }
  loc = at;
  StepAttrs attrs = step(join, meaning);
  return JoinOp::create(builder, loc, type(typeOf(join)), list,
                        builder.getArrayAttr(ops), numbers, attrs.segment,
                        attrs.hash, attrs.was, attrs.onChange);
}

Value BodyLowering::prefix(const ast::CallExpr &call) {
  Location at = loc;
  const ast::Expr &source = *call.args[1].value;
  Value text = expr(source);
  loc = at;
  std::string llm = info(call).decl->name.text.str();
  StepAttrs attrs = step(call, {"prefix", llm, ast::structure(source)});
  return PrefixOp::create(builder, loc, type(typeOf(call)),
                          FlatSymbolRefAttr::get(builder.getContext(), llm),
                          text, attrs.segment, attrs.hash, attrs.was,
                          attrs.onChange);
}

Value BodyLowering::rerank(const ast::CallExpr &call) {
  Location at = loc;
  llvm::SmallVector<Value> values; // the texts and the query
  Value take;
  for (const ast::Arg &arg : call.args) {
    if (!arg.name)
      values.push_back(expr(*arg.value));
    else if (arg.name.text == "take")
      take = expr(*arg.value);
  }
  loc = at;
  const ToolInfo *tool = program.toolOf.lookup(info(call).decl);
  std::string with = tool ? tool->name : info(call).decl->name.text.str();
  StepAttrs attrs = step(call, {"rerank", with, module.meaning(typeOf(call))});
  return RerankOp::create(
      builder, loc, type(typeOf(call)), values[0], values[1],
      FlatSymbolRefAttr::get(builder.getContext(), with), take, attrs.segment,
      attrs.hash, attrs.was, attrs.onChange);
}
