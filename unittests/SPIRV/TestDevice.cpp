// The kernel tests on Vulkan.
#include "unittests/SPIRV/TestDevice.h"

namespace agt::test {

const char *testDevice() { return "vulkan"; }

std::vector<agt_cpu_variant> nativeVariants(KernelOp) { return {}; }

} // namespace agt::test
