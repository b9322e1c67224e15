// See Chances.h. Sums are taken from the largest logit down, as a sampler's.
#include "runtime/Generate/Chances.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace agt::rt {

TokenChance chanceOf(const std::vector<float> &logits, int32_t previous,
                     int32_t token, size_t likeliest) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < logits.size(); ++i)
    if (!std::isnan(logits[i]))
      order.push_back(int32_t(i));
  float largest = -std::numeric_limits<float>::infinity();
  for (int32_t each : order)
    largest = std::max(largest, logits[size_t(each)]);
  auto distance = [&](int32_t each) {
    float logit = logits[size_t(each)];
    return logit == largest ? 0 : double(logit) - double(largest);
  };
  double sum = 0;
  for (int32_t each : order)
    sum += std::exp(distance(each));
  auto chance = [&](int32_t each) {
    bool none = std::isnan(logits[size_t(each)]);
    return Chance{each, none ? -std::numeric_limits<double>::infinity()
                             : distance(each) - std::log(sum)};
  };
  TokenChance result{previous, chance(token), {}};
  likeliest = std::min(likeliest, order.size());
  std::partial_sort(order.begin(), order.begin() + ptrdiff_t(likeliest),
                    order.end(), [&](int32_t a, int32_t b) {
                      float x = logits[size_t(a)], y = logits[size_t(b)];
                      return x != y ? x > y : a < b;
                    });
  for (size_t i = 0; i < likeliest; ++i)
    result.likeliest.push_back(chance(order[i]));
  return result;
}

} // namespace agt::rt
