// CpuCode: the native variants of a kernel as the host program holds them (the
// twin of agt_cpu_variant of agt/runtime.h).
#ifndef AGT_CODEGEN_CPU_CPUCODE_H
#define AGT_CODEGEN_CPU_CPUCODE_H

#include "codegen/cpu/Target.h"

#include <array>
#include <string>
#include <vector>

namespace agt::cpu {

struct CpuVariant {
  std::string function; // its symbol
  agt_isa isa = AGT_ISA_NONE;
  uint32_t scratchBytes = 0;
  double minFlops = 0;
  std::array<int64_t, 4> tile = {1, 1, 1, 1};
};

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_CPUCODE_H
