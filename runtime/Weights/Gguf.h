// GGUF files, versions 2 and 3: values by key, and tensors.
#ifndef AGT_RUNTIME_WEIGHTS_GGUF_H
#define AGT_RUNTIME_WEIGHTS_GGUF_H

#include "runtime/Tensor/Safetensors.h"

#include <map>
#include <optional>
#include <string_view>

namespace agt::rt {

/// The types of values, by the file's numbers.
enum class GgufType : uint32_t {
  U8,
  I8,
  U16,
  I16,
  U32,
  I32,
  F32,
  Bool,
  String,
  Array,
  U64,
  I64,
  F64
};

/// A value of a file. Nothing of it is copied.
struct GgufValue {
  GgufType type = GgufType::U8;
  /// Of an array: the type of its elements, and how many there are.
  GgufType element = GgufType::U8;
  uint64_t count = 1;
  /// The bytes of the value, of an array those of its elements; of a string
  /// without its length.
  std::string_view bytes;
};

/// What a file says, checked to the last tensor. Everything points into the
/// file's bytes.
class Gguf {
public:
  /// Fails with AGT_BAD_INPUT; the text names `path`.
  Gguf(const unsigned char *data, size_t size, const std::string &path);

  /// Whether a file begins as one.
  static bool isOne(const unsigned char *data, size_t size);

  const std::vector<NamedStored> &tensors() const { return list; }
  /// The keys of all values, in alphabetical order.
  std::vector<std::string> keys() const;

  /// The value of `key`; nothing where there is none. Fails with AGT_BAD_INPUT
  /// where it has another type.
  std::optional<std::string_view> text(const std::string &key) const;
  /// Any whole number.
  std::optional<int64_t> whole(const std::string &key) const;
  std::optional<bool> flag(const std::string &key) const;
  std::optional<std::vector<std::string_view>>
  texts(const std::string &key) const;
  std::optional<std::vector<float>> floats(const std::string &key) const;
  std::optional<std::vector<int64_t>> wholes(const std::string &key) const;

  /// Fails with AGT_BAD_INPUT; the text names the file.
  [[noreturn]] void refuse(const std::string &why) const;

private:
  [[noreturn]] void refuseType(const std::string &key, const char *want) const;
  const GgufValue *find(const std::string &key) const;
  void parse(const unsigned char *data, size_t size);

  std::string path;
  std::map<std::string, GgufValue, std::less<>> values;
  std::vector<NamedStored> list;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_WEIGHTS_GGUF_H
