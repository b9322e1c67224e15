// Kernels: from an agt.kernel to SPIR-V.
//
// The body of a kernel holds at most one op that loops (its anchor: a product,
// a reduction along an axis, a norm, a quantisation), and element-wise and
// shape functions around it. Which builder a kernel gets follows from the
// anchor; everything else is pulled element by element (Evaluator.h).
//
// Buffers of a launch: tensor inputs in order, then results in order. Scalars:
// see KernelShapes.h. Indices are 32 bits wide: a tensor has fewer than 2^31
// elements, which the host program checks.
#ifndef AGT_CODEGEN_SPIRV_KERNELS_H
#define AGT_CODEGEN_SPIRV_KERNELS_H

#include "codegen/spirv/KernelCode.h"
#include "dialect/Agt/Agt.h"

namespace agt::spirv {

/// The op of a kernel's body that loops; null where there is none.
mlir::Operation *anchorOf(KernelOp kernel);

/// Errors go to the context's diagnostics.
mlir::FailureOr<KernelCode> buildKernel(KernelOp kernel);

/// Two kernels with equal keys have equal code: the body without names and
/// places.
std::string kernelKey(KernelOp kernel);

} // namespace agt::spirv

#endif // AGT_CODEGEN_SPIRV_KERNELS_H
