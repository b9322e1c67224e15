// JSON read against a declared type: the validator of everything that comes
// from outside. One element that does not fit is an error with its place; a
// list never gets shorter and nothing is guessed.
#include "runtime/Value/Types.h"

#include <algorithm>
#include <cmath>

namespace agt::rt {

static std::string shown(const Json &json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= 60)
    return text;
  size_t end = 57;
  while (end && (text[end] & 0xc0) == 0x80)
    --end;
  return text.substr(0, end) + "...";
}

static std::string numberText(double number) {
  return number == std::floor(number) && std::fabs(number) < 1e15
             ? std::to_string(int64_t(number))
             : floatText(number);
}

static void checkRange(const Type::Field &field, Value value,
                       const std::string &place) {
  if ((!field.min && !field.max) || !value ||
      (value->kind != AGT_INT && value->kind != AGT_FLOAT))
    return;
  double number = value->kind == AGT_INT ? double(value->number) : value->real;
  if ((!field.min || number >= *field.min) &&
      (!field.max || number <= *field.max))
    return;
  std::string range = (field.min ? numberText(*field.min) : "") + ".." +
                      (field.max ? numberText(*field.max) : "");
  throw StepFailure("expected a value in " + range + " in " + place + ", got " +
                    canonicalJson(value));
}

class TypeReader {
public:
  TypeReader(const Types &types, Arena &arena, const Reading &reading)
      : types(types), arena(arena), reading(reading) {}

  Value read(const Json &json, uint32_t index) {
    const Type &type = types.at(index);
    switch (type.kind) {
    case TypeKind::Bool:
      expect(json.is_boolean(), index, json);
      return makeBool(arena, json.get<bool>());
    case TypeKind::Int:
    case TypeKind::Duration:
      return makeInt(arena, integer(json, index));
    case TypeKind::Float:
      expect(json.is_number(), index, json);
      return makeFloat(arena, json.get<double>());
    case TypeKind::Context:
      return context(json, index);
    case TypeKind::String:
      expect(json.is_string(), index, json);
      return makeString(arena, json.get_ref<const std::string &>());
    case TypeKind::Bytes: {
      std::string bytes;
      expect(json.is_string() &&
                 fromBase64(json.get_ref<const std::string &>(), bytes),
             index, json);
      return makeBytes(arena, bytes);
    }
    case TypeKind::Option:
      return json.is_null() ? nullptr : read(json, type.of);
    case TypeKind::List:
      return list(json, index, type);
    case TypeKind::Tuple:
      return tuple(json, index, type);
    case TypeKind::Record:
      return record(json, index, type);
    case TypeKind::Enum:
      return enumerator(json, index, type);
    case TypeKind::Handle:
      return handle(json, index, type);
    case TypeKind::Result:
      return result(json, index, type);
    }
    return nullptr;
  }

private:
  std::string where() const {
    return place.empty() ? "the value" : "'" + place + "'";
  }

  void expect(bool fits, uint32_t index, const Json &json) {
    if (!fits)
      throw StepFailure("expected " + types.text(index) + " in " + where() +
                        ", got " + shown(json));
  }

  // Runs `body` one level further in.
  template <typename Body> auto inside(const std::string &step, Body &&body) {
    size_t length = place.size();
    place += step;
    auto value = body();
    place.resize(length);
    return value;
  }

  int64_t integer(const Json &json, uint32_t index) {
    if (json.is_number_integer())
      return json.get<int64_t>();
    double number = json.is_number_float() ? json.get<double>() : 0.5;
    // 3.0 is an integer to JSON Schema; beyond 2^53 it would be a guess.
    expect(number == std::floor(number) && std::fabs(number) <= 0x1p53, index,
           json);
    return int64_t(number);
  }

  Value list(const Json &json, uint32_t index, const Type &type) {
    expect(json.is_array(), index, json);
    if (type.max && int64_t(json.size()) > *type.max)
      throw StepFailure("expected at most " + std::to_string(*type.max) +
                        " elements in " + where() + ", got " +
                        std::to_string(json.size()));
    std::vector<Value> elements;
    for (size_t i = 0; i < json.size(); ++i)
      elements.push_back(inside("[" + std::to_string(i) + "]",
                                [&] { return read(json[i], type.of); }));
    return makeList(arena, elements);
  }

  Value tuple(const Json &json, uint32_t index, const Type &type) {
    expect(json.is_array() && json.size() == type.elements.size(), index, json);
    std::vector<Value> elements;
    for (size_t i = 0; i < json.size(); ++i)
      elements.push_back(inside("[" + std::to_string(i) + "]", [&] {
        return read(json[i], type.elements[i]);
      }));
    return makeList(arena, elements);
  }

  std::string step(const std::string &name) const {
    return place.empty() ? name : "." + name;
  }

  Value record(const Json &json, uint32_t index, const Type &type) {
    expect(json.is_object(), index, json);
    std::vector<Value> fields;
    for (const Type::Field &field : type.fields) {
      auto found = json.find(field.name);
      bool optional = types.at(field.type).kind == TypeKind::Option;
      if (found == json.end() && !optional)
        throw StepFailure("expected the field '" + field.name + "' of " +
                          type.name + " in " + where() + ", got " +
                          shown(json));
      fields.push_back(inside(step(field.name), [&]() -> Value {
        if (found == json.end())
          return nullptr;
        Value value = read(*found, field.type);
        checkRange(field, value, where());
        return value;
      }));
    }
    if (reading.strict)
      for (const auto &entry : json.items())
        if (std::find(type.shape->names.begin(), type.shape->names.end(),
                      entry.key()) == type.shape->names.end())
          throw StepFailure("expected no field '" + entry.key() + "' in " +
                            where() + ", which is a " + type.name);
    return makeRecord(arena, *type.shape, fields);
  }

  Value enumerator(const Json &json, uint32_t index, const Type &type) {
    expect(json.is_string(), index, json);
    const std::string &name = json.get_ref<const std::string &>();
    if (std::find(type.values.begin(), type.values.end(), name) ==
        type.values.end()) {
      std::string all;
      for (const std::string &value : type.values)
        all += (all.empty() ? "" : ", ") + value;
      throw StepFailure("expected one of " + all + " in " + where() + ", got " +
                        shown(json));
    }
    return makeString(arena, name);
  }

  Value handle(const Json &json, uint32_t index, const Type &type) {
    if (json.is_object() && json.size() == 2 && json.contains("handle") &&
        json.contains("bytes") && json["handle"].is_string() &&
        json["bytes"].is_number_integer())
      return makeHandle(arena, json["handle"].get<std::string>(),
                        json["bytes"].get<int64_t>());
    if (!reading.blobs)
      expect(false, index, json);
    std::string content = canonicalJson(read(json, type.of));
    return makeHandle(arena, (*reading.blobs)(content),
                      int64_t(content.size()));
  }

  Value result(const Json &json, uint32_t index, const Type &type) {
    expect(json.is_object() && json.contains("ok") && json["ok"].is_boolean(),
           index, json);
    auto member = [&](const char *name) {
      auto found = json.find(name);
      return found == json.end() ? Json() : *found;
    };
    Json value = member("value"), error = member("error");
    return makeRecord(
        arena, resultShape(),
        {makeBool(arena, json["ok"].get<bool>()),
         value.is_null()
             ? nullptr
             : inside(step("value"), [&] { return read(value, type.of); }),
         error.is_string()
             ? makeString(arena, error.get_ref<const std::string &>())
             : nullptr,
         makeString(arena, json.value("key", ""))});
  }

  Value context(const Json &json, uint32_t index) {
    bool fits = json.is_object() && json.size() == 3 && json.contains("llm") &&
                json.contains("text") && json.contains("tokens");
    expect(fits && json["llm"].is_string() &&
               (json["text"].is_string() || json["text"].is_null()) &&
               (json["tokens"].is_array() || json["tokens"].is_null()),
           index, json);
    auto text = [&](const Json &member) -> Value {
      return member.is_null()
                 ? nullptr
                 : makeString(arena, member.get_ref<const std::string &>());
    };
    Value tokens = nullptr;
    if (json["tokens"].is_array()) {
      std::vector<Value> numbers;
      for (const Json &token : json["tokens"])
        numbers.push_back(makeInt(arena, integer(token, index)));
      tokens = makeList(arena, numbers);
    }
    return makeRecord(arena, contextShape(),
                      {text(json["llm"]), text(json["text"]), tokens});
  }

  const Types &types;
  Arena &arena;
  const Reading &reading;
  std::string place;
};

Value Types::read(Arena &arena, const Json &json, uint32_t type,
                  const Reading &reading) const {
  return TypeReader(*this, arena, reading).read(json, type);
}

Value Types::record(Arena &arena, uint32_t index,
                    const std::vector<Value> &fields) const {
  const Type &type = at(index);
  for (size_t i = 0; i < fields.size(); ++i)
    checkRange(type.fields[i], fields[i], "'" + type.fields[i].name + "'");
  return makeRecord(arena, *type.shape, fields);
}

} // namespace agt::rt
