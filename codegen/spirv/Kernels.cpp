// See Kernels.h.
#include "codegen/spirv/Kernels.h"

#include "codegen/spirv/KernelVariants.h"
#include "codegen/spirv/Serialize.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace agt::spirv {

Operation *anchorOf(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (op.hasTrait<Anchor>())
      return &op;
  return nullptr;
}

LogicalResult buildVariants(VariantSet &variants) {
  Operation *anchor = anchorOf(variants.kernel());
  if (!anchor)
    return buildElementwise(variants);
  return llvm::TypeSwitch<Operation *, LogicalResult>(anchor)
      .Case<MatmulOp, LinearOp>(
          [&](auto) { return buildProduct(variants, anchor); })
      .Case([&](QuantizeOp op) { return buildQuantize(variants, op); })
      .Case([&](CacheAppendOp op) { return buildCacheAppend(variants, op); })
      .Default([&](Operation *op) { return buildRows(variants, op); });
}

FailureOr<KernelCode> buildKernel(KernelOp kernel) {
  loadKernelDialects(*kernel.getContext());
  VariantSet variants(kernel);
  if (failed(buildVariants(variants)))
    return kernel.emitError("kernel '")
           << kernel.getLabel() << "' cannot be built";
  return std::move(variants.code());
}

std::string kernelKey(KernelOp kernel) {
  std::string key;
  llvm::raw_string_ostream out(key);
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope().skipRegions(false);
  // Values print by their number in the body, so names outside do not show.
  for (Value input : kernel.getInputs())
    out << input.getType() << ';';
  for (Type result : kernel.getResultTypes())
    out << result << ';';
  for (Operation &op : kernel.getBody().front()) {
    op.print(out, flags);
    out << '\n';
  }
  return key;
}

} // namespace agt::spirv
