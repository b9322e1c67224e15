// Regular expressions as PCRE2 has them, over UTF-8. Matching is bounded, so
// that a pattern that explodes is an error and not a hang.
#ifndef AGT_RUNTIME_VALUE_REGEX_H
#define AGT_RUNTIME_VALUE_REGEX_H

#include <string>
#include <string_view>
#include <vector>

namespace agt::rt {

class Regex {
public:
  /// Throws StepFailure for a pattern that is none.
  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(const Regex &) = delete;

  /// Somewhere in the text.
  bool matches(std::string_view text) const;
  /// Whole matches from left to right; an empty one counts too.
  std::vector<std::string> findAll(std::string_view text) const;

private:
  bool match(std::string_view text, size_t from, bool notEmpty, size_t &begin,
             size_t &end) const;
  void *code;
  void *data;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_VALUE_REGEX_H
