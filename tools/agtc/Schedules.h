// Schedules of rings in the IR as the planner's plain C++ has them.
#ifndef AGT_TOOLS_AGTC_SCHEDULES_H
#define AGT_TOOLS_AGTC_SCHEDULES_H

#include "dialect/Ring/Ring.h"
#include "passes/Analysis/RingTimeline.h"

namespace agt::tool {

/// What the IR of a schedule says of its ring; open dims are `tokens` long.
analysis::Ring ringOf(ring::ScheduleOp schedule, int64_t tokens);

/// What its work and transfers cost where a position does `rate` operations a
/// second, and where the mesh says nothing of the link that the ring uses, that
/// one brings `link` bytes a second.
analysis::RingCosts costsOf(ring::ScheduleOp schedule, MeshOp mesh, double rate,
                            double link);

} // namespace agt::tool

#endif
