// See Philox.h.
#include "runtime/Support/Philox.h"

#include <cmath>

namespace agt::rt {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                               std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

static double unit(uint32_t word) { return (double(word) + 0.5) * 0x1p-32; }

std::array<float, 4> philoxNormals(uint64_t counter, uint64_t key) {
  constexpr double twoPi = 6.283185307179586476925;
  std::array<uint32_t, 4> words =
      philox({uint32_t(counter), uint32_t(counter >> 32), 0, 0},
             {uint32_t(key), uint32_t(key >> 32)});
  std::array<float, 4> normals;
  for (int pair = 0; pair < 4; pair += 2) {
    double radius = std::sqrt(-2 * std::log(unit(words[pair])));
    double angle = twoPi * unit(words[pair + 1]);
    normals[pair] = float(radius * std::cos(angle));
    normals[pair + 1] = float(radius * std::sin(angle));
  }
  return normals;
}

} // namespace agt::rt
