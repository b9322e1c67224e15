// Passes over the agt dialect; Passes.td says what each does.
#ifndef AGT_PASSES_PASSES_H
#define AGT_PASSES_PASSES_H

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Attributes.h"

#include "mlir/Pass/Pass.h"

namespace agt {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

/// What a kernel may hold at most: a launch has 15 buffers.
constexpr unsigned kKernelBuffers = 15;

/// Whether every op of a graph is one that may stand outside a kernel; emits
/// an error for each that may not.
mlir::LogicalResult verifyKernelPhase(GraphOp graph);

} // namespace agt

#endif // AGT_PASSES_PASSES_H
