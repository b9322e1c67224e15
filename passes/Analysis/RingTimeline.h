// When the places of a ring compute and send, by declared rates: what a
// schedule promises, for pictures and plans. Plain C++, no IR.
#ifndef AGT_PASSES_ANALYSIS_RINGTIMELINE_H
#define AGT_PASSES_ANALYSIS_RINGTIMELINE_H

#include "passes/Analysis/RingSchedule.h"

namespace agt::analysis {

/// What work and transfers cost.
struct RingCosts {
  double flopsOfPair = 0;  // operations for a visible pair, all heads
  double bytesOfToken = 0; // keys and values of a token
  double rate = 0;         // operations a second
  double link = 0;         // bytes a second, in one direction
};

/// From begin to end, in seconds.
struct Interval {
  double begin = 0;
  double end = 0;
  double length() const { return end - begin; }
};

struct RingStep {
  int64_t owner = 0;
  bool sees = false;
  bool receives = false; // a shard arrives for the next step
  double bytes = 0;      // of it
  Interval compute;
  Interval transfer; // of what arrives, where it does
};

/// The steps of all places, `steps[place][step]`.
struct RingTimeline {
  std::vector<std::vector<RingStep>> steps;
  double end = 0;
  double transferTime = 0;
  double hiddenTime = 0; // of it, under the receiver's compute
};

/// A transfer begins when both ends have posted it and the link from that place
/// is free; a step ends when its compute and both its transfers have.
RingTimeline timelineOf(const Ring &ring, const RingCosts &costs);

} // namespace agt::analysis

#endif // AGT_PASSES_ANALYSIS_RINGTIMELINE_H
