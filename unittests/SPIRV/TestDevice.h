// TestDevice: which device the kernel tests run on. The same tests are linked
// with one implementation for Vulkan and one for the CPU.
#ifndef AGT_UNITTESTS_SPIRV_TESTDEVICE_H
#define AGT_UNITTESTS_SPIRV_TESTDEVICE_H

#include "dialect/Agt/Agt.h"
#include "runtime/include/agt/runtime.h"

#include <vector>

namespace agt::test {

/// What agt_context_create is given.
const char *testDevice();

/// The kernel's native variants, ready to be called for as long as the process
/// lives; none where the device does not take them.
std::vector<agt_cpu_variant> nativeVariants(KernelOp kernel);

} // namespace agt::test

#endif // AGT_UNITTESTS_SPIRV_TESTDEVICE_H
