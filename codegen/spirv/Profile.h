// Profile: the kinds of device kernels are made for, in one table. A profile
// is not a device: it is what a device must have for a variant of a kernel to
// run there, and what shape of kernel is fast on such devices. The runtime
// takes the first variant whose needs are met.
#ifndef AGT_CODEGEN_SPIRV_PROFILE_H
#define AGT_CODEGEN_SPIRV_PROFILE_H

#include "runtime/include/agt/runtime.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace agt::spirv {

enum class Family {
  CpuDriver, // broadcasts are cheap, memory and barriers are not
  GpuMatrix, // tiles staged in shared memory, f16 products by matrices
  Gpu        // tiles staged in shared memory
};

struct Profile {
  const char *name;
  Family family;
  uint32_t subgroupSize; // 0: any
  uint32_t features;     // agt_feature bits
};

/// All profiles, in order of preference. The last one fits every device.
llvm::ArrayRef<Profile> profiles();

} // namespace agt::spirv

#endif // AGT_CODEGEN_SPIRV_PROFILE_H
