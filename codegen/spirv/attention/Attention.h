// Attention: from what is known about an attention to its kernel, one variant
// for each row of the table of profiles (Profile.h) that has something of its
// own.
//
// The scalars and buffers of a launch are in AttentionAbi.h.
#ifndef AGT_CODEGEN_SPIRV_ATTENTION_ATTENTION_H
#define AGT_CODEGEN_SPIRV_ATTENTION_ATTENTION_H

#include "codegen/kernels/attention/AttentionSpec.h"
#include "codegen/spirv/KernelCode.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace agt::spirv::attention {

using kernels::attention::AttentionSpec;

/// A variant before it is serialised.
struct Variant {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  KernelBinary binary; // all but the words
};

/// The variants in order of preference, as IR.
std::vector<Variant> buildVariants(mlir::Location loc,
                                   const AttentionSpec &spec);

/// The kernel. `loc` is the author's line; its context must have the dialects
/// of loadKernelDialects. Failures are reported there.
mlir::FailureOr<KernelCode> buildAttention(mlir::Location loc,
                                           const AttentionSpec &spec);

} // namespace agt::spirv::attention

#endif // AGT_CODEGEN_SPIRV_ATTENTION_ATTENTION_H
