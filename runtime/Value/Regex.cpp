// See Regex.h.
#include "runtime/Value/Regex.h"

#include "runtime/Value/Value.h"

namespace agt::rt {

static Pattern compile(std::string_view pattern) {
  try {
    return Pattern(pattern);
  } catch (const PatternError &error) {
    throw StepFailure("the regular expression " + jsonString(pattern) +
                      " is wrong " + error.what());
  }
}

Regex::Regex(std::string_view pattern) : pattern(compile(pattern)) {}

bool Regex::match(std::string_view text, size_t from, bool notEmpty,
                  size_t &begin, size_t &end) const {
  try {
    return pattern.find(text, from, begin, end, notEmpty);
  } catch (const PatternError &error) {
    throw StepFailure(
        std::string("the regular expression cannot be matched: ") +
        error.what());
  }
}

bool Regex::matches(std::string_view text) const {
  size_t begin, end;
  return match(text, 0, false, begin, end);
}

std::vector<std::string> Regex::findAll(std::string_view text) const {
  std::vector<std::string> all;
  size_t at = 0, begin, end;
  bool afterEmpty = false;
  while (at <= text.size()) {
    if (match(text, at, afterEmpty, begin, end)) {
      all.emplace_back(text.substr(begin, end - begin));
      at = end;
      afterEmpty = begin == end;
      continue;
    }
    if (!afterEmpty)
      break;
    // Nothing but the empty match begins here: one code point further.
    afterEmpty = false;
    for (++at; at < text.size() && (text[at] & 0xc0) == 0x80;)
      ++at;
  }
  return all;
}

} // namespace agt::rt
