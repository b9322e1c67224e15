// The seed of a test that draws: AGT_SEED, else another one each time.
#ifndef AGT_UNITTESTS_RUNTIME_SEED_H
#define AGT_UNITTESTS_RUNTIME_SEED_H

#include <cstdio>
#include <cstdlib>
#include <random>

namespace agt::rt::test {

/// Prints it, so that a failure can be had again.
inline unsigned drawnSeed() {
  const char *given = std::getenv("AGT_SEED");
  unsigned seed = given && *given ? unsigned(std::strtoull(given, nullptr, 0))
                                  : std::random_device()();
  std::printf("AGT_SEED=%u\n", seed);
  return seed;
}

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_RUNTIME_SEED_H
