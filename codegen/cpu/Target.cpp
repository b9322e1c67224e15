// See Target.h.
#include "codegen/cpu/Target.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace agt::cpu {

static constexpr Target v4 = {AGT_ISA_V4, "x86-64-v4", "v4", 16, 14};
static constexpr Target v3 = {AGT_ISA_V3, "x86-64-v3", "v3", 8, 6};

std::optional<llvm::SmallVector<Target, 2>> parseTargets(llvm::StringRef text) {
  using Targets = llvm::SmallVector<Target, 2>;
  if (text.empty())
    return Targets{v4, v3};
  if (text == v4.name)
    return Targets{v4};
  if (text == v3.name)
    return Targets{v3};
  if (text != "native")
    return std::nullopt;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto all = [&](std::initializer_list<const char *> names) {
    return llvm::all_of(
        names, [&](const char *name) { return features.lookup(name); });
  };
  if (!all({"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"}))
    return std::nullopt;
  if (all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return Targets{v4};
  return Targets{v3};
}

} // namespace agt::cpu
