// See LaunchCost.h.
#include "runtime/Generate/LaunchCost.h"

#include <algorithm>

namespace agt::rt {

// What is left of an observation's weight behind the next one.
static constexpr double memory = 0.98;

// Terms of about the same size make the fit converge soon.
LaunchCost::Terms LaunchCost::termsOf(int64_t rows, int64_t places) {
  double r = double(rows) / 16, p = double(places) / 4096;
  return {1, r, p, r * p};
}

void LaunchCost::learn(int64_t rows, int64_t places, double seconds) {
  if (seconds <= 0)
    return;
  Terms given = termsOf(rows, places);
  for (double &term : given)
    term /= seconds;
  for (size_t i = 0; i < terms; ++i) {
    for (size_t j = 0; j < terms; ++j)
      products[i][j] = products[i][j] * memory + given[i] * given[j];
    sums[i] = sums[i] * memory + given[i];
  }
  ++seen;
  sizes |= uint64_t(rows);
  solve();
}

// Minimises along one term after the other, from where the last fit was. The
// sum of squares is convex and so is what is left where no factor is below 0.
void LaunchCost::solve() {
  constexpr int rounds = 200;
  // Of factors that the launches do not tell apart, small ones.
  constexpr double ridge = 1e-6;
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < terms; ++i) {
      double rest = sums[i];
      for (size_t j = 0; j < terms; ++j)
        if (j != i)
          rest -= products[i][j] * factors[j];
      double own = products[i][i] * (1 + ridge);
      factors[i] = own > 0 ? std::max(0.0, rest / own) : 0;
    }
}

double LaunchCost::estimate(int64_t rows, int64_t places) const {
  Terms given = termsOf(rows, places);
  double seconds = 0;
  for (size_t i = 0; i < terms; ++i)
    seconds += given[i] * factors[i];
  return seconds;
}

} // namespace agt::rt
