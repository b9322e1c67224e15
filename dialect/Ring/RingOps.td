//===- RingOps.td - All ops of the ring dialect ---------------------------===//

#ifndef RING_OPS_TD
#define RING_OPS_TD

include "dialect/Ring/RingDialect.td"
include "dialect/Ring/RingPlaceOps.td"
include "dialect/Ring/RingMoveOps.td"
include "dialect/Ring/RingAttendOps.td"

#endif // RING_OPS_TD
