// See Regex.h. The options are those with which the runtime compiles patterns
// (runtime/Value/Regex.cpp).
#include "frontend/Sema/Agent/Regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

std::optional<std::string>
agt::sema::agents::regexError(llvm::StringRef pattern) {
  int error;
  PCRE2_SIZE offset;
  pcre2_code *code = pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(pattern.data() ? pattern.data() : ""),
      pattern.size(), PCRE2_UTF, &error, &offset, nullptr);
  if (code) {
    pcre2_code_free(code);
    return std::nullopt;
  }
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(error, text, sizeof text);
  return "the regular expression is wrong at byte " + std::to_string(offset) +
         ": " + reinterpret_cast<char *>(text);
}
