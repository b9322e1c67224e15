// Calls: fns, tools, children, the library; and the fields of tools.
#include "frontend/Lower/Agent/BodyLowering.h"
#include "frontend/Lower/GraphLowering.h"
#include "frontend/Sema/Agent/Library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace agt;
using namespace agt::sema::agents;
using namespace mlir;
using llvm::cast;
using llvm::dyn_cast;
using Kind = sema::agents::Type::Kind;

std::string BodyLowering::signature(llvm::ArrayRef<Param> params, Type result) {
  std::string text;
  for (const Param &param : params)
    text += param.name.str() + ":" + module.meaning(param.type) + ",";
  return text + "->" + module.meaning(result);
}

BodyLowering::StepAttrs BodyLowering::step(const ast::Node &node,
                                           llvm::ArrayRef<std::string> meaning,
                                           llvm::StringRef onChange) {
  std::string segment = info(node).segment;
  if (segment.empty()) {
    // In a test, where steps have no names of their own.
    unsigned number = ++testCalls[meaning[1]];
    segment = meaning[1] + (number > 1 ? "." + std::to_string(number) : "");
  }
  StepAttrs attrs;
  attrs.segment = builder.getStringAttr(segment);
  attrs.hash = builder.getStringAttr(stepHash(meaning));
  if (!info(node).was.empty())
    attrs.was = builder.getStringAttr(info(node).was);
  if (!onChange.empty() && onChange != "fail")
    attrs.onChange = builder.getStringAttr(onChange);
  return attrs;
}

static llvm::StringRef word(OnChange onChange) {
  return onChange == OnChange::Keep    ? "keep"
         : onChange == OnChange::Rerun ? "rerun"
                                       : "";
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

/// sort(list, by = FIELD, desc = b): the field as its index, or none.
Value BodyLowering::sort(const ast::CallExpr &call, Value list) {
  mlir::Type maybe =
      OptionType::get(builder.getContext(), builder.getI64Type());
  Value field, descending;
  Type element = typeOf(*call.args[0].value)->element;
  for (const ast::Arg &arg : call.args) {
    if (!arg.name)
      continue;
    if (arg.name.text == "desc") {
      descending = expr(*arg.value);
      continue;
    }
    llvm::StringRef name = cast<ast::NameRef>(arg.value)->name.text;
    for (auto [i, entry] : llvm::enumerate(element->record->fields))
      if (entry.name == name)
        field = convert(integer(i), maybe);
  }
  if (!field)
    field = NoneOp::create(builder, loc, maybe);
  if (!descending)
    descending = boolean(false);
  return LibraryOp::create(builder, loc, list.getType(), "sort",
                           ValueRange{list, field, descending});
}

Value BodyLowering::library(const ast::CallExpr &call) {
  llvm::StringRef name = cast<ast::NameRef>(call.callee)->name.text;
  Type own = typeOf(call);
  if (name == "expect") {
    testCall(call);
    return boolean(true);
  }
  if (name == "randn")
    return randomTensor(call);
  if (name == "expect_close") {
    expectClose(call);
    return boolean(true);
  }
  if (name == "calls") {
    const ast::Decl *decl = info(call).decl;
    const ToolInfo *tool = program.toolOf.lookup(decl);
    return CallsOp::create(builder, loc, builder.getI64Type(),
                           tool ? llvm::StringRef(tool->name)
                                : decl->name.text);
  }
  llvm::SmallVector<Value> args;
  for (const ast::Arg &arg : call.args)
    if (!arg.name) {
      // Lists that meet hold the same elements: `[]` takes its neighbours'.
      bool meets = name == "concat";
      Value value = meets ? exprPlain(*arg.value, own) : expr(*arg.value);
      args.push_back(value);
    }
  if (name == "sort")
    return sort(call, args.front());
  if (name == "concat") {
    Value whole = args.front();
    for (Value next : llvm::drop_begin(args))
      whole = arithmetic(ast::ChainOp::Add, whole, next);
    return convert(whole, type(own));
  }
  if (name == "sum" && own->is(Kind::Float))
    name = "sum_float";
  return LibraryOp::create(builder, loc, type(own), name, args);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value BodyLowering::call(const ast::CallExpr &call) {
  const NodeInfo &known = info(call);
  mlir::Type own = type(typeOf(call));
  Location at = loc;
  llvm::SmallVector<Value> args;
  auto declared = program.arguments.find(&call);
  if (declared != program.arguments.end())
    for (const ast::Expr *arg : declared->second)
      args.push_back(expr(*arg));
  loc = at;
  switch (known.callee) {
  case Callee::Fn:
    return CallFnOp::create(builder, loc, own, known.decl->name.text, args);
  case Callee::Tool: {
    const ToolInfo &tool = *program.toolOf.lookup(known.decl);
    StepAttrs attrs =
        step(call,
             {"tool", tool.name, signature(tool.params, tool.result),
              effectName(*tool.effect).str()},
             word(tool.onChange));
    return CallToolOp::create(
        builder, loc, own,
        FlatSymbolRefAttr::get(builder.getContext(), tool.name), args,
        attrs.segment, attrs.hash, attrs.was, attrs.onChange);
  }
  case Callee::Agent: {
    const AgentInfo &agent = *program.agentOf.lookup(known.decl);
    StepAttrs attrs = step(call, {"agent", known.decl->name.text.str(),
                                  signature(agent.params, agent.result)});
    return CallAgentOp::create(
        builder, loc, own,
        FlatSymbolRefAttr::get(builder.getContext(), known.decl->name.text),
        args, attrs.segment, attrs.hash, attrs.was, attrs.onChange);
  }
  case Callee::Graph: {
    const auto &graph = *cast<ast::GraphDecl>(known.decl);
    std::string callee = known.onSingle && graph.mesh
                             ? singleName(graph.name.text)
                             : graph.name.text.str();
    return RunGraphOp::create(
        builder, loc, own, FlatSymbolRefAttr::get(builder.getContext(), callee),
        args);
  }
  case Callee::Recorded: {
    llvm::StringRef name = cast<ast::NameRef>(call.callee)->name.text;
    for (const ast::Arg &arg : call.args)
      args.push_back(expr(*arg.value));
    StepAttrs attrs =
        step(call, {"observe", name.str(), module.meaning(typeOf(call))});
    return ObserveOp::create(builder, loc, own, builder.getStringAttr(name),
                             args, attrs.segment, attrs.hash, attrs.was,
                             attrs.onChange);
  }
  case Callee::Rerank:
    return rerank(call);
  case Callee::Prefix:
    return prefix(call);
  case Callee::Environment: {
    llvm::StringRef name = cast<ast::NameRef>(call.callee)->name.text;
    Value argument = expr(*call.args[0].value);
    return EnvironmentOp::create(builder, loc, own, name, argument);
  }
  default:
    return library(call);
  }
}

//===----------------------------------------------------------------------===//
// Fields of tools
//===----------------------------------------------------------------------===//

/// A program that is named by a path is relative to the source.
static std::string programPath(const llvm::StringRef path,
                               llvm::StringRef source) {
  if (!path.contains('/') || llvm::sys::path::is_absolute(path))
    return path.str();
  llvm::SmallString<128> whole(llvm::sys::path::parent_path(source));
  llvm::sys::path::append(whole, path);
  llvm::sys::fs::make_absolute(whole);
  llvm::sys::path::remove_dots(whole, /*remove_dot_dot=*/true);
  return whole.str().str();
}

void BodyLowering::lowerRequest(const ToolInfo &tool, Region &region) {
  std::vector<const Local *> locals = tool.locals;
  locals.push_back(tool.token);
  begin(region, locals);
  MLIRContext *context = builder.getContext();
  auto string = StringType::get(context);
  auto optional = [&](const ast::Expr *source) -> Value {
    if (!source)
      return NoneOp::create(builder, loc, OptionType::get(context, string));
    return expr(*source);
  };
  llvm::SmallVector<Value> parts;
  if (tool.server) {
    // Its arguments are all that it is sent.
  } else if (tool.argv) {
    const auto &list = cast<ast::ListExpr>(*tool.argv);
    llvm::SmallVector<Value> argv;
    for (const ast::Expr *element : list.elements) {
      const auto *literal = dyn_cast<ast::StringLit>(element);
      if (argv.empty() && literal && literal->constant()) {
        Location at = module.locations.get(element->range);
        auto range = dyn_cast<FileLineColRange>(at);
        argv.push_back(text(programPath(*literal->constant(),
                                        range ? range.getFilename().getValue()
                                              : llvm::StringRef())));
        continue;
      }
      argv.push_back(expr(*element));
    }
    parts.push_back(
        MakeOp::create(builder, loc, ListType::get(context, string, -1), argv));
    parts.push_back(optional(tool.stdinText));
  } else {
    parts.push_back(expr(*tool.url));
    parts.push_back(optional(tool.body));
    auto pair = TupleType::get(context, {string, string});
    llvm::SmallVector<Value> headers;
    for (const auto &[name, value] : tool.headers) {
      Value key = text(name), content = expr(*value);
      headers.push_back(
          MakeOp::create(builder, loc, pair, ValueRange{key, content}));
    }
    parts.push_back(MakeOp::create(builder, loc,
                                   ListType::get(context, pair, -1), headers));
  }
  ResultOp::create(builder, loc, parts);
}

void BodyLowering::lowerReconcile(const ToolInfo &tool, Region &region) {
  std::vector<const Local *> locals = tool.locals;
  locals.push_back(tool.token);
  begin(region, locals);
  llvm::SmallVector<Value> args;
  for (const ast::Value *arg : tool.reconcileArgs)
    args.push_back(expr(*arg->expr));
  ResultOp::create(builder, loc, args);
}
