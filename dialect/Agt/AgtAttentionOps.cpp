//===- AgtAttentionOps.cpp - Attention ------------------------------------===//
//
// The verifier of `agt.attention` works on names of dims rather than on
// numbers of axes: `AttentionDims` reads heads, tokens and dim through the
// layout once.
//
//===----------------------------------------------------------------------===//

#include "dialect/Agt/Agt.h"
#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

static constexpr int64_t kOpen = ShapedType::kDynamic;

namespace {
/// The dims of one of query, key and value.
struct AttentionDims {
  AttentionDims(Value tensor, Layout layout)
      : shape(tensorType(tensor).getShape()), batch(shape.drop_back(3)),
        heads(shape[shape.size() - (layout == Layout::HSD ? 3 : 2)]),
        tokens(shape[shape.size() - (layout == Layout::HSD ? 2 : 3)]),
        dim(shape.back()) {}

  /// [batch..., a, b]
  Dims withBatch(std::initializer_list<int64_t> rest) const {
    Dims result(batch);
    result.append(rest);
    return result;
  }

  ArrayRef<int64_t> shape, batch;
  int64_t heads, tokens, dim;
};
} // namespace

/// Emits `expected <what> <expected>, got <got>` unless the dims agree.
static LogicalResult verifyDim(Operation *op, const Twine &what,
                               int64_t expected, int64_t got) {
  if (dimsAgree(expected, got))
    return success();
  return op->emitOpError("expected ")
         << what << " " << expected << ", got " << got;
}

/// Emits an error unless an optional operand broadcasts to `target`.
static LogicalResult verifyStretches(Operation *op, StringRef what,
                                     Value operand, ArrayRef<int64_t> target) {
  RankedTensorType type = tensorType(operand);
  if (broadcastsTo(type.getShape(), target))
    return success();
  return op->emitOpError("expected ")
         << what << " that broadcasts to "
         << RankedTensorType::get(target, type.getElementType()) << ", got "
         << type;
}

static LogicalResult verifyQueryKeyValue(AttentionOp op,
                                         const AttentionDims &query,
                                         const AttentionDims &key,
                                         const AttentionDims &value) {
  // attention_c2
  if (!shapesAgree(query.batch, key.batch) ||
      !shapesAgree(query.batch, value.batch))
    return op.emitOpError("expected the batch dims of the query in key and "
                          "value, got ")
           << op.getQuery().getType() << ", " << op.getKey().getType()
           << " and " << op.getValue().getType();
  // attention_c3, attention_c4
  if (failed(verifyDim(op, "a key of dim", query.dim, key.dim)) ||
      failed(verifyDim(op, "a value with heads", key.heads, value.heads)) ||
      failed(verifyDim(op, "a value with tokens", key.tokens, value.tokens)))
    return failure();
  // attention_c5
  if (query.heads == kOpen || key.heads == kOpen)
    return success();
  bool divides =
      key.heads == 0 ? query.heads == 0 : query.heads % key.heads == 0;
  if (!divides)
    return op.emitOpError("expected heads of the key that divide ")
           << query.heads << ", got " << key.heads;
  return success();
}

/// A result that other keys are still to be taken into.
static LogicalResult verifyPartial(AttentionOp op, Dims shape) {
  if (op.getInto()) {
    // attention_c20
    if (op.getState() || op.getSink() ||
        !isa<LeavesType>(op.getResult().getType()))
      return op.emitOpError("expected leaves as the result of 'into', without "
                            "a state or a sink");
    return success();
  }
  // attention_c18
  if (op.getSink() || !op.getState())
    return op.emitOpError("expected a partial result with a state and without "
                          "a sink");
  Type f32 = Float32Type::get(op.getContext());
  if (failed(verifyTensor(op, "a partial result", op.getResult(), shape, f32)))
    return failure();
  shape.back() = 2;
  return verifyTensor(op, "a state", op.getState(), shape, f32);
}

static LogicalResult verifyResults(AttentionOp op, const AttentionDims &query,
                                   const AttentionDims &value) {
  Dims shape(query.shape);
  shape.back() = value.dim;
  // attention_c20
  if (bool(op.getInto()) != bool(op.getOwner()) ||
      (op.getInto() && !op.getPartial()))
    return op.emitOpError("expected 'into' with 'owner', and both with "
                          "'partial'");
  if (!op.getInto() && !isa<RankedTensorType>(op.getResult().getType()))
    return op.emitOpError("expected a tensor as the result without 'into'");
  if (op.getPartial())
    return verifyPartial(op, shape);
  // attention_c19
  if (op.getEnabled())
    return op.emitOpError("expected 'enabled' with 'partial' alone");
  // attention_c6
  if (failed(verifyTensor(op, "a result", op.getResult(), shape,
                          tensorType(op.getQuery()).getElementType())))
    return failure();
  // attention_c7
  if (!op.getLse())
    return success();
  return verifyTensor(op, "a lse", op.getLse(), query.shape.drop_back(),
                      tensorType(op.getLse()).getElementType());
}

/// Operands that say something of every pair, or of every head.
static LogicalResult verifyScores(AttentionOp op, const AttentionDims &query,
                                  const AttentionDims &key) {
  // attention_c8
  Dims pairs = query.withBatch({query.heads, query.tokens, key.tokens});
  for (Value mask : op.getMasks())
    if (failed(verifyStretches(op, "a mask", mask, pairs)))
      return failure();
  if (op.getBias() &&
      failed(verifyStretches(op, "a bias", op.getBias(), pairs)))
    return failure();
  // attention_c9
  auto perHead = [&](StringRef what, Value operand) -> LogicalResult {
    if (!operand)
      return success();
    return verifyTensor(op, what, operand, {query.heads},
                        tensorType(operand).getElementType());
  };
  return success(succeeded(perHead("a sink", op.getSink())) &&
                 succeeded(perHead("alibi slopes", op.getAlibi())));
}

/// Operands that say something of every token, or of every sequence.
static LogicalResult verifyTokens(AttentionOp op, const AttentionDims &query,
                                  const AttentionDims &key) {
  // attention_c10
  auto perToken = [&](StringRef what, Value operand, int64_t tokens) {
    if (!operand)
      return true;
    Dims shape = query.withBatch({tokens});
    RankedTensorType type = tensorType(operand);
    if (type.getRank() > 0 && dimsAgree(type.getShape().back(), tokens) &&
        broadcastsTo(type.getShape(), shape))
      return true;
    op.emitOpError("expected ")
        << what << " [tokens] or "
        << RankedTensorType::get(shape, type.getElementType()) << ", got "
        << type;
    return false;
  };
  if (!perToken("q_pos", op.getQPos(), query.tokens) ||
      !perToken("kv_pos", op.getKvPos(), key.tokens) ||
      !perToken("q_seg", op.getQSeg(), query.tokens) ||
      !perToken("kv_seg", op.getKvSeg(), key.tokens))
    return failure();
  // attention_c11
  if (!op.getQSeg() != !op.getKvSeg() || !op.getQCu() != !op.getKvCu() ||
      (op.getQSeg() && op.getQCu()))
    return op.emitOpError("expected q_seg and kv_seg, or q_cu and kv_cu, or "
                          "none of them");
  // attention_c12
  for (Value cu : {op.getQCu(), op.getKvCu()})
    if (cu && tensorType(cu).getRank() != 1)
      return op.emitOpError("expected offsets of one dim, got ")
             << cu.getType();
  if (op.getQCu() && !dimsAgree(tensorType(op.getQCu()).getDimSize(0),
                                tensorType(op.getKvCu()).getDimSize(0)))
    return op.emitOpError("expected as many offsets in kv_cu as in q_cu, got ")
           << op.getKvCu().getType() << " and " << op.getQCu().getType();
  // attention_c13: without batch dims a length may still be written as [1].
  if (!op.getKvLen())
    return success();
  Dims lengths = query.batch.empty() ? Dims{1} : Dims(query.batch);
  return verifyStretches(op, "kv_len", op.getKvLen(), lengths);
}

/// 8-bit keys and values and their scales.
static LogicalResult verifyScales(AttentionOp op, StringRef what,
                                  const AttentionDims &dims, Value values,
                                  Value scales, std::optional<int64_t> block) {
  // attention_c14
  bool narrow =
      tensorType(values).getElementType().getIntOrFloatBitWidth() == 8;
  if (narrow != bool(scales) || narrow != block.has_value())
    return op.emitOpError("expected ")
           << (narrow ? "" : "no ") << "scales and block of a " << what
           << " of type " << values.getType();
  if (!narrow)
    return success();
  if (*block < 1)
    return op.emitOpError("expected a block of at least 1 token, got ")
           << *block;
  // attention_c15
  return verifyTensor(
      op, "scales", scales,
      dims.withBatch({dims.heads, blocksOf(dims.tokens, *block)}),
      tensorType(scales).getElementType());
}

/// Numbers that must not be negative.
static LogicalResult verifyNumbers(AttentionOp op) {
  // attention_c16
  std::pair<StringRef, std::optional<int64_t>> counts[] = {
      {"left", op.getWindowLeft()},
      {"right", op.getWindowRight()},
      {"pin", op.getPin()}};
  for (auto [what, count] : counts)
    if (count && *count < 0)
      return op.emitOpError("expected ")
             << what << " of at least 0, got " << *count;
  // attention_c17
  if (op.getSoftcap() && !(op.getSoftcap()->convertToDouble() > 0))
    return op.emitOpError("expected a softcap above 0, got ")
           << op.getSoftcap()->convertToDouble();
  return success();
}

LogicalResult AttentionOp::verify() {
  // attention_c1
  int64_t rank = tensorType(getQuery()).getRank();
  if (rank < 3 || tensorType(getKey()).getRank() != rank ||
      tensorType(getValue()).getRank() != rank)
    return emitOpError("expected query, key and value of one rank of at least "
                       "3, got ")
           << getQuery().getType() << ", " << getKey().getType() << " and "
           << getValue().getType();
  AttentionDims query(getQuery(), getLayout());
  AttentionDims key(getKey(), getLayout());
  AttentionDims value(getValue(), getLayout());
  bool valid = succeeded(verifyQueryKeyValue(*this, query, key, value)) &&
               succeeded(verifyResults(*this, query, value)) &&
               succeeded(verifyScores(*this, query, key)) &&
               succeeded(verifyTokens(*this, query, key)) &&
               succeeded(verifyScales(*this, "key", key, getKey(), getKScale(),
                                      getKBlock())) &&
               succeeded(verifyScales(*this, "value", value, getValue(),
                                      getVScale(), getVBlock())) &&
               succeeded(verifyNumbers(*this));
  return success(valid);
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  int64_t last = tensorType(getQuery()).getRank() - 1;
  for (Value result : getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      return failure();
    reifyResult(builder, result, shapes, [&](int64_t dim) -> OpFoldResult {
      if (result == getState() && dim == last)
        return builder.getIndexAttr(2);
      return dimOf(builder, getLoc(), dim == last ? getValue() : getQuery(),
                   dim);
    });
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

LogicalResult LeavesOp::verify() {
  // leaves_c1
  if (getParts() >= 1 && ofLeaves(getBalance()))
    return success();
  return emitOpError("expected a part at least, of whole leaves, got ")
         << getParts() << " " << stringifyBalance(getBalance());
}

LogicalResult RootOp::verify() {
  RankedTensorType query = tensorType(getQuery());
  if (query.getRank() < 3 ||
      tensorType(getValue()).getRank() != query.getRank())
    return emitOpError("expected query and value of one rank of at least 3, "
                       "got ")
           << query << " and " << getValue().getType();
  AttentionDims dims(getQuery(), getLayout());
  Dims shape(dims.shape);
  shape.back() = tensorType(getValue()).getShape().back();
  // root_c1, root_c2, root_c3
  auto same = [&](StringRef what, Value tensor, ArrayRef<int64_t> shape) {
    return !tensor ||
           succeeded(verifyTensor(*this, what, tensor, shape,
                                  tensorType(tensor).getElementType()));
  };
  return success(same("a result", getResult(), shape) &&
                 same("a lse", getLse(), dims.shape.drop_back()) &&
                 same("a sink", getSink(), {dims.heads}));
}

LogicalResult RootOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  int64_t last = tensorType(getQuery()).getRank() - 1;
  for (Value result : getResults())
    reifyResult(builder, result, shapes, [&](int64_t dim) -> OpFoldResult {
      return dimOf(builder, getLoc(), dim == last ? getValue() : getQuery(),
                   dim);
    });
  return success();
}
