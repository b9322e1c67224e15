// See Sampler.h. Chances are computed in double, from the largest logit down,
// so that top-k and top-p are a prefix of one order.
#include "runtime/Generate/Sampler.h"

#include "runtime/Support/Failure.h"

#include <algorithm>
#include <cmath>

namespace agt::rt {

static void failOnNaN() {
  fail(AGT_FAILED, "the model's logits are no numbers");
}

static int32_t likeliest(const std::vector<float> &logits) {
  int32_t best = -1;
  for (size_t i = 0; i < logits.size(); ++i)
    if (!std::isnan(logits[i]) &&
        (best < 0 || logits[i] > logits[size_t(best)]))
      best = int32_t(i);
  if (best < 0)
    failOnNaN();
  return best;
}

static void penalize(std::vector<float> &logits,
                     const std::vector<int32_t> &text, double penalty) {
  std::vector<bool> seen(logits.size());
  for (int32_t token : text)
    if (token >= 0 && size_t(token) < seen.size())
      seen[size_t(token)] = true;
  for (size_t i = 0; i < logits.size(); ++i)
    if (seen[i])
      logits[i] =
          float(logits[i] > 0 ? logits[i] / penalty : logits[i] * penalty);
}

int32_t Sampler::choose(std::vector<float> logits,
                        const std::vector<int32_t> &text) {
  if (sampling.repetition != 1)
    penalize(logits, text, sampling.repetition);
  if (sampling.temperature == 0)
    return likeliest(logits);
  std::vector<int32_t> order;
  for (size_t i = 0; i < logits.size(); ++i)
    if (!std::isnan(logits[i]))
      order.push_back(int32_t(i));
  if (order.empty())
    failOnNaN();
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    float x = logits[size_t(a)], y = logits[size_t(b)];
    return x != y ? x > y : a < b;
  });
  if (sampling.topK > 0 && sampling.topK < int64_t(order.size()))
    order.resize(size_t(sampling.topK));
  double largest = logits[size_t(order.front())];
  std::vector<double> weights;
  double total = 0;
  for (int32_t token : order) {
    // Equal infinities weigh alike.
    double distance = double(logits[size_t(token)]) - largest;
    weights.push_back(
        std::isnan(distance) ? 1 : std::exp(distance / sampling.temperature));
    total += weights.back();
  }
  // The likeliest has the weight 1, and the order is by weight.
  size_t likely = 1;
  while (likely < weights.size() && weights[likely] >= sampling.minP)
    ++likely;
  for (; weights.size() > likely; weights.pop_back())
    total -= weights.back();
  if (sampling.topP < 1) {
    double sum = 0;
    size_t kept = 0;
    while (kept < weights.size() && (kept == 0 || sum < sampling.topP * total))
      sum += weights[kept++];
    weights.resize(kept);
    total = sum;
  }
  // 53 bits: every double in [0, 1) of that spacing is as likely.
  double at = double(random() >> 11) * 0x1p-53 * total;
  for (size_t i = 0; i < weights.size(); ++i) {
    at -= weights[i];
    if (at < 0)
      return order[i];
  }
  return order[weights.size() - 1];
}

} // namespace agt::rt
