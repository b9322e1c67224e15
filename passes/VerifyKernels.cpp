// agt-verify-kernels: the phase verifier after agt-form-kernels. What the host
// program relies on is checked here once, not in every op's lowering.
#include "passes/Passes.h"

#include "dialect/Ring/Ring.h"

namespace agt {
#define GEN_PASS_DEF_VERIFYKERNELS
#include "passes/Passes.h.inc"
} // namespace agt

using namespace mlir;
using namespace agt;

// Sizes are numbers that the host knows before anything has run.
static bool isArgument(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return isa<BlockArgument>(value);
}

static bool isOnNumbers(Operation &op) {
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return llvm::all_of(op.getOperandTypes(), isNumber) &&
         llvm::all_of(op.getResultTypes(), isNumber);
}

static bool mayStandOutside(Operation &op) {
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return isArgument(dim.getSource()) && dim.getConstantIndex();
  if (isa<KernelOp, AttentionOp, LeavesOp, RootOp, ReshapeOp, RopeTableOp,
          RequireOp, ReturnOp, tensor::CastOp>(op))
    return true;
  if (isa<ring::ExtentOp, ring::ScheduleOp, ring::AttendOp, ring::MergeOp,
          ring::CombineOp, ring::FinalizeOp>(op))
    return false; // agt-lower-ring has run
  if (isa<ring::RingDialect>(op.getDialect()))
    return true;
  return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
         isOnNumbers(op);
}

LogicalResult agt::verifyKernelPhase(GraphOp graph) {
  LogicalResult result = success();
  for (Operation &op : graph.getBody().getOps()) {
    if (mayStandOutside(op))
      continue;
    result = op.emitOpError("stands outside a kernel after agt-form-kernels");
  }
  return result;
}

namespace {
struct VerifyKernelsPass : agt::impl::VerifyKernelsBase<VerifyKernelsPass> {
  void runOnOperation() override {
    if (failed(verifyKernelPhase(getOperation())))
      signalPassFailure();
  }
};
} // namespace
