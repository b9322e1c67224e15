// Regular expressions of agents: what goes wrong is the failure of a step.
#ifndef AGT_RUNTIME_VALUE_REGEX_H
#define AGT_RUNTIME_VALUE_REGEX_H

#include "runtime/Support/Pattern.h"

#include <vector>

namespace agt::rt {

class Regex {
public:
  /// Throws StepFailure for a pattern that is none.
  explicit Regex(std::string_view pattern);

  /// Somewhere in the text.
  bool matches(std::string_view text) const;
  /// Whole matches from left to right; an empty one counts too.
  std::vector<std::string> findAll(std::string_view text) const;

private:
  bool match(std::string_view text, size_t from, bool notEmpty, size_t &begin,
             size_t &end) const;
  Pattern pattern;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_VALUE_REGEX_H
