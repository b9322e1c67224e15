// TileKernel: attention for GPUs, and for any device that no other kernel fits.
//
// A workgroup of 128 takes 32 query rows of one head and walks over tiles of 32
// keys. Chunks of 32 elements of queries, keys and values are staged in shared
// memory (12.4 KiB in all, within what every Vulkan device has); a thread owns
// two rows by four keys of the scores, and two rows by four elements of each
// chunk of the output, in registers. No subgroup operations: any device will
// do. Dims may be known or not, at most kMaxValueDim elements of a value row;
// elements past the end of a row or past the last key are staged as 0.
//
// With cooperative matrices (f16 queries and keys), the scores of a tile are
// four products of 16 x 16, one for each of four subgroups of 32; sums are f32
// as ever. Weights by values stay in f32: weights of 16 bits would lose what
// the language promises.
//
// Every barrier is in control flow that is the same for the whole workgroup.
#ifndef AGT_CODEGEN_SPIRV_ATTENTION_TILEKERNEL_H
#define AGT_CODEGEN_SPIRV_ATTENTION_TILEKERNEL_H

#include "codegen/kernels/attention/AttentionSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace agt::spirv::attention {

using kernels::attention::AttentionSpec;

constexpr int64_t kTileRows = 32;

/// Whether cooperative matrices can do the scores.
bool matricesFit(const AttentionSpec &spec);

mlir::OwningOpRef<mlir::ModuleOp>
buildTile(mlir::Location loc, const AttentionSpec &spec, bool matrices = false);

} // namespace agt::spirv::attention

#endif // AGT_CODEGEN_SPIRV_ATTENTION_TILEKERNEL_H
