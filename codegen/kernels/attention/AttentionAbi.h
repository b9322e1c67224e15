// AttentionAbi: the launch of an attention kernel, for its builders and for
// the host program that calls it: what the buffers and the scalars are.
//
// Rows of elements are contiguous; tokens, heads and batches may lie anywhere,
// so that views and either order of axes need no copies. Query head h of
// KvHeads * Group reads kv head h / Group.
#ifndef AGT_CODEGEN_KERNELS_ATTENTION_ATTENTIONABI_H
#define AGT_CODEGEN_KERNELS_ATTENTION_ATTENTIONABI_H

#include <cstdint>

namespace agt::kernels::attention {

/// The buffers in order; those an attention does not have are left out.
enum Buffer : unsigned {
  kQ,
  kK,
  kV,
  kO,
  kLse,  // f32, written; of a partial the state, m and l of each row
  kMask, // bool
  kBias,
  kSink,  // [query heads]
  kAlibi, // [query heads]
  kQPos,  // i32, as all positions, segments and lengths
  kKvPos,
  kQSeg,
  kKvSeg,
  kKvLen,
  kKScale,   // f32
  kVScale,   // f32
  kBlocks,   // i32, of BlocksKernel.h: which blocks of keys have any to see
  kPartials, // f32, of MergeKernel.h: what each part of the keys comes to
  kMerges,   // i32, of LeavesKernel.h: which partial results make which
  kBufferCount
};

/// Query rows for which kBlocks has one word; keys are codegen's kBlockKeys.
constexpr int64_t kBlockRows = 32;

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
  kScale,  // bits of an f32
  kOffset, // query i stands at position i + this: Keys - Queries, 0 for
           // top_left. With lengths, added to the length of the batch entry:
           // -Queries, and for top_left unused
  // Sides of the window and pinned keys, not above 2^31 - 1; the bits of
  // softcap.
  kLeft,
  kRight,
  kPin,
  kSoftcap,
  // Of kLse, in rows.
  kLseBatchStride,
  kLseHeadStride,
  kLseTokenStride,
  // 0 along what is broadcast; rows of keys are whole and contiguous.
  kMaskBatchStride,
  kMaskHeadStride,
  kMaskRowStride,
  kBiasBatchStride,
  kBiasHeadStride,
  kBiasRowStride,
  kQPosBatchStride,
  kKvPosBatchStride,
  kQSegBatchStride,
  kKvSegBatchStride,
  kKvLenBatchStride,
  kKBlock, // keys that share a scale
  kVBlock,
  // Heads of the mask, or 1: whose blocks are told apart in kBlocks.
  kBlockHeads,
  // Keys are seen in so many parts, of so many blocks each but the last. One
  // part is all keys, and o is written at once.
  kParts,
  kPartBlocks,
  // The rest is the runtime's, of launches that add to leaves (agt/runtime.h,
  // agt_graph_attend_leaves): the first part begins at this block, and is slot
  // so and so of kPartials; what kMerges has so many of.
  kFirstBlock,
  kFirstSlot,
  kMergeCount,
  kScalarCount
};

} // namespace agt::kernels::attention

#endif // AGT_CODEGEN_KERNELS_ATTENTION_ATTENTIONABI_H
