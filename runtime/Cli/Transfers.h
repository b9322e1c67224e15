// What moved between the positions of a mesh, and what of that was hidden.
#ifndef AGT_RUNTIME_CLI_TRANSFERS_H
#define AGT_RUNTIME_CLI_TRANSFERS_H

#include "runtime/Plan/Report.h"

namespace agt::rt {

/// Sums over all positions of one run; times are medians over the repeats.
struct TransferTotals {
  uint64_t moved = 0;  // bytes of keys, values, queries, partials, values
  uint64_t aux = 0;    // bytes of positions, segments, scales
  uint64_t hidden = 0; // bytes moved while the receiver computed
  double time = 0;     // seconds that transfers took
  double hiddenTime = 0;
  uint64_t hops = 0; // steps of rings that were computed
  uint64_t hopsSkipped = 0;
};

TransferTotals totalTransfers(const RunReport &report);

/// The part of `span` in which one of `busy` lies, in seconds. `busy` may
/// overlap and is in any order.
double coveredTime(Span span, std::vector<Span> busy);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_TRANSFERS_H
