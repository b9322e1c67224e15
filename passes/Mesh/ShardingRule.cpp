// See ShardingRule.h.
#include "passes/Mesh/ShardingRule.h"

#include "dialect/Agt/Shapes.h"

using namespace mlir;
using namespace agt;

namespace {

/// Makes the rule of one op: every tensor starts with dims of no factor.
class RuleBuilder {
public:
  explicit RuleBuilder(Operation *op) : op(op) {
    auto dimsOf = [](ValueRange values, auto &to) {
      for (Value value : values) {
        auto type = dyn_cast<RankedTensorType>(value.getType());
        to.push_back(
            SmallVector<int>(type ? type.getRank() : 0, ShardingRule::kNone));
      }
    };
    dimsOf(op->getOperands(), rule.operands);
    dimsOf(op->getResults(), rule.results);
  }

  ShardingRule build();

private:
  using Factors = SmallVector<int>;

  int64_t rank(unsigned operand) { return rule.operands[operand].size(); }
  int64_t size(Value tensor, int64_t dim) {
    return tensorType(tensor).getDimSize(dim);
  }
  /// Factors of all dims of a tensor of `rank`, free but for `whole`.
  Factors factors(int64_t rank, ArrayRef<int64_t> whole = {}) {
    Factors made;
    for (int64_t i = 0; i < rank; ++i)
      made.push_back(rule.add(!llvm::is_contained(whole, i)));
    return made;
  }
  /// Gives an operand that broadcasts to `target` its factors.
  void stretch(unsigned operand, ArrayRef<int> target) {
    Factors &own = rule.operands[operand];
    for (int64_t i = 1; i <= int64_t(own.size()); ++i)
      if (size(op->getOperand(operand), own.size() - i) != 1)
        own[own.size() - i] = target[target.size() - i];
  }
  void elementwise();
  void alongAxis(int64_t axis);
  void reduced(int64_t axis, bool keep);
  void linear();
  void matmul();
  void rope();
  void transpose(TransposeOp transpose);
  void reshape();
  void attention(AttentionOp attention);

  Operation *op;
  ShardingRule rule;
};

} // namespace

void RuleBuilder::elementwise() {
  rule.results[0] = factors(rule.results[0].size());
  for (unsigned i = 0; i < rule.operands.size(); ++i)
    stretch(i, rule.results[0]);
}

// All dims of operand and result but one axis, along which the op looks at all.
void RuleBuilder::alongAxis(int64_t axis) {
  rule.results[0] = rule.operands[0] = factors(rank(0), axis);
}

void RuleBuilder::reduced(int64_t axis, bool keep) {
  rule.operands[0] = factors(rank(0), axis);
  Factors left = rule.operands[0];
  if (keep)
    left[axis] = ShardingRule::kNone;
  else
    left.erase(left.begin() + axis);
  for (Factors &result : rule.results)
    result = left;
}

// x [..., k] times w [n, k] transposed, plus b [n].
void RuleBuilder::linear() {
  int64_t last = rank(0) - 1;
  rule.operands[0] = factors(rank(0), last);
  rule.results[0] = rule.operands[0];
  int outputs = rule.results[0][last] = rule.add(true);
  rule.operands[1] = {outputs, rule.operands[0][last]};
  if (rule.operands.size() > 2)
    rule.operands[2] = {outputs};
}

void RuleBuilder::matmul() {
  int64_t last = rule.results[0].size() - 1;
  rule.results[0] = factors(last + 1);
  if (last < 1)
    return;
  int inner = rule.add(false);
  for (unsigned i : {0u, 1u}) {
    Factors &own = rule.operands[i];
    Factors target(rule.results[0]);
    target[i == 0 ? last : last - 1] = inner;
    stretch(i, target);
    own[own.size() - (i == 0 ? 1 : 2)] = inner;
  }
}

// x [..., tokens, dim]; positions [tokens] or [batch..., tokens].
void RuleBuilder::rope() {
  int64_t last = rank(0) - 1;
  rule.results[0] = rule.operands[0] = factors(rank(0), last);
  Factors &positions = rule.operands[1];
  positions.back() = rule.operands[0][last - 1];
  for (size_t i = 0; i + 1 < positions.size(); ++i)
    if (size(op->getOperand(1), i) != 1)
      positions[i] = rule.operands[0][i];
}

void RuleBuilder::transpose(TransposeOp transpose) {
  rule.operands[0] = factors(rank(0));
  for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
    rule.results[0][to] = rule.operands[0][from];
}

/// The number of dims at the front of `dims` whose product is `product`;
/// nothing where an open dim or another product comes first.
static std::optional<size_t> prefixOf(ArrayRef<int64_t> dims, int64_t product) {
  int64_t have = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (ShapedType::isDynamic(dims[i]))
      return std::nullopt;
    have *= dims[i];
    if (have == product)
      return i + 1;
    if (have > product)
      return std::nullopt;
  }
  return std::nullopt;
}

// Dims from the front (and then from the back) that are the same on both sides,
// or the slowest of those that one dim is taken apart into. Open dims are the
// same where each side has one.
void RuleBuilder::reshape() {
  ArrayRef<int64_t> in = tensorType(op->getOperand(0)).getShape(),
                    out = tensorType(op->getResult(0)).getShape();
  bool paired = llvm::count(in, ShapedType::kDynamic) <= 1 &&
                llvm::count(out, ShapedType::kDynamic) ==
                    llvm::count(in, ShapedType::kDynamic);
  if (!paired)
    return;
  size_t i = 0, o = 0;
  while (i < in.size() && o < out.size()) {
    if (in[i] == out[o]) {
      rule.operands[0][i++] = rule.results[0][o++] = rule.add(true);
      continue;
    }
    if (ShapedType::isDynamic(in[i]) || ShapedType::isDynamic(out[o]))
      break;
    bool apart = in[i] > out[o];
    std::optional<size_t> run = apart ? prefixOf(out.drop_front(o), in[i])
                                      : prefixOf(in.drop_front(i), out[o]);
    if (!run)
      break;
    rule.operands[0][i] = rule.results[0][o] = rule.add(true, /*even=*/true);
    i += apart ? 1 : *run;
    o += apart ? *run : 1;
  }
}

void RuleBuilder::attention(AttentionOp attention) {
  int64_t rank = rule.results[0].size();
  bool headsFirst = attention.getLayout() == Layout::HSD;
  int64_t heads = rank - (headsFirst ? 3 : 2),
          tokens = rank - (headsFirst ? 2 : 3);
  Factors query = factors(rank, rank - 1);
  rule.even[query[heads]] = true;
  rule.heads = query[heads];
  rule.queries = query[tokens];
  rule.keys = rule.add(true);
  int valueDim = rule.add(false);
  Factors key(query), pairs, batch(query.begin(), query.end() - 3);
  key[tokens] = rule.keys;
  pairs = batch;
  pairs.append({query[heads], rule.queries, rule.keys});
  rule.operands[0] = query;
  rule.operands[1] = rule.operands[2] = key;
  rule.operands[2].back() = valueDim;
  rule.results[0] = query;
  rule.results[0].back() = valueDim;
  if (attention.getLse())
    rule.results[1].assign(query.begin(), query.end() - 1);
  // By place among the operands: one value may be several of them.
  auto pairsOf = [&](MutableOperandRange range) {
    for (OpOperand &operand : range)
      stretch(operand.getOperandNumber(), pairs);
  };
  pairsOf(attention.getMasksMutable());
  pairsOf(attention.getBiasMutable());
  for (MutableOperandRange range :
       {attention.getSinkMutable(), attention.getAlibiMutable()})
    for (OpOperand &operand : range)
      rule.operands[operand.getOperandNumber()] = {query[heads]};
  auto tokensOf = [&](MutableOperandRange range,
                      std::initializer_list<int> rest) {
    Factors target(batch);
    target.append(rest);
    for (OpOperand &operand : range)
      if (tensorType(operand.get()).getRank() <= int64_t(target.size()))
        stretch(operand.getOperandNumber(), target);
  };
  tokensOf(attention.getQPosMutable(), {rule.queries});
  tokensOf(attention.getKvPosMutable(), {rule.keys});
  tokensOf(attention.getQSegMutable(), {rule.queries});
  tokensOf(attention.getKvSegMutable(), {rule.keys});
  tokensOf(attention.getKvLenMutable(), {});
  // Offsets of packed sequences are those of whole tensors. (On a mesh they
  // have become segments.)
  if (attention.getQCu())
    rule.free[rule.queries] = rule.free[rule.keys] = false;
  // Scales lie by blocks of tokens, which a cut of these would not keep whole.
  for (MutableOperandRange range :
       {attention.getKScaleMutable(), attention.getVScaleMutable()})
    for (OpOperand &operand : range) {
      Factors &own = rule.operands[operand.getOperandNumber()];
      llvm::copy(batch, own.begin());
      own[own.size() - 2] = query[heads];
    }
}

ShardingRule RuleBuilder::build() {
  if (auto attentionOp = dyn_cast<AttentionOp>(op)) {
    attention(attentionOp);
  } else if (isa<LinearOp>(op)) {
    linear();
  } else if (isa<MatmulOp>(op)) {
    matmul();
  } else if (isa<RopeOp>(op)) {
    rope();
  } else if (isa<UnpackBlocksOp>(op)) {
    rule.operands[0] = rule.results[0] = factors(rank(0));
    rule.operands[0].back() = rule.add(false);
    rule.results[0].back() = rule.add(false);
  } else if (isa<RmsNormOp, LayerNormOp>(op)) {
    alongAxis(rank(0) - 1);
  } else if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    alongAxis(softmax.getAxis());
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    reduced(reduce.getAxis(), reduce.getKeep());
  } else if (auto argmax = dyn_cast<ArgmaxOp>(op)) {
    reduced(argmax.getAxis(), /*keep=*/false);
  } else if (auto transposeOp = dyn_cast<TransposeOp>(op)) {
    transpose(transposeOp);
  } else if (isa<ReshapeOp>(op)) {
    reshape();
  } else if (isa<EmbedOp>(op)) {
    rule.operands[1] = factors(rank(1));
    rule.results[0] = rule.operands[1];
    rule.results[0].push_back(rule.add(true));
    rule.operands[0] = {rule.add(false), rule.results[0].back()};
  } else if (isa<FullOp, ShardOp, tensor::CastOp, CastOp, CompareOp, SelectOp>(
                 op) ||
             isa<AddOp, SubOp, MulOp, DivOp, RemOp, MaxOp, MinOp, AndOp, OrOp,
                 NegOp, AbsOp, NotOp, ExpOp, LogOp, SqrtOp, RsqrtOp, TanhOp,
                 SigmoidOp, SiluOp, GeluOp, GeluTanhOp, ReluOp, CosOp, SinOp>(
                 op)) {
    elementwise();
  }
  return std::move(rule);
}

std::optional<int64_t> agt::unevenDim(Operation *op, const ShardingRule &rule,
                                      int factor, const DimSplit &split,
                                      int64_t parts) {
  std::optional<int64_t> uneven;
  auto look = [&](Value value, ArrayRef<int> factors) {
    for (auto [dim, own] : llvm::enumerate(factors)) {
      if (own != factor || uneven)
        continue;
      int64_t size = tensorType(value).getDimSize(dim);
      if (ShapedType::isDynamic(size) || size % parts != 0 ||
          split.balance != Balance::Contiguous)
        uneven = size;
    }
  };
  for (auto [value, factors] : llvm::zip(op->getResults(), rule.results))
    look(value, factors);
  for (auto [value, factors] : llvm::zip(op->getOperands(), rule.operands))
    look(value, factors);
  return uneven;
}

LogicalResult agt::checkHeads(AttentionOp op, const ShardingRule &rule,
                              const DimSplit &split, int64_t parts) {
  std::optional<int64_t> size = unevenDim(op, rule, rule.heads, split, parts);
  if (!size)
    return success();
  if (split.balance != Balance::Contiguous)
    return op.emitError("heads are shared in contiguous parts, not ")
           << stringifyBalance(split.balance);
  InFlightDiagnostic error = op.emitError("attention with ");
  if (ShapedType::isDynamic(*size))
    error << "a number of heads that is not known when it is compiled";
  else
    error << *size << " heads";
  error << " cannot be shared by the " << parts << " positions of ";
  llvm::interleave(
      split.axes,
      [&](StringAttr axis) { error << "'" << axis.getValue() << "'"; },
      [&] { error << " and "; });
  return error;
}

ShardingRule agt::shardingRule(Operation *op) {
  return RuleBuilder(op).build();
}
