// Numbered: the launches beside an attention's own (NumberedKernel.h) as
// SPIR-V.
#ifndef AGT_CODEGEN_SPIRV_ATTENTION_NUMBERED_H
#define AGT_CODEGEN_SPIRV_ATTENTION_NUMBERED_H

#include "codegen/kernels/attention/NumberedKernel.h"
#include "codegen/spirv/KernelCode.h"

#include "mlir/Support/LogicalResult.h"

namespace agt::spirv::attention {

mlir::FailureOr<KernelCode>
buildNumbered(mlir::Location loc, const kernels::attention::AttentionSpec &spec,
              const kernels::attention::Numbered &kernel);

} // namespace agt::spirv::attention

#endif // AGT_CODEGEN_SPIRV_ATTENTION_NUMBERED_H
