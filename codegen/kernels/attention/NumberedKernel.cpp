// See NumberedKernel.h.
#include "codegen/kernels/attention/NumberedKernel.h"

using namespace mlir;

namespace agt::kernels::attention {

LaunchSize launchOf(const Numbered &kernel, MLIRContext *context) {
  AffineExpr one = getAffineConstantExpr(1, context);
  return {{kernel.work(context), one, one, one}, {}};
}

} // namespace agt::kernels::attention
