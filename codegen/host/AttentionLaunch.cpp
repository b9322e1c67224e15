//===- AttentionLaunch.cpp - agt.attention as a launch --------------------===//
//
// The op's operands and shapes as the buffers and scalars of
// codegen/kernels/attention/AttentionAbi.h. Where pairs have to be asked one by
// one, a first launch with the same buffers and scalars says which blocks of
// keys can be left out.
//
//===----------------------------------------------------------------------===//

#include "codegen/common/Partial.h"
#include "codegen/host/AttentionShapes.h"
#include "codegen/host/GraphEmitter.h"
#include "codegen/kernels/attention/BlocksKernel.h"
#include "codegen/kernels/attention/MergeKernel.h"
#include "codegen/spirv/attention/Attention.h"
#include "codegen/spirv/attention/Numbered.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;
namespace attn = agt::kernels::attention;

namespace {

/// Refuses a compiled-in dim that kernels have no room for.
LogicalResult checkDim(AttentionOp op, int64_t dim, int64_t most,
                       llvm::StringRef what) {
  if (dim <= most)
    return success();
  return op.emitError("attention takes ")
         << what << " of at most " << most << ", got " << dim;
}

/// The operand that a kernel reads as a buffer.
Value operandOf(AttentionOp op, attn::Buffer buffer) {
  switch (buffer) {
  case attn::kQ:
    return op.getQuery();
  case attn::kK:
    return op.getKey();
  case attn::kV:
    return op.getValue();
  case attn::kMask:
    return op.getMasks().front();
  case attn::kBias:
    return op.getBias();
  case attn::kSink:
    return op.getSink();
  case attn::kAlibi:
    return op.getAlibi();
  case attn::kQPos:
    return op.getQPos();
  case attn::kKvPos:
    return op.getKvPos();
  case attn::kQSeg:
    return op.getQSeg();
  case attn::kKvSeg:
    return op.getKvSeg();
  case attn::kKvLen:
    return op.getKvLen();
  case attn::kKScale:
    return op.getKScale();
  case attn::kVScale:
    return op.getVScale();
  default:
    return {};
  }
}

int64_t bytesOfElement(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth() / 8;
}

/// A count of tokens as a scalar: none is larger than 2^31 - 1.
Value clamped(HostBuilder &b, uint64_t tokens) {
  return b.i64(static_cast<int64_t>(std::min<uint64_t>(tokens, INT32_MAX)));
}

} // namespace

void GraphEmitter::requireAtMost(Location loc, Value size, int64_t most,
                                 llvm::StringRef what) {
  Value fits = arith::CmpIOp::create(b.ir(), loc, arith::CmpIPredicate::sle,
                                     size, b.i64(most));
  b.require(
      fits,
      {runHandle, b.i32(AGT_BAD_INPUT), b.text(agt::placeOf(loc)),
       b.text(("attention takes " + what + " of at most {0}, got {1}").str()),
       b.i64(most), size});
}

llvm::SmallVector<Value>
GraphEmitter::attentionScalars(AttentionOp op, const RowView &q,
                               const RowView &k, const RowView &v,
                               const RowView &o, Value offset) {
  Value scale;
  if (op.getScale()) {
    scale = numbers.lookup(op.getScale());
  } else {
    Value root = LLVM::SqrtOp::create(b.ir(), op.getLoc(), b.toF64(q.dim));
    scale = arith::DivFOp::create(b.ir(), op.getLoc(), b.f64(1), root);
  }
  llvm::SmallVector<Value> scalars(attn::kScalarCount, b.i64(0));
  scalars[attn::kBatch] = q.batch;
  scalars[attn::kKvHeads] = k.heads;
  scalars[attn::kGroup] = b.ir().createOrFold<arith::DivSIOp>(
      op.getLoc(), q.heads,
      b.ir().createOrFold<arith::MaxSIOp>(op.getLoc(), k.heads, b.i64(1)));
  scalars[attn::kQueries] = q.tokens;
  scalars[attn::kKeys] = k.tokens;
  scalars[attn::kHeadDim] = q.dim;
  scalars[attn::kValueDim] = v.dim;
  q.putStrides(scalars, attn::kQBatchStride);
  k.putStrides(scalars, attn::kKBatchStride);
  v.putStrides(scalars, attn::kVBatchStride);
  o.putStrides(scalars, attn::kOBatchStride);
  scalars[attn::kScale] = floatBits(scale);
  scalars[attn::kOffset] = offset;
  scalars[attn::kLeft] = clamped(b, op.getWindowLeft().value_or(0));
  scalars[attn::kRight] = clamped(b, op.getWindowRight().value_or(0));
  scalars[attn::kPin] = clamped(b, op.getPin());
  if (op.getSoftcap())
    scalars[attn::kSoftcap] =
        floatBits(b.f64(op.getSoftcap()->convertToDouble()));

  auto pairs = [&](Value operand, unsigned first) {
    Strides strides(b, cast<RankedTensorType>(operand.getType()), dims(operand),
                    3);
    scalars[first] = strides.batch;
    scalars[first + 1] = strides.trailing[0];
    scalars[first + 2] = strides.trailing[1];
  };
  auto tokens = [&](Value operand, unsigned at, unsigned trailing) {
    if (operand)
      scalars[at] = Strides(b, cast<RankedTensorType>(operand.getType()),
                            dims(operand), trailing)
                        .batch;
  };
  scalars[attn::kBlockHeads] = b.i64(1);
  if (!op.getMasks().empty()) {
    Value mask = op.getMasks().front();
    pairs(mask, attn::kMaskBatchStride);
    auto type = cast<RankedTensorType>(mask.getType());
    if (type.getRank() >= 3 && type.getDimSize(type.getRank() - 3) != 1)
      scalars[attn::kBlockHeads] = q.heads;
  }
  if (op.getBias())
    pairs(op.getBias(), attn::kBiasBatchStride);
  tokens(op.getQPos(), attn::kQPosBatchStride, 1);
  tokens(op.getKvPos(), attn::kKvPosBatchStride, 1);
  tokens(op.getQSeg(), attn::kQSegBatchStride, 1);
  tokens(op.getKvSeg(), attn::kKvSegBatchStride, 1);
  tokens(op.getKvLen(), attn::kKvLenBatchStride, 0);
  scalars[attn::kKBlock] = clamped(b, op.getKBlock().value_or(1));
  scalars[attn::kVBlock] = clamped(b, op.getVBlock().value_or(1));
  return scalars;
}

Value GraphEmitter::enabledOf(AttentionOp op) {
  if (!op.getEnabled())
    return {};
  return arith::ExtUIOp::create(b.ir(), op.getLoc(), b.ir().getI64Type(),
                                numbers.lookup(op.getEnabled()));
}

FailureOr<size_t> GraphEmitter::kernelBeside(Operation *op,
                                             const attn::AttentionSpec &spec,
                                             const attn::Numbered &kernel) {
  std::string key = std::string(kernel.name) + " of " + keyOf(spec);
  return kernels.find(key, [&] {
    kernels.native().addNumbered(kernels.nextNumber(), op->getLoc(), spec,
                                 kernel);
    return kernels.finished(
        kernel.name, attn::launchOf(kernel, op->getContext()), [&] {
          return spirv::attention::buildNumbered(op->getLoc(), spec, kernel);
        });
  });
}

LogicalResult GraphEmitter::launchBeside(Operation *op,
                                         const attn::AttentionSpec &spec,
                                         const attn::Numbered &kernel,
                                         llvm::ArrayRef<Value> buffers,
                                         llvm::ArrayRef<Value> scalars,
                                         Value enabled) {
  FailureOr<size_t> number = kernelBeside(op, spec, kernel);
  if (failed(number))
    return failure();
  launch(op, *number, kernel.name, buffers, scalars, b.f64(0), enabled);
  return success();
}

/// The number of the graph's input that `tensor` is.
static std::optional<unsigned> inputOf(Value tensor) {
  while (auto cast = tensor ? tensor.getDefiningOp<tensor::CastOp>() : nullptr)
    tensor = cast.getSource();
  auto input = dyn_cast_if_present<BlockArgument>(tensor);
  if (!input || !isa<GraphOp>(input.getOwner()->getParentOp()))
    return std::nullopt;
  return input.getArgNumber();
}

void GraphEmitter::checkData(AttentionOp op, Value queries, Value keys) {
  // Positions of a mesh have parts of their inputs: checkMeshData.
  if (graph.getMesh())
    return;
  Value place = b.text(agt::placeOf(op.getLoc()));
  for (auto [attribute, tokens] :
       {std::pair(kQCuInput, queries), std::pair(kKvCuInput, keys)})
    if (auto input = op->getAttrOfType<IntegerAttr>(attribute))
      b.call("agt_graph_check_offsets",
             {runHandle, b.i64(input.getInt()), tokens, place});
  auto scales = [&](Value scale, Value value, std::optional<uint64_t> block) {
    std::optional<unsigned> given = inputOf(scale), of = inputOf(value);
    if (given && of)
      b.call("agt_graph_check_scales",
             {runHandle, b.i64(*given), b.i64(*of), clamped(b, *block),
              b.i32(op.getLayout() == Layout::HSD), place});
  };
  scales(op.getKScale(), op.getKey(), op.getKBlock());
  scales(op.getVScale(), op.getValue(), op.getVBlock());
}

void GraphEmitter::checkMeshData() {
  auto checks = graph->getAttrOfType<ArrayAttr>(kDataChecks);
  if (!checks)
    return;
  for (auto check : checks.getAsRange<DictionaryAttr>()) {
    auto number = [&](StringRef name) {
      return check.getAs<IntegerAttr>(name).getInt();
    };
    Value place = b.text(agt::placeOf(check.getAs<LocationAttr>("place")));
    Value input = b.i64(number("input"));
    if (check.contains("block")) {
      b.call("agt_graph_check_scales",
             {runHandle, input, b.i64(number("of")),
              clamped(b, number("block")),
              b.i32(check.getAs<BoolAttr>("heads_first").getValue()), place});
      continue;
    }
    // Of tokens that the graph computes only the order is known here.
    Value tokens = check.contains("of") ? inputDim(number("of"), number("axis"))
                                        : b.i64(INT64_MAX);
    b.call("agt_graph_check_offsets", {runHandle, input, tokens, place});
  }
}

LogicalResult GraphEmitter::emitAttention(AttentionOp op) {
  attn::AttentionSpec spec = specOf(op, kernels.splitKeys);
  assert(spec.buffers() <= kKernelBuffers && op.getMasks().size() <= 1 &&
         !op.getQCu() && "agt-expand-attention has run");
  if (failed(checkDim(op, spec.headDim, attn::kMostHeadDim, "a head_dim")) ||
      failed(
          checkDim(op, spec.valueDim, attn::kMostValueDim, "a head_dim of v")))
    return failure();
  auto build = [&] {
    kernels.native().addAttention(kernels.nextNumber(), op.getLoc(), spec);
    return kernels.finished(
        "attention", attn::launchOf(spec, op.getContext()),
        [&] { return spirv::attention::buildAttention(op.getLoc(), spec); });
  };
  FailureOr<size_t> number = kernels.find(keyOf(spec), build);
  if (failed(number))
    return failure();

  llvm::SmallVector<Value> oDims = dims(op.getQuery());
  oDims.back() = dims(op.getValue()).back();
  Layout layout = op.getLayout();
  RowView q(b, dims(op.getQuery()), layout), k(b, dims(op.getKey()), layout),
      v(b, dims(op.getValue()), layout), o(b, oDims, layout);
  if (!spec.headDim)
    requireAtMost(op.getLoc(), q.dim, attn::kMostHeadDim, "a head_dim");
  if (!spec.valueDim)
    requireAtMost(op.getLoc(), v.dim, attn::kMostValueDim, "a head_dim of v");
  checkData(op, q.tokens, k.tokens);
  Value start = spec.topLeft         ? b.i64(0)
                : spec.terms.lengths ? b.sub(b.i64(0), q.tokens)
                                     : b.sub(k.tokens, q.tokens);
  llvm::SmallVector<Value> scalars = attentionScalars(op, q, k, v, o, start);
  if (spec.has(attn::kLse)) {
    llvm::SmallVector<Value> lseDims(oDims.begin(), oDims.end());
    lseDims.back() = b.i64(1);
    RowView(b, lseDims, layout).putStrides(scalars, attn::kLseBatchStride);
  }

  Value split; // 1 or 0
  if (spec.leaves) {
    // The runtime says which blocks.
    scalars[attn::kParts] = scalars[attn::kPartBlocks] = b.i64(1);
  } else if (spec.split) {
    KeyParts parts(b, b.mul(scalars[attn::kGroup], q.tokens),
                   b.mul(q.batch, k.heads), k.tokens, kernels.splitKeys);
    scalars[attn::kParts] = parts.count;
    scalars[attn::kPartBlocks] = parts.blocks;
    split = parts.several;
  }

  llvm::SmallVector<Value> arguments;
  Value blocks, partials;
  for (unsigned i = 0; i < attn::kBufferCount; ++i) {
    auto which = static_cast<attn::Buffer>(i);
    if (!spec.has(which))
      continue;
    if (spec.leaves && (which == attn::kO || which == attn::kPartials)) {
      // Nothing is written to o.
      arguments.push_back(buffer(op.getInto()));
    } else if (which == attn::kO) {
      arguments.push_back(allocate(op.getResult(), oDims));
    } else if (which == attn::kLse && spec.partial) {
      llvm::SmallVector<Value> shape(oDims);
      shape.back() = b.i64(2);
      arguments.push_back(allocate(op.getState(), shape));
    } else if (which == attn::kLse) {
      llvm::ArrayRef<Value> shape(oDims);
      arguments.push_back(allocate(op.getLse(), shape.drop_back()));
    } else if (which == attn::kBlocks) {
      Value rows = b.evaluate(
          getAffineSymbolExpr(0, op.getContext()).ceilDiv(attn::kBlockRows),
          {q.tokens});
      Value keys = b.evaluate(
          getAffineSymbolExpr(0, op.getContext()).ceilDiv(codegen::kBlockKeys),
          {k.tokens});
      blocks = allocate(op.getLoc(),
                        {q.batch, scalars[attn::kBlockHeads], rows, keys},
                        b.ir().getI32Type());
      arguments.push_back(blocks);
    } else if (which == attn::kPartials) {
      partials = allocate(op.getLoc(),
                          {b.mul(split, scalars[attn::kParts]), q.batch,
                           q.heads, q.tokens, b.add(v.dim, b.i64(2))},
                          b.ir().getF32Type());
      arguments.push_back(partials);
    } else {
      arguments.push_back(buffer(operandOf(op, which)));
    }
  }
  Value enabled = enabledOf(op);
  if (blocks && failed(launchBeside(op, spec, attn::blocksKernel, arguments,
                                    scalars, enabled)))
    return failure();

  Value first = spec.topLeft ? b.i64(0) : b.sub(k.tokens, q.tokens);
  Value pairs =
      spec.terms.counted()
          ? visiblePairs(b, op, q.tokens, k.tokens, first)
          : arith::MulFOp::create(b.ir(), op.getLoc(), b.toF64(q.tokens),
                                  b.toF64(k.tokens));
  auto times = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b.ir(), op.getLoc(), x, y);
  };
  // Two operations for each pair and element of q.k and of p.v.
  Value flops = times(times(pairs, times(b.toF64(q.batch), b.toF64(q.heads))),
                      times(b.f64(2), b.toF64(b.add(q.dim, v.dim))));
  Value visited = spec.terms.counted()
                      ? visitedKeys(b, op, q.tokens, k.tokens, first)
                      : k.tokens;
  Value rowBytes = b.add(b.mul(q.dim, b.i64(bytesOfElement(op.getKey()))),
                         b.mul(v.dim, b.i64(bytesOfElement(op.getValue()))));
  Value kvBytes = times(times(b.toF64(k.batch), b.toF64(k.heads)),
                        times(b.toF64(visited), b.toF64(rowBytes)));
  if (spec.leaves) {
    if (failed(attendLeaves(op, *number, arguments, scalars, flops, kvBytes)))
      return failure();
  } else {
    launch(op, *number, "attention", arguments, scalars, flops, enabled);
    b.call("agt_graph_kv_read", {runHandle, kvBytes});
  }
  if (split &&
      failed(launchBeside(op, spec, attn::mergeKernel, arguments, scalars,
                          enabled ? b.mul(enabled, split) : split)))
    return failure();
  for (Value scratch : {blocks, partials})
    if (scratch)
      b.call("agt_graph_free", {runHandle, scratch});
  return success();
}
