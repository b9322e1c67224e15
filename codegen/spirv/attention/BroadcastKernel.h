// BroadcastKernel: attention for Vulkan drivers on the CPU, where a load a lane
// does is a gather, barriers and shared memory are slow, and arithmetic and
// broadcasts from a constant lane are cheap.
//
// A workgroup is one subgroup and takes rowsPerLane * lanes query rows of one
// head. Scores: a lane owns whole query rows, all their elements in registers
// (or what the driver makes of so many); lane e reads element e of each chunk
// of a key and every element reaches the others by broadcast. The softmax of a
// row stays within its lane. Values: lanes are the elements of a chunk; a
// row's weights are broadcast once a block of keys. Sums run over blocks of
// kBlockKeys keys from zero, then merge.
//
// Rows and keys beyond the end are the last one again: their scores are masked,
// their stores write what the last row's own store writes.
#ifndef AGT_CODEGEN_SPIRV_ATTENTION_BROADCASTKERNEL_H
#define AGT_CODEGEN_SPIRV_ATTENTION_BROADCASTKERNEL_H

#include "codegen/kernels/attention/AttentionSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace agt::spirv::attention {

using kernels::attention::AttentionSpec;

struct BroadcastShape {
  int64_t lanes = 8;       // of the subgroup
  int64_t rowsPerLane = 4; // query rows a lane owns
  int64_t blockKeys = 8;   // keys between two looks at the accumulators
  int64_t chains = 2;      // sums that a product of rows is split into
  bool wide = false;       // loads of 64 bits

  int64_t rows() const { return lanes * rowsPerLane; }
};

/// True where the kernel can do it: dims known, rows of whole words.
bool broadcastFits(const AttentionSpec &spec, bool wide);

mlir::OwningOpRef<mlir::ModuleOp> buildBroadcast(mlir::Location loc,
                                                 const AttentionSpec &spec,
                                                 const BroadcastShape &shape);

} // namespace agt::spirv::attention

#endif // AGT_CODEGEN_SPIRV_ATTENTION_BROADCASTKERNEL_H
