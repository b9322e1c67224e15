// Passes over the agt dialect; Passes.td says what each does.
#ifndef AGT_PASSES_PASSES_H
#define AGT_PASSES_PASSES_H

#include "dialect/Agt/Agt.h"

#include "mlir/Pass/Pass.h"

namespace agt {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// What a kernel may hold at most: a launch has 15 buffers.
constexpr unsigned kKernelBuffers = 15;

/// Attribute of a graph that is not the author's and that nobody is shown.
constexpr llvm::StringLiteral kHidden = "agt.hidden";

/// Attributes that agt-expand-attention leaves on an attention of packed
/// sequences: which input of the graph its offsets were.
constexpr llvm::StringLiteral kQCuInput = "agt.q_cu_input";
constexpr llvm::StringLiteral kKvCuInput = "agt.kv_cu_input";

/// Attribute that agt-convert-to-ring leaves on a graph: what its inputs have
/// to hold, since ops on parts no longer say. An array of dictionaries:
/// `input`, of offsets or scales; `of`, the input that they are offsets into or
/// scales of, and `axis`, its tokens; of scales `block` and `heads_first`;
/// `place`, a location. Offsets may have no `of`.
constexpr llvm::StringLiteral kDataChecks = "agt.data_checks";

/// Whether every op of a graph is one that may stand outside a kernel; emits
/// an error for each that may not.
mlir::LogicalResult verifyKernelPhase(GraphOp graph);

} // namespace agt

#endif // AGT_PASSES_PASSES_H
