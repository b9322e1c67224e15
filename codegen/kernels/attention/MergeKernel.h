// MergeKernel: the second launch of an attention whose keys are split.
//
// Few rows over long keys are few workgroups, too few for a device. With
// AttentionSpec::split each of them is kParts workgroups, each of which sees
// kPartBlocks blocks of keys and leaves in kPartials what they come to:
// [slot][batch][query head][query] of the row's sums of values, then m and l
// (codegen/common/Partial.h), f32: part i in slot kFirstSlot + i. This launch,
// with the same buffers and scalars, merges the parts of each row in order and
// finishes it.
#ifndef AGT_CODEGEN_KERNELS_ATTENTION_MERGEKERNEL_H
#define AGT_CODEGEN_KERNELS_ATTENTION_MERGEKERNEL_H

#include "codegen/kernels/attention/NumberedKernel.h"

namespace agt::kernels::attention {

/// A thread makes 16 elements of a row of o, or what is left of it.
extern const Numbered mergeKernel;

} // namespace agt::kernels::attention

#endif // AGT_CODEGEN_KERNELS_ATTENTION_MERGEKERNEL_H
