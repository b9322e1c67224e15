// See Faults.h. What separates them is no character of a text: the record
// separator, which is shown as \u{1E} where it is not known for one.
#include "runtime/Cli/Faults.h"

#include "runtime/Support/Failure.h"

#include <algorithm>

namespace agt::rt {

static constexpr char separator = '\x1e';

void failForAll(agt_code code, const std::vector<std::string> &messages) {
  std::string all;
  for (const std::string &message : messages) {
    if (!all.empty())
      all += separator;
    all += message;
  }
  fail(code, std::move(all));
}

std::vector<std::string> messagesOf(std::string_view message) {
  std::vector<std::string> messages;
  for (size_t at = 0; at <= message.size();) {
    size_t end = std::min(message.find(separator, at), message.size());
    messages.emplace_back(message.substr(at, end - at));
    at = end + 1;
  }
  return messages;
}

} // namespace agt::rt
