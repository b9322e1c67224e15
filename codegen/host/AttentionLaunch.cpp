//===- AttentionLaunch.cpp - agt.attention as a launch --------------------===//
//
// The op's shapes as the scalars of codegen/spirv/attention/AttentionAbi.h.
// Tensors are in C order here, so strides follow from dims and the layout.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/GraphEmitter.h"
#include "codegen/host/Manifest.h"
#include "codegen/spirv/attention/Attention.h"
#include "codegen/spirv/attention/AttentionAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;
namespace attn = agt::spirv::attention;

namespace {

/// The first argument of the author's that has no kernel, or nothing.
std::optional<llvm::StringRef> unsupported(AttentionOp op) {
  if (op.getLse())
    return "attention_lse";
  if (!op.getMasks().empty())
    return "a mask tensor";
  if (op.getWindowLeft() || op.getWindowRight())
    return "mask = window(...)";
  if (op.getPin() != 0)
    return "pin";
  if (op.getSoftcap())
    return "softcap";
  std::pair<Value, llvm::StringRef> operands[] = {
      {op.getBias(), "bias"},      {op.getSink(), "sink"},
      {op.getAlibi(), "alibi"},    {op.getQPos(), "q_pos"},
      {op.getKvPos(), "kv_pos"},   {op.getQSeg(), "q_seg"},
      {op.getKvSeg(), "kv_seg"},   {op.getQCu(), "q_cu"},
      {op.getKvCu(), "kv_cu"},     {op.getKvLen(), "kv_len"},
      {op.getKScale(), "k_scale"}, {op.getVScale(), "v_scale"}};
  for (auto [value, name] : operands)
    if (value)
      return name;
  return std::nullopt;
}

/// Sizes and strides, in elements, of one tensor under a layout.
struct View {
  Value batch, heads, tokens, dim;
  Value batchStride, headStride, tokenStride;
};

View viewOf(HostBuilder &b, llvm::ArrayRef<Value> dims, Layout layout) {
  bool headsFirst = layout == Layout::HSD;
  size_t rank = dims.size();
  View view;
  view.dim = dims[rank - 1];
  view.heads = dims[rank - (headsFirst ? 3 : 2)];
  view.tokens = dims[rank - (headsFirst ? 2 : 3)];
  view.batch = b.product(dims.drop_back(3));
  view.headStride = headsFirst ? b.mul(view.tokens, view.dim) : view.dim;
  view.tokenStride = headsFirst ? view.dim : b.mul(view.heads, view.dim);
  view.batchStride = b.mul(b.mul(view.heads, view.tokens), view.dim);
  return view;
}

int64_t knownDim(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t dim = type.getShape().back();
  return ShapedType::isDynamic(dim) ? 0 : dim;
}

attn::AttentionSpec specOf(AttentionOp op) {
  auto dtype = [](Value tensor) {
    return dtypeOf(cast<RankedTensorType>(tensor.getType()).getElementType());
  };
  attn::AttentionSpec spec;
  spec.q = dtype(op.getQuery());
  spec.k = dtype(op.getKey());
  spec.v = dtype(op.getValue());
  spec.o = dtype(op.getResult());
  spec.headDim = knownDim(op.getQuery());
  spec.valueDim = knownDim(op.getValue());
  spec.causal = op.getCausal() != Causal::None;
  // In C order every stride is a multiple of the tensor's last dim.
  if (spec.headDim != 0 && spec.valueDim != 0)
    spec.alignment =
        int64_t(1) << llvm::countr_zero(uint64_t(spec.headDim | spec.valueDim));
  return spec;
}

/// All that the code of an attention kernel follows from.
std::string keyOf(const attn::AttentionSpec &spec) {
  return llvm::formatv("attention {0} {1} {2} {3} {4} {5} {6} {7}", int(spec.q),
                       int(spec.k), int(spec.v), int(spec.o), spec.headDim,
                       spec.valueDim, spec.causal, spec.alignment);
}

/// 1 + 2 + ... over min(x, keys), and `keys` for each x beyond: the pairs that
/// causal rows up to one that sees x keys have, 0 for x below 1.
Value triangle(HostBuilder &b, Value x, Value keys) {
  OpBuilder &ir = b.ir();
  Location loc = b.location();
  Value zero = b.f64(0);
  Value inside = arith::MinimumFOp::create(
      ir, loc, arith::MaximumFOp::create(ir, loc, x, zero), keys);
  Value beyond = arith::MaximumFOp::create(
      ir, loc, arith::SubFOp::create(ir, loc, x, keys), zero);
  Value ramp = arith::MulFOp::create(
      ir, loc, arith::MulFOp::create(ir, loc, inside, b.f64(0.5)),
      arith::AddFOp::create(ir, loc, inside, b.f64(1)));
  return arith::AddFOp::create(ir, loc, ramp,
                               arith::MulFOp::create(ir, loc, beyond, keys));
}

/// Useful operations: two for each pair and element of q.k and of p.v.
Value flopsOf(HostBuilder &b, const View &q, const View &k, const View &v,
              Value causalOffset, bool causal) {
  OpBuilder &ir = b.ir();
  Location loc = b.location();
  auto times = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(ir, loc, x, y);
  };
  Value rows = b.toF64(q.tokens), keys = b.toF64(k.tokens);
  Value pairs = times(rows, keys);
  if (causal) {
    Value offset = b.toF64(causalOffset);
    Value last = arith::AddFOp::create(ir, loc, rows, offset);
    pairs = arith::SubFOp::create(ir, loc, triangle(b, last, keys),
                                  triangle(b, offset, keys));
  }
  Value heads = times(b.toF64(q.batch), b.toF64(q.heads));
  Value perPair = times(b.f64(2), b.toF64(b.add(q.dim, v.dim)));
  return times(times(pairs, heads), perPair);
}

/// Refuses a compiled-in dim that kernels have no room for.
LogicalResult checkDim(AttentionOp op, int64_t dim, int64_t most,
                       llvm::StringRef what) {
  if (dim <= most)
    return success();
  return op.emitError("attention takes ")
         << what << " of at most " << most << ", got " << dim;
}

} // namespace

void GraphEmitter::requireAtMost(Location loc, Value size, int64_t most,
                                 llvm::StringRef what) {
  Value fits = arith::CmpIOp::create(b.ir(), loc, arith::CmpIPredicate::sle,
                                     size, b.i64(most));
  b.require(
      fits,
      {runHandle, b.i32(AGT_BAD_INPUT), b.text(placeOf(loc)),
       b.text(("attention takes " + what + " of at most {0}, got {1}").str()),
       b.i64(most), size});
}

LogicalResult GraphEmitter::emitAttention(AttentionOp op) {
  if (std::optional<llvm::StringRef> what = unsupported(op))
    return op.emitError("attention with ")
           << *what << " cannot be compiled to kernels yet";
  attn::AttentionSpec spec = specOf(op);
  if (failed(checkDim(op, spec.headDim, attn::kMostHeadDim, "a head_dim")) ||
      failed(
          checkDim(op, spec.valueDim, attn::kMostValueDim, "a head_dim of v")))
    return failure();
  FailureOr<size_t> number = kernels.find(keyOf(spec), [&] {
    kernels.native().addAttention(kernels.nextNumber(), op.getLoc(), spec);
    return attn::buildAttention(op.getLoc(), spec);
  });
  if (failed(number))
    return failure();

  llvm::SmallVector<Value> qDims = dims(op.getQuery()),
                           kDims = dims(op.getKey()),
                           vDims = dims(op.getValue());
  llvm::SmallVector<Value> oDims = qDims;
  oDims.back() = vDims.back();
  View q = viewOf(b, qDims, op.getLayout()),
       k = viewOf(b, kDims, op.getLayout());
  View v = viewOf(b, vDims, op.getLayout()),
       o = viewOf(b, oDims, op.getLayout());

  if (!spec.headDim)
    requireAtMost(op.getLoc(), q.dim, attn::kMostHeadDim, "a head_dim");
  if (!spec.valueDim)
    requireAtMost(op.getLoc(), v.dim, attn::kMostValueDim, "a head_dim of v");
  Value offset = op.getCausal() == Causal::BottomRight
                     ? b.sub(k.tokens, q.tokens)
                     : b.i64(0);
  Value scale;
  if (op.getScale()) {
    scale = numbers.lookup(op.getScale());
  } else {
    Value root = LLVM::SqrtOp::create(b.ir(), op.getLoc(), b.toF64(q.dim));
    scale = arith::DivFOp::create(b.ir(), op.getLoc(), b.f64(1), root);
  }

  llvm::SmallVector<Value> scalars(attn::kScalarCount);
  scalars[attn::kBatch] = q.batch;
  scalars[attn::kKvHeads] = k.heads;
  scalars[attn::kGroup] = b.ir().createOrFold<arith::DivSIOp>(
      op.getLoc(), q.heads,
      b.ir().createOrFold<arith::MaxSIOp>(op.getLoc(), k.heads, b.i64(1)));
  scalars[attn::kQueries] = q.tokens;
  scalars[attn::kKeys] = k.tokens;
  scalars[attn::kHeadDim] = q.dim;
  scalars[attn::kValueDim] = v.dim;
  auto strides = [&](const View &view, unsigned first) {
    scalars[first] = view.batchStride;
    scalars[first + 1] = view.headStride;
    scalars[first + 2] = view.tokenStride;
  };
  strides(q, attn::kQBatchStride);
  strides(k, attn::kKBatchStride);
  strides(v, attn::kVBatchStride);
  strides(o, attn::kOBatchStride);
  scalars[attn::kScale] = floatBits(scale);
  scalars[attn::kCausalOffset] = offset;

  llvm::SmallVector<Value> work;
  for (AffineExpr extent : kernels.kernels()[*number].work)
    work.push_back(b.evaluate(extent, scalars));
  Value flops = flopsOf(b, q, k, v, offset, spec.causal);
  Value result = allocate(op.getResult(), oDims);
  launch(op, *number, "attention",
         {buffer(op.getQuery()), buffer(op.getKey()), buffer(op.getValue()),
          result},
         scalars, work, flops);
  return success();
}
