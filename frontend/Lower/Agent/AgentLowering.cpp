#include "frontend/Lower/Agent/AgentLowering.h"
#include "dialect/Agt/Attributes.h"
#include "frontend/Lower/Agent/BodyLowering.h"
#include "frontend/Lower/GraphLowering.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SHA256.h"

#include <functional>

using namespace agt;
using namespace agt::sema::agents;
using namespace mlir;
using Kind = sema::agents::Type::Kind;

std::string agt::stepHash(llvm::ArrayRef<std::string> parts) {
  llvm::SHA256 hash;
  for (const std::string &part : parts) {
    uint8_t length[8];
    for (unsigned i = 0; i < 8; ++i)
      length[i] = uint64_t(part.size()) >> (8 * i);
    hash.update(llvm::ArrayRef<uint8_t>(length));
    hash.update(part);
  }
  std::array<uint8_t, 32> digest = hash.final();
  return llvm::toHex(llvm::ArrayRef<uint8_t>(digest).take_front(8),
                     /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

mlir::Type AgentLowering::type(const sema::agents::Type *t) {
  MLIRContext *context = builder.getContext();
  switch (t->kind) {
  case Kind::Bool:
    return builder.getI1Type();
  case Kind::Nothing: // the elements of a list that has none
  case Kind::Int:
    return builder.getI64Type();
  case Kind::Float:
    return builder.getF64Type();
  case Kind::String:
    return StringType::get(context);
  case Kind::Bytes:
    return BytesType::get(context);
  case Kind::Duration:
    return DurationType::get(context);
  case Kind::Context:
    return ContextType::get(context);
  case Kind::None:
    return OptionType::get(context, builder.getI64Type());
  case Kind::Option:
    return OptionType::get(context, type(t->element));
  case Kind::List:
    return ListType::get(context, type(t->element), t->max.value_or(-1));
  case Kind::Handle:
    return HandleType::get(context, type(t->element));
  case Kind::Result:
    return ResultType::get(context, type(t->element));
  case Kind::Tuple: {
    llvm::SmallVector<mlir::Type> types;
    for (const sema::agents::Type *element : t->elements)
      types.push_back(type(element));
    return TupleType::get(context, types);
  }
  case Kind::Record:
    return RecordType::get(context, t->record->name);
  case Kind::Enum:
    return EnumType::get(context, t->enumeration->name.text);
  case Kind::Tensor: // Tensors with a size known and not known meet.
    return RankedTensorType::get(
        llvm::SmallVector<int64_t>(t->shape.size(), ShapedType::kDynamic),
        elementType(t->dtype, builder));
  case Kind::Error:
    break;
  }
  llvm_unreachable("a type of a program without errors");
}

std::string AgentLowering::meaning(const sema::agents::Type *t) {
  llvm::StringSet<> seen;
  std::function<std::string(const sema::agents::Type *)> text =
      [&](const sema::agents::Type *t) -> std::string {
    std::string result = t->str();
    if (t->element)
      return result + "(" + text(t->element) + ")";
    if (t->is(Kind::Enum)) {
      for (const ast::Ident &value : t->enumeration->values)
        result += "|" + value.text.str();
    } else if (t->is(Kind::Record) && seen.insert(result).second) {
      for (const RecordField &field : t->record->fields) {
        result += "{" + field.name.str() + ":" + text(field.type);
        if (field.lower)
          result += " in " + std::to_string(*field.lower) + ".." +
                    std::to_string(*field.upper);
        result += "}";
      }
    }
    return result;
  };
  return text(t);
}

//===----------------------------------------------------------------------===//
// Records and enums
//===----------------------------------------------------------------------===//

void AgentLowering::lowerRecord(const RecordInfo &record) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<NamedAttribute> settings;
  for (const RecordField &field : record.fields) {
    names.push_back(field.name);
    types.push_back(type(field.type));
    llvm::SmallVector<NamedAttribute> entries;
    if (!field.doc.empty())
      entries.push_back(
          builder.getNamedAttr("doc", builder.getStringAttr(field.doc)));
    if (field.lower) {
      entries.push_back(
          builder.getNamedAttr("min", builder.getF64FloatAttr(*field.lower)));
      entries.push_back(
          builder.getNamedAttr("max", builder.getF64FloatAttr(*field.upper)));
    }
    if (!entries.empty())
      settings.push_back(
          builder.getNamedAttr(field.name, builder.getDictionaryAttr(entries)));
  }
  RecordTypeOp::create(
      builder, locations.get(record.decl->name.range), record.name,
      builder.getStrArrayAttr(names), builder.getTypeArrayAttr(types),
      record.doc.empty() ? StringAttr() : builder.getStringAttr(record.doc),
      settings.empty() ? DictionaryAttr()
                       : builder.getDictionaryAttr(settings));
}

void AgentLowering::lowerEnum(const ast::EnumDecl &decl) {
  llvm::SmallVector<llvm::StringRef> values;
  for (const ast::Ident &value : decl.values)
    values.push_back(value.text);
  EnumTypeOp::create(builder, locations.get(decl.name.range), decl.name.text,
                     builder.getStrArrayAttr(values),
                     decl.doc.empty() ? StringAttr()
                                      : builder.getStringAttr(decl.doc));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FunctionType AgentLowering::functionType(llvm::ArrayRef<Param> params,
                                         const sema::agents::Type *result) {
  llvm::SmallVector<mlir::Type> types;
  for (const Param &param : params)
    types.push_back(type(param.type));
  return builder.getFunctionType(types, type(result));
}

ArrayAttr AgentLowering::paramNames(llvm::ArrayRef<Param> params) {
  llvm::SmallVector<Attribute> names;
  for (const Param &param : params)
    names.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kName, builder.getStringAttr(param.name))));
  return builder.getArrayAttr(names);
}

static StringAttr docOf(Builder &builder, const ast::Decl &decl) {
  return decl.doc.empty() ? StringAttr() : builder.getStringAttr(decl.doc);
}

void AgentLowering::lowerTool(const ToolInfo &tool) {
  Location loc = locations.get(tool.decl->name.range);
  llvm::SmallVector<llvm::StringRef> names;
  for (const Param &param : tool.params)
    names.push_back(param.name);
  auto op =
      ToolOp::create(builder, loc, builder.getStringAttr(tool.name),
                     TypeAttr::get(functionType(tool.params, tool.result)),
                     builder.getStringAttr(tool.server ? "mcp"
                                           : tool.argv ? "exec"
                                                       : "http"),
                     builder.getStringAttr(effectName(*tool.effect)),
                     builder.getStrArrayAttr(names), docOf(builder, *tool.decl),
                     toolSettings(tool));
  OpBuilder::InsertionGuard guard(builder);
  BodyLowering(*this, loc).lowerRequest(tool, op.getRequest());
  if (tool.reconciler)
    BodyLowering(*this, loc).lowerReconcile(tool, op.getReconcile());
}

void AgentLowering::lowerFn(const FnInfo &fn) {
  Location loc = locations.get(fn.decl->name.range);
  auto op = FnOp::create(
      builder, loc, builder.getStringAttr(fn.decl->name.text),
      TypeAttr::get(functionType(fn.params, fn.result)), paramNames(fn.params),
      ArrayAttr(), docOf(builder, *fn.decl), StringAttr());
  OpBuilder::InsertionGuard guard(builder);
  BodyLowering body(*this, loc);
  body.begin(op.getBody(), fn.locals);
  body.lowerBody(fn.decl->body->stmts, fn.result);
}

void AgentLowering::lowerAgent(const AgentInfo &agent) {
  Location loc = locations.get(agent.decl->name.range);
  auto op = AgentOp::create(
      builder, loc, builder.getStringAttr(agent.decl->name.text),
      TypeAttr::get(functionType(agent.params, agent.result)),
      paramNames(agent.params), ArrayAttr(), docOf(builder, *agent.decl),
      agentSettings(agent), StringAttr());
  OpBuilder::InsertionGuard guard(builder);
  BodyLowering body(*this, loc);
  body.begin(op.getBody(), agent.locals);
  body.lowerAgent(agent);
}

void AgentLowering::lowerTest(const ast::TestDecl &test) {
  Location loc = locations.get(test.title->range);
  auto op = TestOp::create(builder, loc, *test.title->constant());
  OpBuilder::InsertionGuard guard(builder);
  BodyLowering body(*this, loc);
  body.begin(op.getBody(), {});
  body.lowerBody(test.body->stmts, nullptr);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

void AgentLowering::lower() {
  bool any = llvm::any_of(program.chosen, [](const ast::Decl *decl) {
    return isa<ast::AgentDecl, ast::ToolDecl, ast::LlmDecl, ast::FnDecl,
               ast::TestDecl>(decl);
  });
  if (!any)
    return;
  for (const RecordInfo &record : program.records)
    if (record.decl)
      lowerRecord(record);
  for (const ast::EnumDecl *decl : program.enums)
    lowerEnum(*decl);
  for (const ast::Decl *decl : program.chosen) {
    if (const LlmInfo *llm = program.llmOf.lookup(decl))
      lowerLlm(*llm);
    else if (const ToolInfo *tool = program.toolOf.lookup(decl))
      lowerTool(*tool);
    else if (const FnInfo *fn = program.fnOf.lookup(decl))
      lowerFn(*fn);
    else if (const AgentInfo *agent = program.agentOf.lookup(decl))
      lowerAgent(*agent);
    else if (const auto *test = dyn_cast<ast::TestDecl>(decl))
      lowerTest(*test);
  }
}
