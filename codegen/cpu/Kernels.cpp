// See Kernels.h. The builders of codegen/kernels offer each kernel in several
// forms; the CPU takes the one of independent invocations, as a loop.
#include "codegen/cpu/Kernels.h"

#include "codegen/cpu/FewRowsKernel.h"
#include "codegen/cpu/InvocationBuilder.h"
#include "codegen/cpu/Lower.h"
#include "codegen/cpu/ProductKernel.h"
#include "codegen/kernels/KernelVariants.h"

using namespace mlir;

namespace agt::cpu {
namespace {

class CpuVariantSet : public kernels::VariantSet {
public:
  CpuVariantSet(ModuleOp module, llvm::StringRef name, KernelOp kernel,
                const Target &target)
      : VariantSet(kernel), module(module), name(name.str()), target(target) {}

  LogicalResult
  add(const kernels::VariantPlan &plan,
      llvm::function_ref<void(kernels::Evaluator &)> body) override;

  std::vector<CpuVariant> variants;

private:
  void addLoop(llvm::function_ref<void(kernels::Evaluator &)> body);
  void addTiles(const kernels::VariantPlan &plan,
                llvm::function_ref<void(kernels::Evaluator &)> body);
  void addProducts(Operation *anchor);
  void addProduct(const kernels::ProductShape &shape, bool pairs);
  void addFewRows(Operation *anchor);
  CpuVariant &newVariant();
  int64_t invocationsPerGroup();

  ModuleOp module;
  std::string name;
  const Target &target;
};

CpuVariant &CpuVariantSet::newVariant() {
  CpuVariant variant;
  variant.function =
      name + "." + std::to_string(variants.size()) + "." + target.suffix;
  variant.isa = target.isa;
  variants.push_back(std::move(variant));
  return variants.back();
}

// So many that a workgroup is some microseconds of work.
int64_t CpuVariantSet::invocationsPerGroup() {
  Operation *anchor = kernels::anchorOf(kernel());
  if (!anchor)
    return 2048;
  auto type = cast<RankedTensorType>(anchor->getOperand(0).getType());
  int64_t length = type.getRank() ? type.getShape().back() : 1;
  if (ShapedType::isDynamic(length))
    return 4;
  return std::clamp<int64_t>(4096 / std::max<int64_t>(length, 1), 1, 256);
}

void CpuVariantSet::addLoop(
    llvm::function_ref<void(kernels::Evaluator &)> body) {
  CpuVariant &variant = newVariant();
  int64_t perGroup = invocationsPerGroup();
  variant.tile = {perGroup, 1, 1, 1};
  InvocationBuilder k(module, variant.function,
                      UnknownLoc::get(module.getContext()),
                      kernels::Evaluator::buffersOf(kernel()));
  kernels::Evaluator e(k, kernel(), shapes());
  Value total = e.size(launch().work[0]);
  Value first = k.mul(k.group(), perGroup);
  Value last = k.minS(k.add(first, perGroup), total);
  e.forRange(first, last, 1, [&](Value number) {
    k.setThread(number);
    body(e);
  });
  k.finish();
}

// Workgroups that are no row of invocations: one after the other, each as a
// loop over its own.
void CpuVariantSet::addTiles(
    const kernels::VariantPlan &plan,
    llvm::function_ref<void(kernels::Evaluator &)> body) {
  CpuVariant &variant = newVariant();
  variant.tile = plan.tile;
  InvocationBuilder k(module, variant.function,
                      UnknownLoc::get(module.getContext()),
                      kernels::Evaluator::buffersOf(kernel()));
  kernels::Evaluator e(k, kernel(), shapes());
  k.setWorkgroup(k.group());
  e.forRange(k.i32(0), k.i32(plan.workgroupSize), 1, [&](Value number) {
    k.setThread(number);
    body(e);
  });
  k.finish();
}

// Tiles in registers, for launches with rows enough to be worth the copies.
void CpuVariantSet::addProducts(Operation *anchor) {
  kernels::ProductShape shape(shapes(), anchor);
  if (target.isa == AGT_ISA_V4 && hasPairs(shape))
    addProduct(shape, /*pairs=*/true);
  addProduct(shape, /*pairs=*/false);
}

void CpuVariantSet::addProduct(const kernels::ProductShape &shape, bool pairs) {
  Value root = kernel().getBody().front().getTerminator()->getOperand(0);
  CpuVariant &variant = newVariant();
  if (pairs)
    variant.isa = AGT_ISA_V4_BF16;
  ProductTile tile = ProductKernel::packed(shape);
  variant.tile = {1, tile.rows, tile.columns, 1};
  variant.scratchBytes = tile.scratchBytes();
  auto flopsOfRow = dyn_cast<AffineConstantExpr>(shape.n * shape.k * 2);
  // Fewer rows by a matrix of weights are read along the rows of that; a
  // matrix that lies the other way is best copied whatever the rows.
  constexpr double manyRows = 10;
  if (shape.transposed && !isReproducible())
    variant.minFlops =
        flopsOfRow ? manyRows * double(flopsOfRow.getValue()) : double(1 << 20);
  InvocationBuilder k(module, variant.function,
                      UnknownLoc::get(module.getContext()),
                      kernels::Evaluator::buffersOf(kernel()));
  kernels::Evaluator e(k, kernel(), shapes());
  if (pairs)
    k.needs("+avx512bf16");
  ProductKernel(k, e, shape, root, target, tile, pairs).build();
  k.finish();
}

// Few rows by a matrix of weights, read along its rows.
void CpuVariantSet::addFewRows(Operation *anchor) {
  kernels::ProductShape shape(shapes(), anchor);
  Value root = kernel().getBody().front().getTerminator()->getOperand(0);
  CpuVariant &variant = newVariant();
  constexpr ProductTile tile = FewRowsKernel::few;
  variant.tile = {1, tile.rows, tile.columns, 1};
  variant.scratchBytes = tile.scratchBytes();
  InvocationBuilder k(module, variant.function,
                      UnknownLoc::get(module.getContext()),
                      kernels::Evaluator::buffersOf(kernel()));
  kernels::Evaluator e(k, kernel(), shapes());
  FewRowsKernel(k, e, shape, root, target).build();
  k.finish();
}

LogicalResult
CpuVariantSet::add(const kernels::VariantPlan &plan,
                   llvm::function_ref<void(kernels::Evaluator &)> body) {
  if (plan.subgroupSize != 0)
    return success();
  std::array<int64_t, 4> row = {plan.workgroupSize, 1, 1, 1};
  if (plan.tile == row) {
    addLoop(body);
    return success();
  }
  Operation *anchor = kernels::anchorOf(kernel());
  addProducts(anchor);
  if (isReproducible())
    return success();
  if (FewRowsKernel::takes(anchor))
    addFewRows(anchor);
  else if (isa<LinearOp>(anchor))
    addTiles(plan, body);
  return success();
}

} // namespace

FailureOr<std::vector<CpuVariant>> buildKernel(ModuleOp module,
                                               llvm::StringRef name,
                                               KernelOp kernel,
                                               const Target &target) {
  loadKernelDialects(*module.getContext());
  CpuVariantSet variants(module, name, kernel, target);
  if (failed(kernels::buildVariants(variants)))
    return failure();
  return std::move(variants.variants);
}

} // namespace agt::cpu
