// See Schema.h. Schemas come from outside: references may go round in circles
// (a type and a schema are compared once, and fit while they are) and any
// keyword may be of any type (then it says nothing).
#include "runtime/Mcp/Schema.h"

#include <algorithm>
#include <map>
#include <set>

namespace agt::rt {

namespace {

constexpr int deepest = 100; // of what calls itself

const Json *member(const Json &schema, const char *key) {
  if (!schema.is_object())
    return nullptr;
  auto found = schema.find(key);
  return found == schema.end() ? nullptr : &*found;
}

std::string shown(const Json &schema) {
  std::string text = schema.dump();
  return text.size() <= 120 ? text : text.substr(0, 117) + "...";
}

// Follows a local reference: "#", "#/$defs/Point". NULL: one to elsewhere.
const Json *resolve(const Json &root, const std::string &reference) {
  if (reference.empty() || reference[0] != '#')
    return nullptr;
  try {
    return &root.at(Json::json_pointer(reference.substr(1)));
  } catch (const Json::exception &) {
    return nullptr;
  }
}

bool listHas(const Json *list, const std::string &word) {
  return list && list->is_array() &&
         std::find(list->begin(), list->end(), Json(word)) != list->end();
}

// The names that "type" gives; empty: any.
std::vector<std::string> typesOf(const Json &schema) {
  std::vector<std::string> names;
  const Json *type = member(schema, "type");
  if (type && type->is_string())
    names.push_back(type->get<std::string>());
  else if (type && type->is_array())
    for (const Json &name : *type)
      if (name.is_string())
        names.push_back(name.get<std::string>());
  return names;
}

class Comparison {
public:
  // Sent: every value of ours is the server's to take. Received: of what it
  // describes, ours is what we read.
  enum Direction { Sent, Received };

  Comparison(const Types &types, const Json &root, Direction direction)
      : types(types), root(root), direction(direction) {}

  /// "" or what does not fit, at `place`.
  std::string compare(uint32_t index, const Json &schema,
                      const std::string &place, int depth) {
    auto [entry, fresh] = known.try_emplace({&schema, index});
    if (!fresh || depth > deepest)
      return entry->second;
    return entry->second = compareNew(index, schema, place, depth);
  }

  std::string compareRecord(const std::vector<Type::Field> &fields,
                            const Json &schema, const std::string &place,
                            int depth);

private:
  std::string compareNew(uint32_t index, const Json &schema,
                         const std::string &place, int depth) {
    if (!schema.is_object())
      return schema.is_boolean() && !schema.get<bool>()
                 ? differs(index, schema, place)
                 : "";
    if (const Json *reference = member(schema, "$ref");
        reference && reference->is_string())
      if (const Json *target = resolve(root, reference->get<std::string>()))
        if (std::string why = compare(index, *target, place, depth + 1);
            !why.empty())
          return why;
    for (const char *key : {"anyOf", "oneOf"})
      if (const Json *all = member(schema, key);
          all && all->is_array() && !all->empty() &&
          std::none_of(all->begin(), all->end(), [&](const Json &one) {
            return compare(index, one, place, depth + 1).empty();
          }))
        return differs(index, schema, place);
    if (const Json *all = member(schema, "allOf"); all && all->is_array())
      for (const Json &one : *all)
        if (std::string why = compare(index, one, place, depth + 1);
            !why.empty())
          return why;
    return compareOwn(index, schema, place, depth);
  }

  std::string differs(uint32_t index, const Json &schema,
                      const std::string &place) const {
    return place + " is declared as " + types.text(index) +
           (direction == Sent ? ", the server takes " : ", the server gives ") +
           shown(schema);
  }

  // The names that JSON Schema has for what a type's JSON is.
  std::vector<std::string> namesOf(const Type &type) const {
    switch (type.kind) {
    case TypeKind::Bool:
      return {"boolean"};
    case TypeKind::Int:
    case TypeKind::Duration:
      // A float of the server may be a whole number; whether it is, is seen
      // when it comes.
      return {"integer", "number"};
    case TypeKind::Float:
      return direction == Sent ? std::vector<std::string>{"number"}
                               : std::vector<std::string>{"number", "integer"};
    case TypeKind::List:
    case TypeKind::Tuple:
      return {"array"};
    case TypeKind::Record:
      return {"object"};
    case TypeKind::Handle:
      return direction == Sent ? std::vector<std::string>{"object"}
                               : std::vector<std::string>{};
    case TypeKind::String:
    case TypeKind::Bytes:
    case TypeKind::Enum:
      return {"string"};
    default:
      return {};
    }
  }

  std::string compareOwn(uint32_t index, const Json &schema,
                         const std::string &place, int depth) {
    const Type &type = types.at(index);
    if (type.kind == TypeKind::Option)
      return compareOwn(type.of, schema, place, depth);
    std::vector<std::string> theirs = typesOf(schema), ours = namesOf(type);
    bool common =
        theirs.empty() || ours.empty() ||
        std::any_of(theirs.begin(), theirs.end(), [&](const std::string &name) {
          return std::find(ours.begin(), ours.end(), name) != ours.end();
        });
    if (!common || !enumFits(type, schema))
      return differs(index, schema, place);
    if (type.kind == TypeKind::List)
      if (const Json *items = member(schema, "items"))
        return compare(type.of, *items, "an element of " + place, depth + 1);
    if (type.kind == TypeKind::Record)
      return compareRecord(type.fields, schema, place, depth);
    return "";
  }

  // An enum of ours is sent whole; of a received one any value may do.
  bool enumFits(const Type &type, const Json &schema) const {
    const Json *values = member(schema, "enum");
    if (!values || !values->is_array())
      return true;
    if (type.kind != TypeKind::Enum)
      return type.kind != TypeKind::String ||
             std::any_of(values->begin(), values->end(),
                         [](const Json &value) { return value.is_string(); });
    auto has = [&](const std::string &name) { return listHas(values, name); };
    return direction == Sent
               ? std::all_of(type.values.begin(), type.values.end(), has)
               : std::any_of(type.values.begin(), type.values.end(), has);
  }

  const Types &types;
  const Json &root;
  const Direction direction;
  std::map<std::pair<const Json *, uint32_t>, std::string> known;
};

bool takesNone(const Json &root, const Json &schema,
               std::set<const Json *> &seen) {
  if (!schema.is_object() || !seen.insert(&schema).second)
    return true;
  if (const Json *reference = member(schema, "$ref");
      reference && reference->is_string())
    if (const Json *target = resolve(root, reference->get<std::string>()))
      return takesNone(root, *target, seen);
  for (const char *key : {"anyOf", "oneOf"})
    if (const Json *all = member(schema, key); all && all->is_array())
      return std::any_of(all->begin(), all->end(), [&](const Json &one) {
        return takesNone(root, one, seen);
      });
  std::vector<std::string> names = typesOf(schema);
  return names.empty() ||
         std::find(names.begin(), names.end(), "null") != names.end();
}

std::string Comparison::compareRecord(const std::vector<Type::Field> &fields,
                                      const Json &schema,
                                      const std::string &place, int depth) {
  const Json *properties = member(schema, "properties"),
             *further = member(schema, "additionalProperties"),
             *required = member(schema, "required");
  bool open = !properties || !properties->is_object();
  auto named = [&](const std::string &field) {
    return place.empty() ? "the argument '" + field + "'"
                         : "the field '" + field + "' of " + place;
  };
  for (const Type::Field &field : fields) {
    const Json *theirs =
        open ? nullptr : member(*properties, field.name.c_str());
    bool optional = types.at(field.type).kind == TypeKind::Option;
    if (!theirs) {
      bool closed = further && further->is_boolean() && !further->get<bool>();
      if (direction == Sent ? closed : !open && !optional)
        return named(field.name) + " is declared as " + types.text(field.type) +
               ", the server's schema has none: " + shown(schema);
      continue;
    }
    if (std::string why =
            compare(field.type, *theirs, named(field.name), depth + 1);
        !why.empty())
      return why;
    std::set<const Json *> seen;
    if (direction == Sent && optional && listHas(required, field.name) &&
        !takesNone(root, *theirs, seen))
      return named(field.name) + " is declared as " + types.text(field.type) +
             ", the server requires " + shown(*theirs);
  }
  if (direction == Sent && required && required->is_array())
    for (const Json &name : *required) {
      bool ours = std::any_of(
          fields.begin(), fields.end(),
          [&](const Type::Field &field) { return Json(field.name) == name; });
      if (!ours && name.is_string()) {
        std::string word = name.get<std::string>();
        const Json *theirs = open ? nullptr : member(*properties, word.c_str());
        return named(word) + " is not declared, the server requires " +
               (theirs ? shown(*theirs) : "it");
      }
    }
  return "";
}

} // namespace

std::string misfit(const Types &types, const ToolDecl &tool,
                   const Json &listed) {
  if (const Json *execution = member(listed, "execution"))
    if (const Json *task = member(*execution, "taskSupport");
        task && *task == Json("required"))
      return "the server runs it as a task only, which this program does not "
             "do";
  if (const Json *input = member(listed, "inputSchema")) {
    std::vector<Type::Field> fields;
    for (const ParamDecl &param : tool.params) {
      fields.emplace_back();
      fields.back().name = param.name;
      fields.back().type = param.type;
    }
    std::string why = Comparison(types, *input, Comparison::Sent)
                          .compareRecord(fields, *input, "", 0);
    if (!why.empty())
      return why;
  }
  const Json *output = member(listed, "outputSchema");
  TypeKind kind = types.at(tool.result).kind;
  // A text is taken from the text that goes with the structure.
  if (!output || kind == TypeKind::String || kind == TypeKind::Bytes ||
      kind == TypeKind::Handle)
    return "";
  Comparison received(types, *output, Comparison::Received);
  std::string why = received.compare(tool.result, *output, "the result", 0);
  if (why.empty())
    return "";
  // Servers wrap what is no object: {"result": ...}.
  const Json *properties = member(*output, "properties");
  const Json *wrapped = properties ? member(*properties, "result") : nullptr;
  bool wraps = wrapped && properties->size() == 1;
  return wraps ? received.compare(tool.result, *wrapped, "the result", 0) : why;
}

static void fit(Json &value, const Json &root, const Json *schema, int depth) {
  while (schema && member(*schema, "$ref") && depth++ < deepest) {
    const Json &reference = (*schema)["$ref"];
    schema = reference.is_string() ? resolve(root, reference.get<std::string>())
                                   : nullptr;
  }
  if (depth > deepest)
    return;
  if (value.is_array()) {
    const Json *items = schema ? member(*schema, "items") : nullptr;
    for (Json &element : value)
      fit(element, root, items, depth + 1);
  }
  if (!value.is_object())
    return;
  const Json *properties = schema ? member(*schema, "properties") : nullptr,
             *required = schema ? member(*schema, "required") : nullptr;
  for (auto at = value.begin(); at != value.end();) {
    if (at->is_null() && !listHas(required, at.key())) {
      at = value.erase(at);
      continue;
    }
    fit(*at, root, properties ? member(*properties, at.key().c_str()) : nullptr,
        depth + 1);
    ++at;
  }
}

Json fitArguments(Json arguments, const Json &schema) {
  fit(arguments, schema, &schema, 0);
  return arguments;
}

} // namespace agt::rt
