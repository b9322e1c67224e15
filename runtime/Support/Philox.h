// Philox4x32-10, a random number generator without a state: four words for each
// counter and key, in any order. J. K. Salmon et al., Parallel Random Numbers:
// As Easy as 1, 2, 3, 2011.
#ifndef AGT_RUNTIME_SUPPORT_PHILOX_H
#define AGT_RUNTIME_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace agt::rt {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                               std::array<uint32_t, 2> key);

/// Four independent normal numbers of mean 0 and variance 1 by the method of
/// Box and Muller: of words a, b as u, v = (word + 1/2) / 2^32 they are sqrt(-2
/// ln u) times cos and sin of 2 pi v.
std::array<float, 4> philoxNormals(uint64_t counter, uint64_t key);

} // namespace agt::rt

#endif // AGT_RUNTIME_SUPPORT_PHILOX_H
