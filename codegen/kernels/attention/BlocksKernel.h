// BlocksKernel: a first launch that says which blocks of keys have any to see,
// where masks, segments or given positions decide it: the attention that
// follows leaves the others out.
//
// Its launch has the buffers and scalars of the attention, and writes kBlocks:
// one i32 for each batch entry, head of the mask (one where the mask is the
// same for all), block of kBlockRows query rows and block of
// codegen::kBlockKeys keys. Without kMaySee no pair of the block is seen;
// without kMayHide none is hidden but by the ranges of ScoreExpr, and pairs
// need not be asked. Segments and positions are compared as ranges, masks as
// words of four keys, which may reach over the ends of the block, and always
// hide: cheap, and wrong only by computing too much.
#ifndef AGT_CODEGEN_KERNELS_ATTENTION_BLOCKSKERNEL_H
#define AGT_CODEGEN_KERNELS_ATTENTION_BLOCKSKERNEL_H

#include "codegen/kernels/attention/NumberedKernel.h"

namespace agt::kernels::attention {

/// The bits of a word. Words of several blocks are joined by `or`.
constexpr int32_t kMaySee = 1, kMayHide = 2;

/// A thread makes one word.
extern const Numbered blocksKernel;

} // namespace agt::kernels::attention

#endif // AGT_CODEGEN_KERNELS_ATTENTION_BLOCKSKERNEL_H
