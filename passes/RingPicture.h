//===- RingPicture.h - A drawing of a ring's schedule -----------*- C++ -*-===//
//
// What `agtc graph --ring` shows: places down, time across; for each place what
// it computes (with the shard it meets) and what arrives, hidden or not.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_PASSES_RINGPICTURE_H
#define AGT_PASSES_RINGPICTURE_H

#include "passes/Analysis/RingTimeline.h"

#include <string>

namespace agt {

/// An SVG of the timeline, or a DOT graph of which place meets which shard.
std::string ringSvg(const std::string &title, const analysis::Ring &ring,
                    const analysis::RingCosts &costs);
std::string ringDot(const std::string &title, const analysis::Ring &ring);

} // namespace agt

#endif // AGT_PASSES_RINGPICTURE_H
