// See EventStream.h; the format is that of the HTML standard, "Server-sent
// events": lines end with CR, LF or both, an empty one ends an event.
#include "runtime/Mcp/EventStream.h"

#include <algorithm>
#include <cstdlib>

namespace agt::rt {

void EventStream::feed(std::string_view bytes) {
  for (char letter : bytes) {
    bool second = letter == '\n' && sawReturn; // of CR LF
    sawReturn = letter == '\r';
    if (second)
      continue;
    if (letter != '\n' && letter != '\r') {
      line += letter;
      continue;
    }
    std::string whole;
    whole.swap(line);
    take(whole);
  }
}

void EventStream::take(const std::string &whole) {
  if (whole.empty()) {
    if (!id.empty())
      lastId = id;
    std::string event;
    event.swap(data);
    if (any && !event.empty())
      onData(event);
    any = false;
    return;
  }
  size_t colon = std::min(whole.find(':'), whole.size());
  std::string field = whole.substr(0, colon);
  std::string value = whole.substr(std::min(colon + 1, whole.size()));
  if (!value.empty() && value[0] == ' ')
    value.erase(0, 1);
  if (field == "data") {
    data += (any ? "\n" : "") + value;
    any = true;
  } else if (field == "id" && value.find('\0') == std::string::npos) {
    id = value;
  } else if (field == "retry" && !value.empty() && value.size() < 8 &&
             value.find_first_not_of("0123456789") == std::string::npos) {
    retryMs = std::min<int64_t>(std::atoll(value.c_str()), 60'000);
  }
}

} // namespace agt::rt
