// Which variant of a kernel a launch takes, and the grid it becomes.
#include "runtime/Plan/Execute.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <optional>

namespace agt::rt {

static const char *featureName(uint32_t bit) {
  switch (bit) {
  case AGT_FEATURE_FLOAT16:
    return "16-bit floats (shaderFloat16)";
  case AGT_FEATURE_INT64:
    return "64-bit integers (shaderInt64)";
  case AGT_FEATURE_BROADCAST:
    return "subgroup broadcasts in compute shaders";
  case AGT_FEATURE_SHUFFLE:
    return "subgroup shuffles in compute shaders";
  case AGT_FEATURE_COOPMAT:
    return "cooperative matrices";
  case AGT_FEATURE_CPU_DRIVER:
    return "a driver that runs on the CPU";
  default:
    return "a feature that this runtime does not know";
  }
}

// What a variant needs that the device lacks, for people.
static std::vector<std::string> lacks(const agt_kernel_variant &variant,
                                      const DeviceProperties &device) {
  std::vector<std::string> names;
  if (variant.subgroup_size && variant.subgroup_size != device.subgroupSize)
    names.push_back("subgroups of " + std::to_string(variant.subgroup_size) +
                    " (it has " + std::to_string(device.subgroupSize) + ")");
  uint32_t missing = variant.features & ~device.features;
  for (uint32_t bit = 1; bit; bit <<= 1)
    if (missing & bit)
      names.push_back(featureName(bit));
  return names;
}

// The first native variant that fits, or none.
static std::optional<uint32_t> nativeVariant(const agt_kernel &kernel,
                                             double flops, uint32_t isa) {
  for (uint32_t i = 0; i < kernel.n_cpu_variants; ++i) {
    const agt_cpu_variant &variant = kernel.cpu_variants[i];
    if (variant.isa <= isa && flops >= variant.min_flops)
      return i;
  }
  return std::nullopt;
}

bool runsNatively(const agt_run &plan, uint32_t isa) {
  for (const LaunchRecord &launch : plan.launches)
    if (!nativeVariant(*launch.kernel, launch.flops, isa))
      return false;
  return true;
}

static uint32_t chooseNative(const agt_kernel &kernel, double flops,
                             const DeviceProperties &device,
                             const std::string &place) {
  if (std::optional<uint32_t> variant =
          nativeVariant(kernel, flops, device.isa))
    return *variant;
  uint32_t least = ~0u;
  for (uint32_t i = 0; i < kernel.n_cpu_variants; ++i)
    least = std::min(least, kernel.cpu_variants[i].isa);
  std::string needs =
      "native code, which this program was compiled without (agtc --target)";
  if (kernel.n_cpu_variants && least > device.isa)
    needs = "a processor of x86-64-v" + std::to_string(least);
  fail(AGT_MISSING,
       std::string("kernel '") + kernel.name + "' cannot run on '" +
           device.name + "': it needs " + needs,
       place);
}

const int64_t *tileOf(const agt_kernel &kernel, uint32_t variant,
                      const DeviceProperties &device) {
  return device.isa ? kernel.cpu_variants[variant].tile
                    : kernel.variants[variant].tile;
}

uint32_t chooseVariant(const LaunchRecord &launch,
                       const DeviceProperties &device) {
  const agt_kernel &kernel = *launch.kernel;
  if (device.isa)
    return chooseNative(kernel, launch.flops, device, launch.place);
  std::string reasons;
  for (uint32_t i = 0; i < kernel.n_variants; ++i) {
    const agt_kernel_variant &variant = kernel.variants[i];
    std::vector<std::string> missing = lacks(variant, device);
    if (missing.empty() && launch.flops >= variant.min_flops &&
        launch.work[0] >= variant.min_rows)
      return i;
    std::string reason =
        missing.empty() ? "a larger launch" : listText(missing);
    if (reasons.find(reason) == std::string::npos)
      reasons += (reasons.empty() ? "" : ", or ") + reason;
  }
  if (kernel.n_variants == 0)
    reasons = "SPIR-V, which this program was compiled without (agtc --target)";
  fail(AGT_MISSING,
       std::string("kernel '") + kernel.name + "' cannot run on '" +
           device.name + "': it needs " + reasons,
       launch.place);
}

Grid foldGroups(uint64_t groups, const uint32_t limits[2]) {
  uint64_t y = (groups + limits[0] - 1) / limits[0];
  uint64_t x = y ? (groups + y - 1) / y : 0;
  return {uint32_t(x), uint32_t(y)};
}

} // namespace agt::rt
