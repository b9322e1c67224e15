// See Attention.h.
#include "codegen/cpu/attention/Attention.h"

#include "codegen/cpu/InvocationBuilder.h"
#include "codegen/cpu/attention/BlockKernel.h"
#include "codegen/kernels/attention/Launch.h"

namespace agt::cpu {

// Rows of a workgroup: those that share packed keys, in whole tiles of either
// target; and up to how many rows keys are not worth packing.
static constexpr int64_t manyRows = 168;
static constexpr int64_t fewRows = 8;

std::vector<CpuVariant>
buildAttention(mlir::ModuleOp module, llvm::StringRef name, mlir::Location loc,
               const kernels::attention::AttentionSpec &spec,
               const Target &target) {
  std::string function = (name + "." + target.suffix).str();
  CpuBuilder b(module, function, loc);
  int64_t lanes = target.lanes;
  // A panel of values may reach 64 elements beyond a row (AGT_CPU_SLACK).
  // Keys that are not packed are summed in another order: leaves must not know
  // how many rows there are.
  // One row reads the values once over where its sums fit in as many registers.
  int64_t columns = spec.valueDim % (8 * lanes) == 0 && spec.valueDim ? 8 : 4;
  BlockKernel one(b, spec, {{1, columns, lanes}, 1, spec.leaves});
  BlockKernel few(b, spec, {{4, 2, lanes}, fewRows, spec.leaves});
  BlockKernel many(b, spec, {{target.tileRows, 2, lanes}, manyRows, true});
  Launch launch(b, spec);
  b.ifElse(
      launch.rows < 2, [&] { one.build(launch); },
      [&] {
        b.ifElse(
            launch.rows < fewRows + 1, [&] { few.build(launch); },
            [&] { many.build(launch); });
      });
  b.finish();

  // Other dims of the work are the group and the queries by themselves.
  constexpr int64_t whole = int64_t(1) << 40;
  CpuVariant variant;
  variant.function = function;
  variant.isa = target.isa;
  variant.scratchBytes = static_cast<uint32_t>(
      std::max({one.scratchBytes(), few.scratchBytes(), many.scratchBytes()}));
  std::vector<CpuVariant> variants;
  // Packing keys costs less the more rows share them; small launches are cut
  // finer, so that every processor has some.
  for (auto [minFlops, rows] : {std::pair<double, int64_t>{4e9, manyRows},
                                {1e8, manyRows / 2},
                                {0, manyRows / 4}}) {
    variant.minFlops = minFlops;
    variant.tile = {whole, whole, 1, rows};
    variants.push_back(variant);
  }
  return variants;
}

std::vector<CpuVariant>
buildNumbered(mlir::ModuleOp module, llvm::StringRef name, mlir::Location loc,
              const kernels::attention::AttentionSpec &spec,
              const kernels::attention::Numbered &kernel,
              const Target &target) {
  constexpr int64_t perGroup = 64;
  CpuVariant variant;
  variant.function = (name + "." + target.suffix).str();
  variant.isa = target.isa;
  variant.tile = {perGroup, 1, 1, 1};
  InvocationBuilder k(module, variant.function, loc,
                      kernels::attention::wordTypesOf(spec));
  mlir::Value first = k.mul(k.group(), perGroup);
  mlir::Value last = k.minS(k.add(first, perGroup), kernel.count(k));
  k.forRange(first, last, 1, [&](mlir::Value number) {
    k.setThread(number);
    kernel.emit(k, spec, number);
  });
  k.finish();
  return {variant};
}

} // namespace agt::cpu
