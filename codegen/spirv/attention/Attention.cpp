// See Attention.h.
#include "codegen/spirv/attention/Attention.h"

#include "codegen/spirv/Profile.h"
#include "codegen/spirv/Serialize.h"
#include "codegen/spirv/attention/AttentionAbi.h"
#include "codegen/spirv/attention/BroadcastKernel.h"
#include "codegen/spirv/attention/RowsBody.h"
#include "codegen/spirv/attention/TileKernel.h"

using namespace mlir;

namespace agt::spirv::attention {

// Attention for a driver on the CPU: the fast kernel where it fits, else the
// compact one.
static void buildForCpuDriver(Location loc, const AttentionSpec &spec,
                              const Profile &profile, Variant &variant) {
  BroadcastShape shape;
  shape.lanes = profile.subgroupSize;
  // As many rows as keep a lane's elements of q and o at 512 each: more gain
  // nothing and take the driver's compiler ever longer. Half as many where
  // subgroups are of another size than lavapipe's usual one.
  int64_t longer = std::max(spec.headDim, spec.valueDim);
  shape.rowsPerLane = longer > 128 ? 2 : longer > 64 ? 4 : 8;
  if (profile.subgroupSize != 8)
    shape.rowsPerLane /= 2;
  shape.wide =
      (profile.features & AGT_FEATURE_INT64) && broadcastFits(spec, true);
  if (broadcastFits(spec, shape.wide)) {
    variant.module = buildBroadcast(loc, spec, shape);
    variant.binary.tile[0] = shape.rows();
    if (!shape.wide)
      variant.binary.features &= ~AGT_FEATURE_INT64;
  } else {
    variant.module = buildRows(loc, spec, profile.subgroupSize);
    variant.binary.tile[0] = RowsBody::kRowsAtOnce;
    variant.binary.features &= ~AGT_FEATURE_INT64;
  }
}

std::vector<Variant> buildVariants(Location loc, const AttentionSpec &spec) {
  std::vector<Variant> variants;
  for (const Profile &profile : profiles()) {
    Variant variant;
    variant.binary.profile = profile.name;
    variant.binary.subgroupSize = profile.subgroupSize;
    variant.binary.features = profile.features;
    switch (profile.family) {
    case Family::CpuDriver:
      buildForCpuDriver(loc, spec, profile, variant);
      break;
    case Family::GpuMatrix:
      if (!matricesFit(spec))
        continue;
      variant.module = buildTile(loc, spec, /*matrices=*/true);
      variant.binary.tile[0] = kTileRows;
      break;
    case Family::Gpu:
      variant.module = buildTile(loc, spec);
      variant.binary.tile[0] = kTileRows;
      break;
    }
    variants.push_back(std::move(variant));
  }
  return variants;
}

// Work is rows by heads; the useful operations are two for each element of a
// key that a query sees, and of its value. For causal masks: each query sees
// one key more than the one before (exact where no query is before all keys
// and the last is at the last key).
static void describeLaunch(MLIRContext *context, const AttentionSpec &spec,
                           KernelCode &code) {
  auto scalar = [&](Scalar s) { return getAffineSymbolExpr(s, context); };
  AffineExpr heads = scalar(kBatch) * scalar(kKvHeads) * scalar(kGroup);
  AffineExpr queries = scalar(kQueries);
  AffineExpr one = getAffineConstantExpr(1, context);
  code.work = {queries, heads, one, one};
  AffineExpr pairs = queries * scalar(kKeys);
  if (spec.causal)
    pairs = queries * (scalar(kCausalOffset) + 1) +
            (queries * (queries - 1)).floorDiv(2);
  code.flops = heads * pairs * 2 * (scalar(kHeadDim) + scalar(kValueDim));
}

FailureOr<KernelCode> buildAttention(Location loc, const AttentionSpec &spec) {
  KernelCode code;
  code.name = "attention";
  describeLaunch(loc.getContext(), spec, code);
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
