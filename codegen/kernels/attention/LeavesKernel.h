// LeavesKernel: the merges of an attention whose bits do not depend on how its
// keys are cut (agt.leaves).
//
// The slots of kPartials hold what blocks of keys, or whole subtrees of them,
// come to. kMerges is a list of kMergeCount triples (into, left, right), done
// in order: slot `into` becomes the partial result of `left`, whose keys come
// first, and `right`; a `right` below 0 moves `left` there. The runtime makes
// the list (runtime/Plan/LeafTree.h).
#ifndef AGT_CODEGEN_KERNELS_ATTENTION_LEAVESKERNEL_H
#define AGT_CODEGEN_KERNELS_ATTENTION_LEAVESKERNEL_H

#include "codegen/kernels/attention/NumberedKernel.h"

namespace agt::kernels::attention {

/// A thread has a row: all of its elements, since m and l are among what is
/// merged in place.
extern const Numbered leavesKernel;

} // namespace agt::kernels::attention

#endif // AGT_CODEGEN_KERNELS_ATTENTION_LEAVESKERNEL_H
