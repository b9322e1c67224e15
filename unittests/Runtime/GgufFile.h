// GGUF files, byte by byte.
#ifndef AGT_UNITTESTS_RUNTIME_GGUFFILE_H
#define AGT_UNITTESTS_RUNTIME_GGUFFILE_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace agt::rt::test {

inline std::string little(uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += char(number >> (8 * i));
  return text;
}
inline std::string u32(uint32_t number) { return little(number, 4); }
inline std::string u64(uint64_t number) { return little(number, 8); }
inline std::string f32(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return u32(bits);
}
inline std::string ggufString(const std::string &text) {
  return u64(text.size()) + text;
}

struct GgufFile {
  uint32_t version = 3;
  std::string values, tensors, data;
  uint64_t valueCount = 0, tensorCount = 0;
  uint64_t alignment = 32;

  /// `bytes` is the value behind its type.
  GgufFile &value(const std::string &key, uint32_t type,
                  const std::string &bytes) {
    values += ggufString(key) + u32(type) + bytes;
    ++valueCount;
    return *this;
  }
  GgufFile &text(const std::string &key, const std::string &value) {
    return this->value(key, 8, ggufString(value));
  }
  GgufFile &number(const std::string &key, uint32_t number) {
    return value(key, 4, u32(number));
  }
  GgufFile &flag(const std::string &key, bool flag) {
    return value(key, 7, little(flag, 1));
  }
  GgufFile &texts(const std::string &key,
                  const std::vector<std::string> &list) {
    std::string bytes = u32(8) + u64(list.size());
    for (const std::string &item : list)
      bytes += ggufString(item);
    return value(key, 9, bytes);
  }
  GgufFile &floats(const std::string &key, const std::vector<float> &list) {
    std::string bytes = u32(6) + u64(list.size());
    for (float item : list)
      bytes += f32(item);
    return value(key, 9, bytes);
  }
  GgufFile &ints(const std::string &key, const std::vector<int32_t> &list) {
    std::string bytes = u32(5) + u64(list.size());
    for (int32_t item : list)
      bytes += u32(uint32_t(item));
    return value(key, 9, bytes);
  }
  /// `dims` as the file has them, the fastest first.
  GgufFile &described(const std::string &name,
                      const std::vector<uint64_t> &dims, uint32_t type,
                      uint64_t offset) {
    tensors += ggufString(name) + u32(uint32_t(dims.size()));
    for (uint64_t dim : dims)
      tensors += u64(dim);
    tensors += u32(type) + u64(offset);
    ++tensorCount;
    return *this;
  }
  /// The same with its bytes, behind those of the tensors before.
  GgufFile &tensor(const std::string &name, const std::vector<uint64_t> &dims,
                   uint32_t type, const std::string &bytes) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    described(name, dims, type, data.size());
    data += bytes;
    return *this;
  }
  std::string bytes() const {
    std::string file = "GGUF" + u32(version) + u64(tensorCount) +
                       u64(valueCount) + values + tensors;
    if (!data.empty())
      file.resize((file.size() + alignment - 1) / alignment * alignment);
    return file + data;
  }
};

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_RUNTIME_GGUFFILE_H
