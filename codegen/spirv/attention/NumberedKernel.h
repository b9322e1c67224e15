// NumberedKernel: the launches beside an attention's own, which have its
// buffers and scalars: one thread makes one of so many things, by its number.
#ifndef AGT_CODEGEN_SPIRV_ATTENTION_NUMBEREDKERNEL_H
#define AGT_CODEGEN_SPIRV_ATTENTION_NUMBEREDKERNEL_H

#include "codegen/spirv/KernelBuilder.h"
#include "codegen/spirv/KernelCode.h"
#include "codegen/spirv/attention/AttentionSpec.h"

#include "mlir/Support/LogicalResult.h"

namespace agt::spirv::attention {

/// How many there are, on the host and in the kernel, and how one is made.
struct Numbered {
  const char *name;
  mlir::AffineExpr (*work)(mlir::MLIRContext *context);
  mlir::Value (*count)(KernelBuilder &b);
  void (*emit)(KernelBuilder &b, const AttentionSpec &spec, mlir::Value number);
};

mlir::FailureOr<KernelCode> buildNumbered(mlir::Location loc,
                                          const AttentionSpec &spec,
                                          const Numbered &kernel);

} // namespace agt::spirv::attention

#endif // AGT_CODEGEN_SPIRV_ATTENTION_NUMBEREDKERNEL_H
