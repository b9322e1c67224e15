// What a launch of a model costs, as the launches so far have shown:
//
//   seconds = fixed + rows * r + places * p + rows * places * q
//
// Fixed is what a launch reads whatever it is for, the weights before all; rows
// are those the device computes, places those of the cache that it visits, for
// all rows alike: a row is compared with every place that any row of its launch
// may see. The four are fitted by least squares, none below 0, to the launches
// seen, relative to the time that each took; older ones count less.
#ifndef AGT_RUNTIME_GENERATE_LAUNCHCOST_H
#define AGT_RUNTIME_GENERATE_LAUNCHCOST_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace agt::rt {

class LaunchCost {
public:
  void learn(int64_t rows, int64_t places, double seconds);
  /// Seconds; 0 before anything was learnt.
  double estimate(int64_t rows, int64_t places) const;
  /// Whether enough launches were seen to go by estimates.
  bool isKnown() const { return seen >= least; }
  /// Whether there was one of so many rows, a power of two: what few rows cost
  /// does not follow from what many do.
  bool hasSeen(int64_t rows) const { return sizes & uint64_t(rows); }

private:
  static constexpr size_t terms = 4;
  static constexpr int64_t least = 8;
  using Terms = std::array<double, terms>;
  static Terms termsOf(int64_t rows, int64_t places);
  void solve();

  std::array<Terms, terms> products = {}; // of terms, over launches
  Terms sums = {};                        // of terms and 1
  Terms factors = {};
  int64_t seen = 0;
  uint64_t sizes = 0; // in rows, all together
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_LAUNCHCOST_H
