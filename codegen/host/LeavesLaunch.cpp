//===- LeavesLaunch.cpp - Attention in leaves, as launches ----------------===//
//
// agt.leaves, agt.attention into it and agt.root: the runtime decides which
// blocks of keys a launch attends and what merges when (agt/runtime.h), the
// host program gives it the kernels.
//
//===----------------------------------------------------------------------===//

#include "codegen/common/Partial.h"
#include "codegen/host/GraphEmitter.h"
#include "codegen/host/HostAbi.h"
#include "codegen/host/Manifest.h"
#include "codegen/kernels/attention/LeavesKernel.h"
#include "codegen/kernels/attention/MergeKernel.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;
namespace attn = agt::kernels::attention;

static_assert(codegen::kBlockKeys == kLeafKeys && kLeafKeys == AGT_LEAF_KEYS,
              "a leaf is a block of keys on every level");
static_assert(attn::kScalarCount - attn::kParts == 5,
              "the scalars that agt_graph_attend_leaves writes are the last");

// Slots of the frame, after those of RingEmitter.cpp.
namespace {
enum Slot : unsigned {
  SplitSlot = 24,
  HandleSlot,
  NumberSlot,
  BufferSlot,
  ScalarSlot,
  WorkSlot,
  StepSlot
};
} // namespace

void GraphEmitter::emit(LeavesOp op) {
  // An agt_split, of which dim and step are not used.
  Value split = b.array(SplitSlot, {b.pair(0, op.getParts()),
                                    b.pair(1, int64_t(op.getBalance()))});
  Value slot = b.array(HandleSlot, {b.null()});
  b.call("agt_graph_leaves", {runHandle, size(op.getTokens()), split, slot});
  buffers[op.getResult()] = b.load(slot, 0, b.ptr());
}

/// What is there when there are no queries and keys.
static attn::AttentionSpec rowsAlone() {
  attn::AttentionSpec spec;
  spec.split = spec.rowsAlone = true;
  return spec;
}

LogicalResult GraphEmitter::attendLeaves(AttentionOp op, size_t kernel,
                                         llvm::ArrayRef<Value> arguments,
                                         llvm::ArrayRef<Value> scalars,
                                         Value flops, Value kvBytes) {
  attn::AttentionSpec merging = rowsAlone();
  merging.leaves = true;
  FailureOr<size_t> merges = kernelBeside(op, merging, attn::leavesKernel);
  if (failed(merges))
    return failure();
  Value rows = workOf(*merges, scalars).front();
  Value slotBytes =
      b.mul(b.mul(rows, b.add(scalars[attn::kValueDim], b.i64(2))),
            b.i64(sizeof(float)));
  Value enabled = enabledOf(op);
  // An agt_leaf_step.
  Value step = b.array(
      StepSlot,
      {b.symbol(KernelTable::symbol(kernel)),
       b.symbol(KernelTable::symbol(*merges)), b.array(BufferSlot, arguments),
       b.i64(arguments.size()), b.array(ScalarSlot, scalars),
       b.i64(scalars.size()), b.array(WorkSlot, workOf(kernel, scalars)), rows,
       slotBytes, flops, kvBytes, b.text("attention"),
       b.text(agt::placeOf(op.getLoc())), enabled ? enabled : b.i64(1)});
  b.call("agt_graph_attend_leaves",
         {runHandle, buffer(op.getInto()), size(op.getOwner()), step});
  return success();
}

LogicalResult GraphEmitter::emit(RootOp op) {
  auto dtype = [](Value tensor) {
    return dtypeOf(cast<RankedTensorType>(tensor.getType()).getElementType());
  };
  attn::AttentionSpec spec = rowsAlone();
  spec.o = dtype(op.getResult());
  spec.lse = bool(op.getLse());
  if (op.getSink()) {
    spec.sink = true;
    spec.sinkType = dtype(op.getSink());
  }
  FailureOr<size_t> kernel = kernelBeside(op, spec, attn::mergeKernel);
  if (failed(kernel))
    return failure();

  llvm::SmallVector<Value> shape = dims(op.getQuery());
  shape.back() = dims(op.getValue()).back();
  RowView rows(b, shape, op.getLayout());
  llvm::SmallVector<Value> scalars(attn::kScalarCount, b.i64(0));
  scalars[attn::kBatch] = rows.batch;
  scalars[attn::kKvHeads] = rows.heads;
  scalars[attn::kGroup] = b.i64(1);
  scalars[attn::kQueries] = rows.tokens;
  scalars[attn::kValueDim] = rows.dim;
  rows.putStrides(scalars, attn::kOBatchStride);
  Value slots = buffer(op.getLeaves());
  Value number = b.array(NumberSlot, {b.i64(0)});
  b.call("agt_graph_root", {runHandle, slots, number});
  scalars[attn::kParts] = scalars[attn::kPartBlocks] = b.i64(1);
  scalars[attn::kFirstSlot] = b.load(number, 0, b.ir().getI64Type());

  llvm::SmallVector<Value> arguments = {allocate(op.getResult(), shape)};
  if (op.getLse()) {
    llvm::SmallVector<Value> rowShape(shape);
    rowShape.back() = b.i64(1);
    RowView(b, rowShape, op.getLayout())
        .putStrides(scalars, attn::kLseBatchStride);
    arguments.push_back(
        allocate(op.getLse(), ArrayRef<Value>(shape).drop_back()));
  }
  if (op.getSink())
    arguments.push_back(buffer(op.getSink()));
  arguments.push_back(slots);
  launch(op, *kernel, attn::mergeKernel.name, arguments, scalars, b.f64(0));
  return success();
}
