// Which token comes next, from the logits of all.
#ifndef AGT_RUNTIME_GENERATE_SAMPLER_H
#define AGT_RUNTIME_GENERATE_SAMPLER_H

#include <cstdint>
#include <random>
#include <vector>

namespace agt::rt {

struct Sampling {
  /// 0: the likeliest token, of equal ones the first.
  double temperature = 0;
  /// Only the k likeliest; 0: all.
  int64_t topK = 0;
  /// Only the likeliest whose chances together reach this; 1: all.
  double topP = 1;
  /// Only those at least so many times as likely as the likeliest; 0: all.
  double minP = 0;
  /// Logits of tokens that came before are divided by it, or multiplied where
  /// they are below 0 (arXiv:1909.05858, section 4.1); 1: as they are.
  double repetition = 1;
  uint64_t seed = 0;
};

/// The same choices for the same seed and logits, on every machine.
class Sampler {
public:
  explicit Sampler(const Sampling &sampling)
      : sampling(sampling), random(sampling.seed) {}

  /// The token behind `text`. One whose logit is NaN is never chosen; fails
  /// where all are.
  int32_t choose(std::vector<float> logits,
                 const std::vector<int32_t> &text = {});

private:
  Sampling sampling;
  std::mt19937_64 random; // its numbers are the standard's
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_SAMPLER_H
