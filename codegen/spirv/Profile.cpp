// See Profile.h.
#include "codegen/spirv/Profile.h"

namespace agt::spirv {

static constexpr uint32_t kCpuDriver =
    AGT_FEATURE_CPU_DRIVER | AGT_FEATURE_BROADCAST;

// lavapipe's subgroups follow the vector width of its machine (or
// LP_NATIVE_VECTOR_WIDTH): 256 bits, 512, 128. SwiftShader has 128 bits and no
// 64-bit integers; lavapipe at 128 bits takes its variant.
static constexpr Profile kProfiles[] = {
    {"lavapipe", Family::CpuDriver, 8, kCpuDriver | AGT_FEATURE_INT64},
    {"lavapipe512", Family::CpuDriver, 16, kCpuDriver | AGT_FEATURE_INT64},
    {"swiftshader", Family::CpuDriver, 4, kCpuDriver},
    {"gpu-matrix", Family::GpuMatrix, 32,
     AGT_FEATURE_COOPMAT | AGT_FEATURE_FLOAT16},
    {"gpu", Family::Gpu, 0, 0},
};

llvm::ArrayRef<Profile> profiles() { return kProfiles; }

} // namespace agt::spirv
