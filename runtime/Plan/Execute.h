// Running a recorded plan.
#ifndef AGT_RUNTIME_PLAN_EXECUTE_H
#define AGT_RUNTIME_PLAN_EXECUTE_H

#include "runtime/Device/Device.h"
#include "runtime/Plan/Plan.h"

namespace agt::rt {

/// Runs `plan` on its context's device as the context's settings say, fills
/// `out` (as many as the graph has results) and the context's report. When it
/// fails `out` owns nothing.
void execute(agt_run &plan, agt_tensor *out);

/// The number of the first variant that fits a launch on a device, among the
/// native ones on a device that runs those. Fails with AGT_MISSING when none
/// does.
uint32_t chooseVariant(const LaunchRecord &launch,
                       const DeviceProperties &device);
/// How many of work[i] a workgroup of that variant takes.
const int64_t *tileOf(const agt_kernel &kernel, uint32_t variant,
                      const DeviceProperties &device);
/// True where every launch of the plan has a native variant for `isa`.
bool runsNatively(const agt_run &plan, uint32_t isa);

/// Workgroups as a grid of at most limits[0] x limits[1], at least `groups`
/// of them and hardly more.
struct Grid {
  uint32_t x;
  uint32_t y;
};
Grid foldGroups(uint64_t groups, const uint32_t limits[2]);

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_EXECUTE_H
