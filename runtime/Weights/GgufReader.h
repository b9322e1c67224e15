// How the values of GGUF files lie in memory.
#ifndef AGT_RUNTIME_WEIGHTS_GGUFREADER_H
#define AGT_RUNTIME_WEIGHTS_GGUFREADER_H

#include "runtime/Support/Failure.h"
#include "runtime/Weights/Gguf.h"

namespace agt::rt {

/// A whole number, signed ones as they are; nothing where 63 bits do not hold
/// it or it is none.
std::optional<int64_t> ggufWhole(GgufType type, std::string_view bytes);

/// The bytes of a number or a bool; 0 of others.
uint64_t ggufSize(GgufType type);

/// The word that at most 8 bytes are, little endian.
uint64_t littleEndian(std::string_view bytes);

/// Goes through the bytes; what does not fit is refused in terms of what is
/// being read.
class GgufReader {
public:
  GgufReader(const unsigned char *data, size_t size)
      : all(reinterpret_cast<const char *>(data), size) {}

  std::string_view take(uint64_t bytes, const std::string &what) {
    if (bytes > all.size() - at)
      fail(AGT_BAD_INPUT, "it ends within " + what);
    std::string_view taken = all.substr(at, size_t(bytes));
    at += size_t(bytes);
    return taken;
  }
  uint32_t u32(const std::string &what) {
    return uint32_t(littleEndian(take(4, what)));
  }
  uint64_t u64(const std::string &what) { return littleEndian(take(8, what)); }
  std::string_view string(const std::string &what) {
    uint64_t length = u64(what);
    return take(length, what);
  }
  GgufType type(const std::string &what) {
    uint32_t number = u32(what);
    if (number > uint32_t(GgufType::F64))
      fail(AGT_BAD_INPUT,
           what + " has type " + std::to_string(number) + ", which is none");
    return GgufType(number);
  }
  uint64_t left() const { return all.size() - at; }
  uint64_t position() const { return at; }

  GgufValue value(const std::string &what);

private:
  std::string_view all;
  size_t at = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_WEIGHTS_GGUFREADER_H
