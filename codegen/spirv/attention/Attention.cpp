// See Attention.h.
#include "codegen/spirv/attention/Attention.h"

#include "codegen/kernels/attention/AttentionAbi.h"
#include "codegen/spirv/Profile.h"
#include "codegen/spirv/Serialize.h"
#include "codegen/spirv/attention/BroadcastKernel.h"
#include "codegen/spirv/attention/RowsBody.h"
#include "codegen/spirv/attention/TileKernel.h"

using namespace mlir;
using namespace agt::kernels::attention;

namespace agt::spirv::attention {

// A launch of less work than this is done by the compact kernel before the
// driver has compiled the fast one (0.2 s against 1 to 2.5 s, once for each
// machine); what it takes longer, no one notices.
static constexpr double kWorthCompiling = 1e8;
/// The same for the larger of two shapes of the fast one.
static constexpr double kWorthCompilingLarge = 2e9;

/// Fewer queries than this leave the fast kernel's lanes empty: the compact one
/// stacks the heads of a group.
static constexpr int64_t kManyRows = 9;

namespace {

// Of the dims of the work, a workgroup has rows of a query head, or of a kv
// head; the others stay whole.
constexpr int64_t whole = int64_t(1) << 40;
std::array<int64_t, 4> ofHead(int64_t rows) { return {rows, 1, whole, whole}; }
std::array<int64_t, 4> ofKvHead(int64_t rows) {
  return {whole, whole, 1, rows};
}

// Collects the variants of one kernel.
struct Variants {
  Location loc;
  const AttentionSpec &spec;
  std::vector<Variant> list;

  void add(const Profile &profile, OwningOpRef<ModuleOp> module,
           std::array<int64_t, 4> tile, const char *shape = "",
           double minFlops = 0, uint32_t unneeded = 0) {
    Variant variant;
    variant.module = std::move(module);
    variant.binary.profile = std::string(profile.name) + shape;
    variant.binary.subgroupSize = profile.subgroupSize;
    variant.binary.features = profile.features & ~unneeded;
    variant.binary.minFlops = minFlops;
    variant.binary.tile = tile;
    list.push_back(std::move(variant));
  }

  // For a driver on the CPU: the fast kernel where it fits, and the compact
  // one.
  void addForCpuDriver(const Profile &profile) {
    BroadcastShape shape;
    shape.lanes = profile.subgroupSize;
    shape.wide =
        (profile.features & AGT_FEATURE_INT64) && broadcastFits(spec, true);
    uint32_t unneeded = shape.wide ? 0 : AGT_FEATURE_INT64;
    // The fast kernel gives some rows to the compact one, by what others hold:
    // leaves are the compact one's alone.
    if (!spec.leaves && broadcastFits(spec, shape.wide)) {
      // As many rows as keep a lane's elements of q and o at 512 each: more
      // gain nothing and take the driver's compiler ever longer. The large
      // shape is for lavapipe's usual subgroups alone: it is half of what
      // compiling an attention takes.
      int64_t longer = std::max(spec.headDim, spec.valueDim);
      int64_t rows = longer > 128 ? 2 : longer > 64 ? 4 : 8;
      for (bool large : {true, false}) {
        if (large && profile.subgroupSize != 8)
          continue;
        shape.rowsPerLane = large ? rows : rows / 2;
        add(profile, buildBroadcast(loc, spec, shape), ofHead(shape.rows()),
            large ? "" : "-small",
            large ? kWorthCompilingLarge : kWorthCompiling, unneeded);
        list.back().binary.minRows = kManyRows;
      }
    }
    add(profile, buildRows(loc, spec, profile.subgroupSize),
        ofKvHead(RowsBody::kRowsAtOnce), "-rows", 0, AGT_FEATURE_INT64);
  }
};

} // namespace

std::vector<Variant> buildVariants(Location loc, const AttentionSpec &spec) {
  Variants variants{loc, spec, {}};
  for (const Profile &profile : profiles()) {
    switch (profile.family) {
    case Family::CpuDriver:
      variants.addForCpuDriver(profile);
      break;
    case Family::GpuMatrix:
      // How matrices sum is the driver's to say, but always the same.
      if (matricesFit(spec))
        variants.add(profile, buildTile(loc, spec, /*matrices=*/true),
                     ofKvHead(kTileRows));
      break;
    case Family::Gpu:
      variants.add(profile, buildTile(loc, spec), ofKvHead(kTileRows));
      break;
    }
  }
  return std::move(variants.list);
}

FailureOr<KernelCode> buildAttention(Location loc, const AttentionSpec &spec) {
  KernelCode code;
  code.name = "attention";
  code.launch = launchOf(spec, loc.getContext());
  for (Variant &variant : buildVariants(loc, spec)) {
    auto words = serializeKernel(*variant.module);
    if (failed(words))
      return failure();
    code.variants.push_back(std::move(variant.binary));
    code.variants.back().words = std::move(*words);
    code.variants.back().source =
        std::make_shared<OwningOpRef<ModuleOp>>(std::move(variant.module));
  }
  return code;
}

} // namespace agt::spirv::attention
