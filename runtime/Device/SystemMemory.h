// How much memory this process can still get from the system.
#ifndef AGT_RUNTIME_DEVICE_SYSTEMMEMORY_H
#define AGT_RUNTIME_DEVICE_SYSTEMMEMORY_H

#include "runtime/Device/Device.h"

#include <optional>

namespace agt::rt {

/// The tightest of: MemAvailable, the limits of the control groups the process
/// is in, its address space limit (ulimit -v).
MemoryBudget systemMemory();

/// What is left of the address space of this process, where that has a limit
/// (ulimit -v).
std::optional<MemoryBudget> addressSpace();

/// Lowers `budget` to what AGT_MEMORY says (a number of bytes), if it is set.
/// `used` is what the device has handed out already.
void applyMemoryLimit(MemoryBudget &budget, uint64_t used);

} // namespace agt::rt

#endif // AGT_RUNTIME_DEVICE_SYSTEMMEMORY_H
