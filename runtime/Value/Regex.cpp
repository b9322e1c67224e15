// See Regex.h.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "runtime/Value/Regex.h"

#include "runtime/Value/Value.h"

#include <pcre2.h>

namespace agt::rt {

static std::string messageOf(int code) {
  PCRE2_UCHAR buffer[256];
  pcre2_get_error_message(code, buffer, sizeof buffer);
  return reinterpret_cast<char *>(buffer);
}

static pcre2_match_context *bounded() {
  static pcre2_match_context *context = [] {
    auto *made = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(made, 10'000'000);
    return made;
  }();
  return context;
}

Regex::Regex(std::string_view pattern) {
  int error;
  PCRE2_SIZE offset;
  auto *made = pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(pattern.data() ? pattern.data() : ""),
      pattern.size(), PCRE2_UTF, &error, &offset, nullptr);
  if (!made)
    throw StepFailure("the regular expression " + jsonString(pattern) +
                      " is wrong at byte " + std::to_string(offset) + ": " +
                      messageOf(error));
  code = made;
  data = pcre2_match_data_create_from_pattern(made, nullptr);
}

Regex::~Regex() {
  pcre2_match_data_free(static_cast<pcre2_match_data *>(data));
  pcre2_code_free(static_cast<pcre2_code *>(code));
}

bool Regex::match(std::string_view text, size_t from, bool notEmpty,
                  size_t &begin, size_t &end) const {
  auto *results = static_cast<pcre2_match_data *>(data);
  int count = pcre2_match(
      static_cast<pcre2_code *>(code),
      reinterpret_cast<PCRE2_SPTR>(text.data() ? text.data() : ""), text.size(),
      from, notEmpty ? PCRE2_NOTEMPTY_ATSTART | PCRE2_ANCHORED : 0, results,
      bounded());
  if (count == PCRE2_ERROR_NOMATCH)
    return false;
  if (count < 0)
    throw StepFailure("the regular expression cannot be matched: " +
                      messageOf(count));
  begin = pcre2_get_ovector_pointer(results)[0];
  end = pcre2_get_ovector_pointer(results)[1];
  return true;
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
