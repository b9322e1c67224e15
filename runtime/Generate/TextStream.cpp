// See TextStream.h.
#include "runtime/Generate/TextStream.h"

#include "runtime/Value/Value.h"

#include <algorithm>

namespace agt::rt {

TextStream::TextStream(std::vector<std::string> given) {
  for (std::string &stop : given)
    if (!stop.empty())
      stops.push_back(std::move(stop));
}

/// How many bytes at the end of `text` may begin a character that is not whole.
static size_t openCharacter(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    unsigned char byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80)
      return 0;
    if (byte >= 0xc0 && byte < 0xf8) {
      size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

std::string TextStream::show(size_t bytes) {
  std::string_view rest(held.data(), bytes);
  std::string text;
  for (size_t bad; (bad = findInvalidUtf8(rest)) != std::string::npos;
       rest.remove_prefix(bad + 1))
    text += std::string(rest.substr(0, bad)) + "\xef\xbf\xbd";
  text += rest;
  held.erase(0, bytes);
  return text;
}

std::string TextStream::take(std::string_view bytes) {
  if (stopped)
    return "";
  held += bytes;
  size_t first = std::string::npos, wait = openCharacter(held);
  for (const std::string &stop : stops) {
    first = std::min(first, held.find(stop));
    for (size_t part = std::min(stop.size() - 1, held.size()); part > wait;
         --part)
      if (held.compare(held.size() - part, part, stop, 0, part) == 0)
        wait = part;
  }
  if (first == std::string::npos)
    return show(held.size() - wait);
  stopped = true;
  std::string text = show(first);
  held.clear();
  return text;
}

std::string TextStream::end() { return show(held.size()); }

} // namespace agt::rt
