// NumberedKernel: the launches beside an attention's own, which have its
// buffers and scalars: one thread makes one of so many things, by its number.
#ifndef AGT_CODEGEN_KERNELS_ATTENTION_NUMBEREDKERNEL_H
#define AGT_CODEGEN_KERNELS_ATTENTION_NUMBEREDKERNEL_H

#include "codegen/kernels/KernelBuilder.h"
#include "codegen/kernels/attention/AttentionSpec.h"

#include "mlir/IR/AffineExpr.h"

namespace agt::kernels::attention {

/// How many there are, on the host and in the kernel, and how one is made.
struct Numbered {
  const char *name;
  mlir::AffineExpr (*work)(mlir::MLIRContext *context);
  mlir::Value (*count)(KernelBuilder &b);
  void (*emit)(KernelBuilder &b, const AttentionSpec &spec, mlir::Value number);
};

LaunchSize launchOf(const Numbered &kernel, mlir::MLIRContext *context);

} // namespace agt::kernels::attention

#endif // AGT_CODEGEN_KERNELS_ATTENTION_NUMBEREDKERNEL_H
