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

/// The number of the first variant of `kernel` that fits a launch of `flops`
/// operations on a device. Fails with AGT_MISSING when none does.
uint32_t chooseVariant(const agt_kernel &kernel, double flops,
                       const DeviceProperties &device,
                       const std::string &place);

/// Workgroups as a grid of at most limits[0] x limits[1], at least `groups`
/// of them and hardly more.
struct Grid {
  uint32_t x;
  uint32_t y;
};
Grid foldGroups(uint64_t groups, const uint32_t limits[2]);

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_EXECUTE_H
