// What the two directions of a sharded attention move: keys and values to the
// queries ("pass-KV"), or queries to the keys and partial results back
// ("pass-Q"). Plain C++, no IR.
#ifndef AGT_PASSES_ANALYSIS_RINGTRAFFIC_H
#define AGT_PASSES_ANALYSIS_RINGTRAFFIC_H

#include "passes/Analysis/RingSchedule.h"

namespace agt::analysis {

/// Bytes of one token, all heads and batch entries that a place has.
struct TokenBytes {
  double keys = 0; // keys and values
  double aux = 0;  // positions, segments and masks that go with them
  double query = 0;
  double partial = 0; // sums in f32, and m and l of each row
  double result = 0;
};

/// Where the queries are before, and the results behind, an attention.
enum class Queries {
  Cut,  // as the keys are
  Whole // at every place
};

/// Bytes that all places of a ring receive in pass-KV, `aux` left out: what the
/// schedule sends where queries are cut. Whole ones are cut here, and results
/// gathered.
double passKvBytes(const Ring &ring, const TokenBytes &bytes, Queries queries);

/// Bytes that place `place` receives in pass-Q. Where queries are whole every
/// place gets the partial results of all others; where they are cut, all
/// queries, and the partial results of its own from the places whose keys these
/// see.
double passQBytesOf(const Ring &ring, const TokenBytes &bytes, Queries queries,
                    int64_t place);
/// The same of all places.
double passQBytes(const Ring &ring, const TokenBytes &bytes, Queries queries);

/// Queries for each key below which pass-Q moves less than pass-KV, what goes
/// with the keys included, with every key visible; below 0 where it always
/// does.
double crossover(int64_t places, const TokenBytes &bytes, Queries queries);

} // namespace agt::analysis

#endif // AGT_PASSES_ANALYSIS_RINGTRAFFIC_H
