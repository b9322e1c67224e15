// A regular expression of PCRE2 over UTF-8, compiled once. Matching is bounded,
// so that a pattern that explodes is an error and not a hang.
#ifndef AGT_RUNTIME_SUPPORT_PATTERN_H
#define AGT_RUNTIME_SUPPORT_PATTERN_H

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace agt::rt {

/// What PCRE2 says of a pattern ("at byte N: ...") or of a match.
struct PatternError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Pattern {
public:
  /// `unicode`: classes such as \s and \d are of all characters, not of ASCII.
  /// Throws PatternError for a pattern that is none.
  explicit Pattern(std::string_view text, bool unicode = false);
  ~Pattern();
  Pattern(Pattern &&other) noexcept;
  Pattern(const Pattern &) = delete;

  /// The first match from byte `from` on. `notEmpty`: one that begins at `from`
  /// and is not empty. `valid`: the text is known to be UTF-8. Throws
  /// PatternError where it takes too much. For several threads at a time.
  bool find(std::string_view text, size_t from, size_t &begin, size_t &end,
            bool notEmpty = false, bool valid = false) const;

private:
  void *code;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_SUPPORT_PATTERN_H
