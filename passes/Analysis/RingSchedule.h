// The schedule of a ring: which shard each place meets in each step, what of it
// is seen, what is sent, and why nobody waits for ever. Plain C++, no IR.
//
// W places hold a shard of keys each. In step t place r meets the shard that
// started at (r - t) mod W; it posts the send of what it holds to r + 1 and the
// receive of the next from r - 1, computes, and awaits both. In W steps every
// place meets every shard once, in W - 1 transfers, and in one step no two
// places meet the same shard: (r - t) mod W is a bijection in r for each t and
// in t for each r.
//
// Nobody waits for ever, even where a send ends only when the other side has
// posted its receive, and with one buffer besides the shard in use. A place
// awaits in step t only what it and its two neighbours post in step t; it posts
// in step t after it has awaited step t - 1. So every wait for something of
// step t ends in posts of step t, each of which waits for steps below t alone:
// by induction on t all of them happen. `waitsForEver` looks for the cycle that
// would contradict this, in the events as they are recorded.
#ifndef AGT_PASSES_ANALYSIS_RINGSCHEDULE_H
#define AGT_PASSES_ANALYSIS_RINGSCHEDULE_H

#include <cstdint>
#include <string>
#include <vector>

namespace agt::analysis {

enum class Tokens { Contiguous, Zigzag, Striped, Leaves, ZigzagLeaves };

/// Tokens that cuts of Leaves and ZigzagLeaves keep together.
constexpr int64_t kLeafTokens = 128;

/// Positions first, first + step, ... (`count` of them).
struct Run {
  int64_t first;
  int64_t count;
  int64_t step;
};

/// What part `part` of `parts` holds of `tokens` tokens: of S tokens in n
/// pieces the first S mod n have one more. Runs are not empty.
std::vector<Run> runsOf(Tokens balance, int64_t parts, int64_t part,
                        int64_t tokens);
int64_t tokensOf(Tokens balance, int64_t parts, int64_t part, int64_t tokens);

/// An attention that goes round a ring.
struct Ring {
  int64_t places = 1;
  Tokens balance = Tokens::Contiguous;
  int64_t queries = 0, keys = 0; // tokens of the whole
  int64_t offset = 0;            // query i stands at position i + offset
  bool causal = false;
  int64_t left = -1, right = -1; // sides of a window; -1: no limit
  int64_t pin = 0;

  /// The place whose shard place `place` meets in step `step`.
  int64_t owner(int64_t place, int64_t step) const {
    return ((place - step) % places + places) % places;
  }
  /// Pairs of a query of `place` and a key of `owner` that are visible.
  double pairs(int64_t place, int64_t owner) const;
  /// Whether there may be one, as the program asks: by the ends of runs.
  bool sees(int64_t place, int64_t owner) const;
  /// Whether the shard of `owner` is seen by a place that meets it after
  /// `step`: else it is not sent on.
  bool needed(int64_t owner, int64_t step) const;
  /// Tokens of keys that place `place` receives in all steps together.
  int64_t tokensReceived(int64_t place) const;
  int64_t hopsSkipped() const;
  /// The most visible pairs that a place has, over their mean.
  double imbalance() const;
};

/// How a place passes a step: what it waits for before what.
enum class Passing {
  Posted,  // sends and receives are posted, then awaited
  Blocking // a send is awaited before the receive is posted
};

/// A cycle of events that wait for each other, for people to read; empty where
/// there is none.
std::string waitsForEver(int64_t places, Passing passing);

} // namespace agt::analysis

#endif // AGT_PASSES_ANALYSIS_RINGSCHEDULE_H
