// KernelVariants: what the builders of kernels share - a variant is planned,
// built over one KernelBuilder and serialised.
#ifndef AGT_CODEGEN_SPIRV_KERNELVARIANTS_H
#define AGT_CODEGEN_SPIRV_KERNELVARIANTS_H

#include "codegen/spirv/Evaluator.h"
#include "codegen/spirv/KernelCode.h"

namespace agt::spirv {

/// What is decided before a variant is built.
struct VariantPlan {
  std::string profile;
  uint32_t subgroupSize = 0; // 0: any
  int32_t workgroupSize = 64;
  std::array<int64_t, 4> tile = {1, 1, 1, 1};
  double minFlops = 0;
};

/// Adds variants to the code of one kernel.
class VariantSet {
public:
  VariantSet(KernelOp kernel);
  virtual ~VariantSet() = default;

  KernelOp kernel() { return op; }
  KernelShapes &shapes() { return kernelShapes; }
  KernelCode &code() { return result; }

  /// Builds, lowers and serialises a variant. `body` runs in workgroups that
  /// have work only.
  virtual mlir::LogicalResult add(const VariantPlan &plan,
                                  llvm::function_ref<void(Evaluator &)> body);

  /// Subgroup sizes that get a variant of their own, likelier ones first.
  static llvm::ArrayRef<uint32_t> subgroupSizes();

private:
  KernelOp op;
  KernelShapes kernelShapes;
  KernelCode result;
};

using Values = llvm::SmallVector<mlir::Value>;

/// One tuple of values from those of all lanes of a subgroup of `size` lanes,
/// which is the whole workgroup: combined in a fixed tree.
Values combineLanes(KernelBuilder &k, uint32_t size, Values values,
                    llvm::function_ref<Values(llvm::ArrayRef<mlir::Value>,
                                              llvm::ArrayRef<mlir::Value>)>
                        combine);

// The builders: by what the kernel's anchor is.
mlir::LogicalResult buildVariants(VariantSet &variants);
mlir::LogicalResult buildElementwise(VariantSet &variants);
mlir::LogicalResult buildRows(VariantSet &variants, mlir::Operation *anchor);
mlir::LogicalResult buildProduct(VariantSet &variants, mlir::Operation *anchor);
mlir::LogicalResult buildQuantize(VariantSet &variants, QuantizeOp anchor);
mlir::LogicalResult buildCacheAppend(VariantSet &variants,
                                     CacheAppendOp anchor);

} // namespace agt::spirv

#endif // AGT_CODEGEN_SPIRV_KERNELVARIANTS_H
