// See Pattern.h.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "runtime/Support/Pattern.h"

#include <pcre2.h>
#include <utility>

namespace agt::rt {

static std::string messageOf(int code) {
  PCRE2_UCHAR buffer[256];
  pcre2_get_error_message(code, buffer, sizeof buffer);
  return reinterpret_cast<char *>(buffer);
}

static PCRE2_SPTR pointer(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data() ? text.data() : "");
}

static pcre2_match_context *bounded() {
  static pcre2_match_context *context = [] {
    auto *made = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(made, 10'000'000);
    return made;
  }();
  return context;
}

Pattern::Pattern(std::string_view text, bool unicode) {
  int error;
  PCRE2_SIZE offset;
  auto *made = pcre2_compile(pointer(text), text.size(),
                             PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C |
                                 (unicode ? PCRE2_UCP : 0),
                             &error, &offset, nullptr);
  if (!made)
    throw PatternError("at byte " + std::to_string(offset) + ": " +
                       messageOf(error));
  code = made;
}

Pattern::Pattern(Pattern &&other) noexcept
    : code(std::exchange(other.code, nullptr)) {}

Pattern::~Pattern() { pcre2_code_free(static_cast<pcre2_code *>(code)); }

bool Pattern::find(std::string_view text, size_t from, size_t &begin,
                   size_t &end, bool notEmpty, bool valid) const {
  // No more than the whole match is asked for, of any pattern.
  struct Results {
    pcre2_match_data *data = pcre2_match_data_create(1, nullptr);
    ~Results() { pcre2_match_data_free(data); }
  };
  thread_local Results mine;
  pcre2_match_data *results = mine.data;
  uint32_t options = (notEmpty ? PCRE2_NOTEMPTY_ATSTART | PCRE2_ANCHORED : 0) |
                     (valid ? PCRE2_NO_UTF_CHECK : 0);
  int count = pcre2_match(static_cast<pcre2_code *>(code), pointer(text),
                          text.size(), from, options, results, bounded());
  if (count == PCRE2_ERROR_NOMATCH)
    return false;
  if (count < 0)
    throw PatternError(messageOf(count));
  begin = pcre2_get_ovector_pointer(results)[0];
  end = pcre2_get_ovector_pointer(results)[1];
  return true;
}

} // namespace agt::rt
