// See ByteCharacters.h.
#include "runtime/Tokenizer/ByteCharacters.h"

#include <array>

namespace agt::rt {

/// The byte of each character from U+0000 to U+0143, or -1.
static const std::array<int, 0x144> &byteOfCharacter() {
  static const std::array<int, 0x144> table = [] {
    std::array<int, 0x144> made;
    made.fill(-1);
    size_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      bool printable = (byte >= 0x21 && byte <= 0x7e) ||
                       (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
      made[printable ? size_t(byte) : next++] = byte;
    }
    return made;
  }();
  return table;
}

std::optional<std::string> bytesOfCharacters(std::string_view text) {
  std::string bytes;
  for (size_t at = 0; at < text.size(); ++at) {
    unsigned character = static_cast<unsigned char>(text[at]);
    // All of them are of one or two bytes.
    if (character >= 0xc2 && character <= 0xc5 && at + 1 < text.size())
      character =
          (character & 0x1f) << 6 | (static_cast<unsigned>(text[++at]) & 0x3f);
    else if (character >= 0x80)
      return std::nullopt;
    int byte = character < byteOfCharacter().size()
                   ? byteOfCharacter()[character]
                   : -1;
    if (byte < 0)
      return std::nullopt;
    bytes += char(byte);
  }
  return bytes;
}

std::string withBlanks(std::string_view text) {
  static const std::string_view mark = "\xe2\x96\x81";
  std::string result;
  for (size_t at; (at = text.find(mark)) != std::string_view::npos;) {
    result += std::string(text.substr(0, at)) + " ";
    text.remove_prefix(at + mark.size());
  }
  return result += text;
}

std::optional<unsigned char> byteOfName(std::string_view name) {
  if (name.size() != 6 || name.substr(0, 3) != "<0x" || name[5] != '>')
    return std::nullopt;
  int byte = 0;
  for (char digit : name.substr(3, 2)) {
    size_t value = std::string_view("0123456789ABCDEF").find(digit);
    if (value == std::string_view::npos)
      return std::nullopt;
    byte = byte * 16 + int(value);
  }
  return static_cast<unsigned char>(byte);
}

} // namespace agt::rt
