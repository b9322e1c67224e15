// AttentionSpec: what is known about an attention when it is compiled.
#ifndef AGT_CODEGEN_KERNELS_ATTENTION_ATTENTIONSPEC_H
#define AGT_CODEGEN_KERNELS_ATTENTION_ATTENTIONSPEC_H

#include "codegen/common/ScoreExpr.h"
#include "codegen/kernels/LaunchSize.h"
#include "codegen/kernels/attention/AttentionAbi.h"
#include "runtime/include/agt/runtime.h"

#include <cstdint>

namespace agt::kernels::attention {

/// What kernels have room for where a dim is only known at run time; the host
/// program checks it.
constexpr int64_t kMostHeadDim = 1024;
constexpr int64_t kMostValueDim = 256;

struct AttentionSpec {
  // F32, F16 or BF16 each, k and v also I8 or F8E4M3; o is q's in the language,
  // but may differ here.
  agt_dtype q = AGT_F32;
  agt_dtype k = AGT_F32;
  agt_dtype v = AGT_F32;
  agt_dtype o = AGT_F32;
  /// 1 to kMostHeadDim and kMostValueDim, or 0 where they are only known at run
  /// time.
  int64_t headDim = 0;
  int64_t valueDim = 0;
  codegen::ScoreTerms terms;
  /// Rows stand at their own number (causal top_left).
  bool topLeft = false;
  bool lse = false, sink = false, valueScales = false;
  /// o is sums that nothing has divided, and m and l of each row are stored.
  bool partial = false;
  /// Keys may be split into parts, for launches of few rows: several
  /// workgroups see those of one row, and a second launch merges
  /// (MergeKernel.h).
  bool split = false;
  /// A part is one block of keys, and the partial results are all there is: of
  /// o, m and l nothing else is stored, and which kernel is taken does not
  /// depend on the number of rows. With `split` and `partial`.
  bool leaves = false;
  /// Of the launches beside leaves: there are partial results and what becomes
  /// of rows, no queries or keys. Those that merge have `leaves` too: they give
  /// no o.
  bool rowsAlone = false;
  // Where they are there.
  agt_dtype biasType = AGT_F32, sinkType = AGT_F32, alibiType = AGT_F32;
  /// A power of two that divides every stride of every tensor, headDim and
  /// valueDim: where rows may begin. For tensors in C order and views that
  /// reorder their axes, that of the two dims.
  int64_t alignment = 1;

  bool has(Buffer buffer) const;
  /// The place of a buffer among those there are, and how many there are.
  unsigned place(Buffer buffer) const;
  unsigned buffers() const { return place(kBufferCount); }
  agt_dtype typeOf(Buffer buffer) const;
  /// Whether a first launch says which blocks of keys have any to see.
  bool hasBlocks() const { return terms.byPair(); }
};

/// Its work is rows by heads and parts of the keys, and the same by kv heads
/// and stacked rows; targets cut one of the two. The host counts the useful
/// operations.
LaunchSize launchOf(const AttentionSpec &spec, mlir::MLIRContext *context);

} // namespace agt::kernels::attention

#endif // AGT_CODEGEN_KERNELS_ATTENTION_ATTENTIONSPEC_H
