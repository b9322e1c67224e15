// See Attention.h.
#include "codegen/cpu/attention/Attention.h"

#include "codegen/cpu/attention/BlockKernel.h"

namespace agt::cpu {

std::vector<CpuVariant>
buildAttention(mlir::ModuleOp module, llvm::StringRef name, mlir::Location loc,
               const spirv::attention::AttentionSpec &spec,
               const Target &target) {
  std::string function = (name + "." + target.suffix).str();
  CpuBuilder b(module, function, loc);
  BlockKernel kernel(b, spec, target);
  kernel.build(Launch(b, spec));
  b.finish();

  // Other dims of the work are the group and the queries by themselves.
  constexpr int64_t whole = int64_t(1) << 40;
  CpuVariant variant;
  variant.function = function;
  variant.isa = target.isa;
  variant.scratchBytes = static_cast<uint32_t>(kernel.scratchBytes());
  std::vector<CpuVariant> variants;
  // Packing keys costs less the more rows share them; small launches are cut
  // finer, so that every processor has some.
  for (auto [minFlops, rows] :
       {std::pair<double, int64_t>{4e9, BlockKernel::maxRows},
        {1e8, BlockKernel::maxRows / 2},
        {0, BlockKernel::maxRows / 4}}) {
    variant.minFlops = minFlops;
    variant.tile = {1, whole, whole, rows};
    variants.push_back(variant);
  }
  return variants;
}

} // namespace agt::cpu
