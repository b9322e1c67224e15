// The values of GGUF files: read, and given out by key.
#include "runtime/Weights/GgufReader.h"

#include <cstring>

namespace agt::rt {

uint64_t ggufSize(GgufType type) {
  switch (type) {
  case GgufType::U8:
  case GgufType::I8:
  case GgufType::Bool:
    return 1;
  case GgufType::U16:
  case GgufType::I16:
    return 2;
  case GgufType::U32:
  case GgufType::I32:
  case GgufType::F32:
    return 4;
  case GgufType::U64:
  case GgufType::I64:
  case GgufType::F64:
    return 8;
  case GgufType::String:
  case GgufType::Array:
    break;
  }
  return 0;
}

uint64_t littleEndian(std::string_view bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    word |= uint64_t(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return word;
}

std::optional<int64_t> ggufWhole(GgufType type, std::string_view bytes) {
  uint64_t word = littleEndian(bytes);
  switch (type) {
  case GgufType::I8:
    return int8_t(word);
  case GgufType::I16:
    return int16_t(word);
  case GgufType::I32:
    return int32_t(word);
  case GgufType::I64:
    return int64_t(word);
  case GgufType::U8:
  case GgufType::U16:
  case GgufType::U32:
    return int64_t(word);
  case GgufType::U64:
    if (word <= uint64_t(INT64_MAX))
      return int64_t(word);
    break;
  default:
    break;
  }
  return std::nullopt;
}

GgufValue GgufReader::value(const std::string &what) {
  GgufValue value;
  value.type = type(what);
  if (value.type == GgufType::String) {
    value.bytes = string(what);
    return value;
  }
  if (value.type != GgufType::Array) {
    value.bytes = take(ggufSize(value.type), what);
    return value;
  }
  value.element = type(what);
  value.count = u64(what);
  if (value.element == GgufType::Array)
    fail(AGT_BAD_INPUT, what + " is an array of arrays");
  size_t begin = at;
  // A string has at least its length.
  bool strings = value.element == GgufType::String;
  uint64_t each = strings ? 8 : ggufSize(value.element);
  if (value.count > left() / each)
    fail(AGT_BAD_INPUT, "it ends within " + what);
  if (strings)
    for (uint64_t i = 0; i < value.count; ++i)
      string(what);
  else
    take(value.count * each, what);
  value.bytes = all.substr(begin, at - begin);
  return value;
}

// ---- values ----------------------------------------------------------------

void Gguf::refuse(const std::string &why) const {
  fail(AGT_BAD_INPUT, "cannot read '" + path + "': " + why);
}

void Gguf::refuseType(const std::string &key, const char *want) const {
  refuse("its value '" + key + "' is not " + want);
}

std::vector<std::string> Gguf::keys() const {
  std::vector<std::string> list;
  for (const auto &[key, value] : values)
    list.push_back(key);
  return list;
}

const GgufValue *Gguf::find(const std::string &key) const {
  auto found = values.find(key);
  return found == values.end() ? nullptr : &found->second;
}

std::optional<std::string_view> Gguf::text(const std::string &key) const {
  const GgufValue *value = find(key);
  if (!value)
    return std::nullopt;
  if (value->type != GgufType::String)
    refuseType(key, "a string");
  return value->bytes;
}

std::optional<int64_t> Gguf::whole(const std::string &key) const {
  const GgufValue *value = find(key);
  if (!value)
    return std::nullopt;
  std::optional<int64_t> number = ggufWhole(value->type, value->bytes);
  if (!number)
    refuseType(key, "a whole number");
  return number;
}

std::optional<bool> Gguf::flag(const std::string &key) const {
  const GgufValue *value = find(key);
  if (!value)
    return std::nullopt;
  if (value->type != GgufType::Bool ||
      static_cast<unsigned char>(value->bytes[0]) > 1)
    refuseType(key, "a bool");
  return value->bytes[0] != 0;
}

std::optional<std::vector<std::string_view>>
Gguf::texts(const std::string &key) const {
  const GgufValue *value = find(key);
  if (!value)
    return std::nullopt;
  if (value->type != GgufType::Array || value->element != GgufType::String)
    refuseType(key, "a list of strings");
  std::vector<std::string_view> list;
  GgufReader reader(
      reinterpret_cast<const unsigned char *>(value->bytes.data()),
      value->bytes.size());
  for (uint64_t i = 0; i < value->count; ++i)
    list.push_back(reader.string(key));
  return list;
}

std::optional<std::vector<float>> Gguf::floats(const std::string &key) const {
  const GgufValue *value = find(key);
  if (!value)
    return std::nullopt;
  if (value->type != GgufType::Array || value->element != GgufType::F32)
    refuseType(key, "a list of f32 numbers");
  std::vector<float> list(size_t(value->count));
  for (size_t i = 0; i < list.size(); ++i) {
    uint32_t bits = uint32_t(littleEndian(value->bytes.substr(4 * i, 4)));
    std::memcpy(&list[i], &bits, sizeof bits);
  }
  return list;
}

std::optional<std::vector<int64_t>> Gguf::wholes(const std::string &key) const {
  const GgufValue *value = find(key);
  if (!value)
    return std::nullopt;
  size_t each = value->type == GgufType::Array ? ggufSize(value->element) : 0;
  if (each == 0)
    refuseType(key, "a list of whole numbers");
  std::vector<int64_t> list;
  for (uint64_t i = 0; i < value->count; ++i) {
    auto number =
        ggufWhole(value->element, value->bytes.substr(i * each, each));
    if (!number)
      refuseType(key, "a list of whole numbers");
    list.push_back(*number);
  }
  return list;
}

} // namespace agt::rt
