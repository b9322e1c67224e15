// How likely a model held the tokens of a text to be: what OpenAI calls
// "logprobs".
#ifndef AGT_RUNTIME_GENERATE_CHANCES_H
#define AGT_RUNTIME_GENERATE_CHANCES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace agt::rt {

struct Chance {
  int32_t token = 0;
  double log = 0; // natural; -infinity for none
};

/// Of a token that was written behind `previous`.
struct TokenChance {
  int32_t previous = 0;
  Chance chosen;
  std::vector<Chance> likeliest; // in order, of equal ones the first first
};

/// From the logits of all tokens, in double. A logit that is NaN has no chance;
/// those that are infinite share all of it.
TokenChance chanceOf(const std::vector<float> &logits, int32_t previous,
                     int32_t token, size_t likeliest);

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_CHANCES_H
