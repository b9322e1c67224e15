// The table of types: how it is read, named and shown as JSON Schema.
#include "runtime/Value/Types.h"

#include "runtime/Support/Failure.h"

#include <map>

namespace agt::rt {

static TypeKind kindNamed(const std::string &name) {
  static const std::map<std::string, TypeKind> kinds = {
      {"bool", TypeKind::Bool},       {"int", TypeKind::Int},
      {"float", TypeKind::Float},     {"string", TypeKind::String},
      {"bytes", TypeKind::Bytes},     {"duration", TypeKind::Duration},
      {"context", TypeKind::Context}, {"option", TypeKind::Option},
      {"list", TypeKind::List},       {"record", TypeKind::Record},
      {"enum", TypeKind::Enum},       {"handle", TypeKind::Handle},
      {"result", TypeKind::Result},   {"tuple", TypeKind::Tuple}};
  auto found = kinds.find(name);
  if (found == kinds.end())
    fail(AGT_FAILED, "the program's declarations are damaged: no kind of type "
                     "is called '" +
                         name + "'");
  return found->second;
}

static std::optional<double> bound(const Json &field, const char *key) {
  auto found = field.find(key);
  if (found == field.end())
    return std::nullopt;
  return found->get<double>();
}

static void readRecord(Type &type, const Json &json) {
  std::vector<std::string> names;
  for (const Json &field : json.at("fields")) {
    type.fields.push_back({field.at("name"), field.at("type"),
                           field.value("doc", ""), bound(field, "min"),
                           bound(field, "max")});
    names.push_back(type.fields.back().name);
  }
  type.shape = std::make_unique<Shape>(names);
}

Types::Types(const Json &list) {
  for (const Json &json : list) {
    Type type;
    type.kind = kindNamed(json.at("kind"));
    type.name = json.value("name", "");
    type.doc = json.value("doc", "");
    if (json.contains("max"))
      type.max = json["max"].get<int64_t>();
    if (type.kind == TypeKind::Tuple)
      type.elements = json.at("of").get<std::vector<uint32_t>>();
    else if (json.contains("of"))
      type.of = json["of"].get<uint32_t>();
    if (type.kind == TypeKind::Record)
      readRecord(type, json);
    if (type.kind == TypeKind::Enum)
      type.values = json.at("values").get<std::vector<std::string>>();
    types.push_back(std::move(type));
  }
}

uint32_t Types::find(TypeKind kind) const {
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i].kind == kind)
      return uint32_t(i);
  return AGT_NO_INDEX;
}

const Type &Types::at(uint32_t index) const {
  if (index >= types.size())
    fail(AGT_FAILED, "the program's declarations are damaged: there is no "
                     "type " +
                         std::to_string(index));
  return types[index];
}

std::string Types::text(uint32_t index) const {
  const Type &type = at(index);
  switch (type.kind) {
  case TypeKind::Bool:
    return "bool";
  case TypeKind::Int:
    return "int";
  case TypeKind::Float:
    return "float";
  case TypeKind::String:
    return "string";
  case TypeKind::Bytes:
    return "bytes";
  case TypeKind::Duration:
    return "duration";
  case TypeKind::Context:
    return "context";
  case TypeKind::Option:
    return text(type.of) + "?";
  case TypeKind::List:
    return "list<" + text(type.of) +
           (type.max ? ", max " + std::to_string(*type.max) : "") + ">";
  case TypeKind::Handle:
    return "handle<" + text(type.of) + ">";
  case TypeKind::Result:
    return "result<" + text(type.of) + ">";
  case TypeKind::Tuple: {
    std::string all = "(";
    for (size_t i = 0; i < type.elements.size(); ++i)
      all += (i ? ", " : "") + text(type.elements[i]);
    return all + ")";
  }
  case TypeKind::Record:
  case TypeKind::Enum:
    return type.name;
  }
  return "";
}

namespace {

// Records may contain themselves (through lists and options), so each becomes
// a definition that is referred to; a schema without records needs none.
class SchemaWriter {
public:
  explicit SchemaWriter(const Types &types) : types(types) {}

  Json write(uint32_t index) {
    Json root = schemaOf(index);
    if (!definitions.empty())
      root["$defs"] = definitions;
    return root;
  }

private:
  Json schemaOf(uint32_t index) {
    const Type &type = types.at(index);
    switch (type.kind) {
    case TypeKind::Bool:
      return {{"type", "boolean"}};
    case TypeKind::Int:
      return {{"type", "integer"}};
    case TypeKind::Duration:
      return {{"type", "integer"}, {"description", "nanoseconds"}};
    case TypeKind::Float:
      return {{"type", "number"}};
    case TypeKind::Option:
      return {{"anyOf", {schemaOf(type.of), {{"type", "null"}}}}};
    case TypeKind::List: {
      Json list = {{"type", "array"}, {"items", schemaOf(type.of)}};
      if (type.max)
        list["maxItems"] = *type.max;
      return list;
    }
    case TypeKind::Enum: {
      Json all = {{"type", "string"}, {"enum", type.values}};
      if (!type.doc.empty())
        all["description"] = type.doc;
      return all;
    }
    case TypeKind::Record:
      return reference(index, type);
    case TypeKind::Tuple: {
      Json items = Json::array();
      for (uint32_t element : type.elements)
        items.push_back(schemaOf(element));
      return {{"type", "array"},
              {"prefixItems", items},
              {"minItems", items.size()},
              {"maxItems", items.size()}};
    }
    case TypeKind::Handle:
      return schemaOf(type.of); // a model writes the text, we keep it
    case TypeKind::Result:
    case TypeKind::Context:
      return {{"type", "object"}};
    case TypeKind::String:
    case TypeKind::Bytes:
      return {{"type", "string"}};
    }
    return Json::object();
  }

  Json reference(uint32_t index, const Type &type) {
    if (!definitions.contains(type.name)) {
      definitions[type.name] = Json::object(); // ends the recursion
      Json properties = Json::object(), required = Json::array();
      for (const Type::Field &field : type.fields) {
        Json schema = schemaOf(field.type);
        if (field.min)
          schema["minimum"] = *field.min;
        if (field.max)
          schema["maximum"] = *field.max;
        if (!field.doc.empty())
          schema["description"] = field.doc;
        properties[field.name] = schema;
        required.push_back(field.name);
      }
      Json record = {{"type", "object"},
                     {"properties", properties},
                     {"required", required},
                     {"additionalProperties", false}};
      if (!type.doc.empty())
        record["description"] = type.doc;
      definitions[type.name] = record;
    }
    return {{"$ref", "#/$defs/" + type.name}};
  }

  const Types &types;
  Json definitions = Json::object();
};

} // namespace

Json Types::schema(uint32_t type) const {
  return SchemaWriter(*this).write(type);
}

} // namespace agt::rt
