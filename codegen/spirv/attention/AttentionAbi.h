// AttentionAbi: the launch of an attention kernel, for its builders and for
// the host program that calls it: what the buffers and the scalars are.
//
// Rows of elements are contiguous; tokens, heads and batches may lie anywhere,
// so that views and either order of axes need no copies. Query head h of
// KvHeads * Group reads kv head h / Group.
#ifndef AGT_CODEGEN_SPIRV_ATTENTION_ATTENTIONABI_H
#define AGT_CODEGEN_SPIRV_ATTENTION_ATTENTIONABI_H

namespace agt::spirv::attention {

/// The order of the buffers.
enum Buffer : unsigned { kQ, kK, kV, kO, kBufferCount };

/// The order of the scalars given to agt_graph_launch. Strides are in elements
/// of the tensor's own type.
enum Scalar : unsigned {
  kBatch,   // leading dims, multiplied
  kKvHeads, // of one batch
  kGroup,   // query heads for one kv head
  kQueries, // tokens of q
  kKeys,    // tokens of k and v
  kHeadDim, // elements of a row of q and k
  kValueDim,
  kQBatchStride,
  kQHeadStride,
  kQTokenStride,
  kKBatchStride,
  kKHeadStride,
  kKTokenStride,
  kVBatchStride,
  kVHeadStride,
  kVTokenStride,
  kOBatchStride,
  kOHeadStride,
  kOTokenStride,
  kScale,        // bits of an f32
  kCausalOffset, // query i sees keys j <= i + this (causal masks only):
                 // Keys - Queries for bottom_right, 0 for top_left
  kScalarCount
};

} // namespace agt::spirv::attention

#endif // AGT_CODEGEN_SPIRV_ATTENTION_ATTENTIONABI_H
