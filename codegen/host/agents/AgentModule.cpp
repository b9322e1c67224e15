//===- AgentModule.cpp - What the functions of a program share ------------===//

#include "codegen/host/agents/AgentModule.h"
#include "codegen/host/AttributeJson.h"
#include "codegen/host/GraphLowering.h"
#include "dialect/Agt/Attributes.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;
using namespace agt;
using namespace agt::host;
namespace json = llvm::json;

std::string agt::host::agentSymbol(llvm::StringRef name) {
  return ("agt.agent." + name).str();
}
std::string agt::host::startSymbol(llvm::StringRef agent) {
  return (agent + "_start").str();
}
std::string agt::host::fnSymbol(llvm::StringRef name) {
  return ("agt.fn." + name).str();
}
std::string agt::host::requestSymbol(llvm::StringRef tool) {
  return ("agt.request." + tool).str();
}
std::string agt::host::reconcileSymbol(llvm::StringRef tool) {
  return ("agt.reconcile." + tool).str();
}
std::string agt::host::testSymbol(size_t index) {
  return "agt.test." + std::to_string(index);
}

AgentModule::AgentModule(ModuleOp module) : root(module) {
  for (LlmOp llm : module.getOps<LlmOp>())
    llms.try_emplace(llm.getSymName(), llms.size());
  for (ToolOp tool : module.getOps<ToolOp>())
    tools.try_emplace(tool.getSymName(), tools.size());
  for (AgentOp agent : module.getOps<AgentOp>())
    agents.try_emplace(agent.getSymName(), agents.size());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type AgentModule::fieldType(RecordType record, uint64_t index) {
  auto decl = root.lookupSymbol<RecordTypeOp>(record.getName());
  return cast<TypeAttr>(decl.getTypes()[index]).getValue();
}

json::Object AgentModule::describeRecord(RecordType type) {
  llvm::StringRef name = type.getName();
  MLIRContext *context = root.getContext();
  json::Array fields;
  auto add = [&](llvm::StringRef field, Type fieldType,
                 DictionaryAttr settings) {
    json::Object object{{"name", field}, {"type", typeIndex(fieldType)}};
    addSettings(object, settings);
    fields.push_back(std::move(object));
  };
  json::Object object{{"kind", "record"}, {"name", name}};
  Type text = StringType::get(context);
  if (auto decl = root.lookupSymbol<RecordTypeOp>(name)) {
    for (auto [field, fieldType] :
         llvm::zip_equal(decl.getFields().getAsRange<StringAttr>(),
                         decl.getTypes().getAsValueRange<TypeAttr>()))
      add(field.getValue(), fieldType,
          decl.getSettings()
              ? decl.getSettings()->getAs<DictionaryAttr>(field.getValue())
              : DictionaryAttr());
    if (decl.getDoc())
      object["doc"] = *decl.getDoc();
  } else if (name == "Output") {
    add("ok", IntegerType::get(context, 1), {});
    add("exit", IntegerType::get(context, 64), {});
    add("stdout", text, {});
    add("stderr", text, {});
  } else if (name == "Message") {
    add("role", text, {});
    add("text", text, {});
  } else {
    add("step", text, {});
    add("message", text, {});
  }
  object["fields"] = std::move(fields);
  return object;
}

static json::Object kindOnly(llvm::StringRef kind) {
  return json::Object{{"kind", kind}};
}

json::Object AgentModule::describeType(Type type) {
  auto of = [&](llvm::StringRef kind, Type element) {
    return json::Object{{"kind", kind}, {"of", typeIndex(element)}};
  };
  if (type.isSignlessInteger(1))
    return kindOnly("bool");
  if (type.isSignlessInteger(64))
    return kindOnly("int");
  if (type.isF64())
    return kindOnly("float");
  if (isa<StringType>(type))
    return kindOnly("string");
  if (isa<BytesType>(type))
    return kindOnly("bytes");
  if (isa<DurationType>(type))
    return kindOnly("duration");
  if (isa<ContextType>(type))
    return kindOnly("context");
  if (auto option = dyn_cast<OptionType>(type))
    return of("option", option.getElement());
  if (auto handle = dyn_cast<HandleType>(type))
    return of("handle", handle.getElement());
  if (auto result = dyn_cast<ResultType>(type))
    return of("result", result.getElement());
  if (auto list = dyn_cast<ListType>(type)) {
    json::Object object = of("list", list.getElement());
    if (list.getMax() >= 0)
      object["max"] = list.getMax();
    return object;
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    json::Array elements;
    for (Type element : tuple.getTypes())
      elements.push_back(typeIndex(element));
    return json::Object{{"kind", "tuple"}, {"of", std::move(elements)}};
  }
  if (auto record = dyn_cast<RecordType>(type))
    return describeRecord(record);
  auto decl = root.lookupSymbol<EnumTypeOp>(cast<EnumType>(type).getName());
  json::Array values;
  for (StringAttr value : decl.getValues().getAsRange<StringAttr>())
    values.push_back(value.getValue());
  return json::Object{{"kind", "enum"},
                      {"name", decl.getSymName()},
                      {"values", std::move(values)}};
}

// A record may hold itself behind an option or a list: its number is taken
// before its fields are described.
uint32_t AgentModule::typeIndex(Type type) {
  auto [entry, fresh] = typeNumbers.try_emplace(type, types.size());
  uint32_t number = entry->second;
  if (!fresh)
    return number;
  types.emplace_back();
  types[number] = describeType(type);
  return number;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::string AgentModule::text(llvm::StringRef bytes) {
  std::string &name = texts[bytes];
  if (!name.empty())
    return name;
  name = "agt.words." + std::to_string(texts.size() - 1);
  std::string whole = bytes.str() + '\0';
  OpBuilder builder = OpBuilder::atBlockBegin(root.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), whole.size());
  LLVM::GlobalOp::create(builder, root.getLoc(), type, /*isConstant=*/true,
                         LLVM::Linkage::Internal, name,
                         builder.getStringAttr(whole));
  return name;
}

std::string AgentModule::site(Operation *step) {
  auto attribute = [&](llvm::StringRef name) -> llvm::StringRef {
    auto value = step->getAttrOfType<StringAttr>(name);
    return value ? value.getValue() : "";
  };
  std::string name = "agt.site." + std::to_string(sites++);
  std::string texts[] = {text(attribute("segment")),
                         attribute("was").empty() ? "" : text(attribute("was")),
                         text(attribute("hash")),
                         text(placeOf(step->getLoc()))};
  llvm::StringRef change = attribute("on_change");
  int64_t onChange = change == "keep" ? 1 : change == "rerun" ? 2 : 0;

  OpBuilder builder = OpBuilder::atBlockBegin(root.getBody());
  Location loc = step->getLoc();
  auto ptr = LLVM::LLVMPointerType::get(root.getContext());
  auto type = LLVM::LLVMStructType::getLiteral(
      root.getContext(), {ptr, ptr, ptr, ptr, builder.getI32Type()});
  auto global =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  builder.createBlock(&global.getInitializerRegion());
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [i, symbol] : llvm::enumerate(texts)) {
    Value address =
        symbol.empty()
            ? Value(LLVM::ZeroOp::create(builder, loc, ptr))
            : Value(LLVM::AddressOfOp::create(builder, loc, ptr, symbol));
    value = LLVM::InsertValueOp::create(builder, loc, value, address,
                                        llvm::ArrayRef<int64_t>{int64_t(i)});
  }
  Value number = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                          builder.getI32IntegerAttr(onChange));
  value = LLVM::InsertValueOp::create(builder, loc, value, number,
                                      llvm::ArrayRef<int64_t>{4});
  LLVM::ReturnOp::create(builder, loc, value);
  return name;
}

std::string AgentModule::branchName(llvm::StringRef owner) {
  return (owner + ".branch." + llvm::Twine(branches++)).str();
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

json::Value AgentModule::toJson(Attribute attribute) {
  return attributeJson(attribute, [&](FlatSymbolRefAttr symbol) -> json::Value {
    return toolIndex(symbol.getValue());
  });
}

void AgentModule::addSettings(json::Object &object, DictionaryAttr settings) {
  if (!settings)
    return;
  for (NamedAttribute entry : settings)
    object[entry.getName().getValue()] = toJson(entry.getValue());
}

json::Array AgentModule::params(ArrayRef<Type> types,
                                llvm::function_ref<std::string(size_t)> name) {
  json::Array array;
  for (auto [i, type] : llvm::enumerate(types))
    array.push_back(json::Object{{"name", name(i)}, {"type", typeIndex(type)}});
  return array;
}

json::Object AgentModule::describe(LlmOp llm) {
  json::Object object{{"name", llm.getSymName()}, {"kind", llm.getKind()}};
  addSettings(object, llm.getSettingsAttr());
  return object;
}

json::Object AgentModule::describe(ToolOp tool) {
  FunctionType type = tool.getFunctionType();
  json::Object object{
      {"name", tool.getSymName()},
      {"kind", tool.getKind()},
      {"effect", tool.getEffect()},
      {"params", params(type.getInputs(),
                        [&](size_t i) {
                          return cast<StringAttr>(tool.getParams()[i]).str();
                        })},
      {"result", typeIndex(type.getResult(0))}};
  if (tool.getDoc())
    object["doc"] = *tool.getDoc();
  addSettings(object, tool.getSettingsAttr());
  return object;
}

json::Object AgentModule::describe(AgentOp agent) {
  FunctionType type = agent.getFunctionType();
  json::Object object{
      {"name", agent.getSymName()},
      {"params", params(type.getInputs(),
                        [&](size_t i) {
                          auto name =
                              agent.getArgAttrOfType<StringAttr>(i, kName);
                          return name ? name.str() : "arg" + std::to_string(i);
                        })},
      {"result", typeIndex(type.getResult(0))}};
  if (agent.getDoc())
    object["doc"] = *agent.getDoc();
  addSettings(object, agent.getSettingsAttr());
  return object;
}

json::Array AgentModule::secrets() {
  std::set<std::string> names;
  AttrTypeWalker settings;
  settings.addWalk([&](DictionaryAttr dictionary) {
    if (auto name = dictionary.getAs<StringAttr>("secret");
        name && dictionary.size() == 1)
      names.insert(name.str());
  });
  root.walk([&](Operation *op) {
    if (isa<LlmOp, ToolOp>(op))
      settings.walk(op->getAttrDictionary());
    auto read = dyn_cast<EnvironmentOp>(op);
    if (!read || read.getKind() != "secret")
      return;
    // A name that is computed is known when it is read, and hidden then.
    if (auto name = read.getName().getDefiningOp<LiteralOp>())
      if (auto text = dyn_cast<StringAttr>(name.getValue()))
        names.insert(text.str());
  });
  return json::Array(names);
}

std::string AgentModule::declarations() {
  json::Array llmList, toolList, agentList, typeList;
  for (LlmOp llm : root.getOps<LlmOp>())
    llmList.push_back(describe(llm));
  for (ToolOp tool : root.getOps<ToolOp>())
    toolList.push_back(describe(tool));
  for (AgentOp agent : root.getOps<AgentOp>())
    agentList.push_back(describe(agent));
  for (std::optional<json::Object> &type : types)
    typeList.push_back(std::move(*type));
  json::Value whole = json::Object{{"types", std::move(typeList)},
                                   {"llms", std::move(llmList)},
                                   {"tools", std::move(toolList)},
                                   {"secrets", secrets()},
                                   {"agents", std::move(agentList)}};
  return llvm::formatv("{0}", whole);
}
