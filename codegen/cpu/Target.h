// Target: what CPU kernels are built for: a level of the x86-64 psABI and what
// follows from it.
#ifndef AGT_CODEGEN_CPU_TARGET_H
#define AGT_CODEGEN_CPU_TARGET_H

#include "runtime/include/agt/runtime.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace agt::cpu {

struct Target {
  agt_isa isa;
  const char *name;   // of the level, as compilers spell it
  const char *suffix; // of functions
  int64_t lanes;      // f32 in a register
  int64_t tileRows;   // accumulators of a tile: tileRows x 2 registers, so
                      // that they, two operands and a broadcast fit
};

/// From the --cpu option: "x86-64-v3", "x86-64-v4", "native" (this machine's
/// level), or "" for all of them, best first. None for other texts, and for
/// "native" on a machine that runs none of them.
std::optional<llvm::SmallVector<Target, 2>> parseTargets(llvm::StringRef text);

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_TARGET_H
