// KernelVariants: from an agt.kernel to the forms it can be computed in.
//
// The body of a kernel holds at most one op that loops (its anchor: a product,
// a reduction along an axis, a norm, a quantisation), and element-wise and
// shape functions around it. Which builder a kernel gets follows from the
// anchor; everything else is pulled element by element (Evaluator.h). Builders
// plan variants, a target makes of them what it can use.
//
// Buffers of a launch: tensor inputs in order, then results in order. Scalars:
// see KernelShapes.h. Indices are 32 bits wide: a tensor has fewer than 2^31
// elements, which the host program checks.
#ifndef AGT_CODEGEN_KERNELS_KERNELVARIANTS_H
#define AGT_CODEGEN_KERNELS_KERNELVARIANTS_H

#include "codegen/kernels/Evaluator.h"
#include "codegen/kernels/LaunchSize.h"

#include <array>
#include <string>

namespace agt::kernels {

/// The op of a kernel's body that loops; null where there is none.
mlir::Operation *anchorOf(KernelOp kernel);

/// Two kernels with equal keys have equal code: the body without names and
/// places.
std::string kernelKey(KernelOp kernel);

/// What is decided before a variant is built.
struct VariantPlan {
  std::string profile;
  uint32_t subgroupSize = 0; // 0: any
  int32_t workgroupSize = 64;
  std::array<int64_t, 4> tile = {1, 1, 1, 1};
  double minFlops = 0;
};

/// The variants of one kernel, as a target collects them.
class VariantSet {
public:
  explicit VariantSet(KernelOp kernel) : op(kernel), kernelShapes(kernel) {}
  virtual ~VariantSet() = default;

  KernelOp kernel() { return op; }
  KernelShapes &shapes() { return kernelShapes; }
  LaunchSize &launch() { return launchSize; }
  /// Whether which variant is taken must not depend on the sizes of a run: of
  /// all there is one for a device then.
  bool isReproducible();

  /// Makes a variant, or leaves it out where the target has no use for it.
  /// `body` runs in workgroups that have work only. The launch is known by
  /// then.
  virtual mlir::LogicalResult
  add(const VariantPlan &plan, llvm::function_ref<void(Evaluator &)> body) = 0;

  /// Subgroup sizes that get a variant of their own, likelier ones first.
  static llvm::ArrayRef<uint32_t> subgroupSizes();

private:
  KernelOp op;
  KernelShapes kernelShapes;
  LaunchSize launchSize;
};

using Values = llvm::SmallVector<mlir::Value>;

/// One tuple of values from those of all lanes of a subgroup of `size` lanes,
/// which is the whole workgroup: combined in a fixed tree.
Values combineLanes(KernelBuilder &k, uint32_t size, Values values,
                    llvm::function_ref<Values(llvm::ArrayRef<mlir::Value>,
                                              llvm::ArrayRef<mlir::Value>)>
                        combine);

/// Plans the variants by what the kernel's anchor is.
mlir::LogicalResult buildVariants(VariantSet &variants);

/// The launch of a kernel, without a variant of it.
mlir::FailureOr<LaunchSize> launchOf(KernelOp kernel);

// The builders.
mlir::LogicalResult buildElementwise(VariantSet &variants);
mlir::LogicalResult buildRows(VariantSet &variants, mlir::Operation *anchor);
mlir::LogicalResult buildProduct(VariantSet &variants, mlir::Operation *anchor);
mlir::LogicalResult buildQuantize(VariantSet &variants, QuantizeOp anchor);
mlir::LogicalResult buildCacheAppend(VariantSet &variants,
                                     CacheAppendOp anchor);

} // namespace agt::kernels

#endif // AGT_CODEGEN_KERNELS_KERNELVARIANTS_H
