//===- Attention.cpp - Attention, row by row ------------------------------===//
//
// attention.md section 1, as it is written: for every query row the scores of
// all visible keys, their maximum m, l = sum exp(x - m), o = sum exp(x - m) v /
// l. What a key's place in the world is (position, segment, length) is worked
// out once a batch entry by `Tokens`; `Scores` gives one score; `Evaluation`
// makes rows of them.
//
// Bounds: section 1's tolerance for the largest score X of the op (finite
// ones), scaled to the largest value; plus, where operands carry errors or
// bias and alibi are large, sum p_j |v_j - o| d_j with d_j the error of x_j.
//
//===----------------------------------------------------------------------===//

#include "reference/Ops.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;

namespace {

/// The operands of `agt.attention` by number.
enum Operand : unsigned {
  Query = AttentionOp::odsIndex_query,
  Key = AttentionOp::odsIndex_key,
  ValueOperand = AttentionOp::odsIndex_value,
  Scale = AttentionOp::odsIndex_scale,
  Masks = AttentionOp::odsIndex_masks,
  Bias = AttentionOp::odsIndex_bias,
  Sink = AttentionOp::odsIndex_sink,
  Alibi = AttentionOp::odsIndex_alibi,
  QPos = AttentionOp::odsIndex_q_pos,
  KvPos = AttentionOp::odsIndex_kv_pos,
  QSeg = AttentionOp::odsIndex_q_seg,
  KvSeg = AttentionOp::odsIndex_kv_seg,
  QCu = AttentionOp::odsIndex_q_cu,
  KvCu = AttentionOp::odsIndex_kv_cu,
  KvLen = AttentionOp::odsIndex_kv_len,
  KScale = AttentionOp::odsIndex_k_scale,
  VScale = AttentionOp::odsIndex_v_scale,
};

/// Operands by name; absent ones are null.
class Arguments {
public:
  Arguments(AttentionOp op, ArrayRef<Datum> data) : op(op), data(data) {}

  ArrayRef<Datum> all(Operand operand) const {
    auto [start, length] = op.getODSOperandIndexAndLength(operand);
    return data.slice(start, length);
  }
  const Datum *get(Operand operand) const {
    ArrayRef<Datum> group = all(operand);
    return group.empty() ? nullptr : &group.front();
  }
  const Tensor *tensor(Operand operand) const {
    const Datum *datum = get(operand);
    return datum ? datum->tensor.get() : nullptr;
  }

private:
  mutable AttentionOp op; // accessors of ops are not const
  ArrayRef<Datum> data;
};

/// [batch..., heads, tokens, dim] in either layout.
struct View {
  View(const Tensor &tensor, Layout layout) : tensor(tensor) {
    ArrayRef<int64_t> shape = tensor.shape;
    bool hsd = layout == Layout::HSD;
    batch = shape.drop_back(3);
    heads = shape[shape.size() - (hsd ? 3 : 2)];
    tokens = shape[shape.size() - (hsd ? 2 : 3)];
    dim = shape.back();
    headStride = hsd ? tokens * dim : dim;
    tokenStride = hsd ? dim : heads * dim;
  }
  /// Offset of the first element of one token's head; `entry` counts the
  /// batch in C order.
  int64_t offset(int64_t entry, int64_t head, int64_t token) const {
    return entry * heads * tokens * dim + head * headStride +
           token * tokenStride;
  }

  const Tensor &tensor;
  ArrayRef<int64_t> batch;
  int64_t heads, tokens, dim, headStride, tokenStride;
};

/// Where the queries and keys of one batch entry stand.
struct Tokens {
  std::vector<int64_t> queryPositions, keyPositions;
  std::vector<int64_t> querySegments, keySegments;
  int64_t length = 0; // keys from here on are padding
};

/// What a pair of query and key may be off, and is.
struct Score {
  double value = 0;
  double error = 0;
  bool visible = false;
};

} // namespace

/// 8-bit keys or values times their scales; others as they are. The product
/// is exact here: devices may scale after the sum instead.
static Tensor scaled(const Tensor &values, Layout layout, const Tensor *scales,
                     int64_t block) {
  Tensor result(Element::F32, values.shape);
  View view(values, layout);
  int64_t blocks = scales ? llvm::divideCeil(view.tokens, block) : 0;
  int64_t row = view.heads * view.tokens * view.dim;
  for (int64_t i = 0; i < values.size(); ++i) {
    Estimate value{values.number(i), values.bound(i)};
    if (scales) {
      int64_t token = i % row / view.tokenStride % view.tokens;
      int64_t head = i % row / view.headStride % view.heads;
      int64_t at = (i / row * view.heads + head) * blocks + token / block;
      Estimate scale{scales->reals[at], scales->bound(at)};
      auto multiply = [](double a, double b) { return a * b; };
      value = {value.value * scale.value, propagate(multiply, value, scale)};
    }
    result.setFloat(i, value.value, value.bound);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

/// One entry's tokens of an i32 operand [tokens] or [batch..., tokens].
static std::vector<int64_t> readTokens(const Tensor &operand,
                                       ArrayRef<int64_t> batchIndex,
                                       ArrayRef<int64_t> batch,
                                       int64_t tokens) {
  auto strides = broadcastStrides(ArrayRef(operand.shape).drop_back(), batch);
  int64_t start = offsetOf(batchIndex, strides) * tokens;
  auto first = operand.ints.begin() + start;
  return std::vector<int64_t>(first, first + tokens);
}

namespace {
/// A token's place in its packed sequence.
struct Packed {
  int64_t sequence; // -1: in none
  int64_t index;
};
} // namespace

static std::vector<Packed> unpack(const Tensor &offsets, int64_t tokens) {
  std::vector<Packed> places(tokens, Packed{-1, 0});
  for (int64_t s = 0; s + 1 < offsets.size(); ++s) {
    int64_t first = std::max<int64_t>(offsets.ints[s], 0);
    int64_t last = std::min(offsets.ints[s + 1], tokens);
    for (int64_t t = first; t < last; ++t)
      places[t] = {s, t - offsets.ints[s]};
  }
  return places;
}

/// Positions and segments that packing gives: those of each sequence alone.
static void placePacked(const Tensor &queryOffsets, const Tensor &keyOffsets,
                        bool topLeft, Tokens &tokens) {
  auto sizeOf = [](const Tensor &offsets, int64_t s) {
    return offsets.ints[s + 1] - offsets.ints[s];
  };
  auto queries = unpack(queryOffsets, tokens.queryPositions.size());
  auto keys = unpack(keyOffsets, tokens.keyPositions.size());
  tokens.querySegments.clear();
  tokens.keySegments.clear();
  for (auto [i, place] : llvm::enumerate(queries)) {
    int64_t s = place.sequence;
    int64_t shift =
        s < 0 || topLeft ? 0 : sizeOf(keyOffsets, s) - sizeOf(queryOffsets, s);
    tokens.queryPositions[i] = place.index + shift;
    tokens.querySegments.push_back(s);
  }
  for (auto [j, place] : llvm::enumerate(keys)) {
    tokens.keyPositions[j] = place.index;
    // Not -1: what is in no sequence sees nothing, its like included.
    tokens.keySegments.push_back(place.sequence < 0 ? -2 : place.sequence);
  }
}

static Tokens placeTokens(AttentionOp op, const Arguments &arguments,
                          const View &query, const View &key,
                          ArrayRef<int64_t> entry) {
  Tokens tokens;
  tokens.length = key.tokens;
  int64_t count = key.tokens;
  if (const Tensor *lengths = arguments.tensor(KvLen)) {
    // Without batch dims it is of rank 0 or [1].
    count = query.batch.empty()
                ? lengths->ints.front()
                : lengths->ints[offsetOf(
                      entry, broadcastStrides(lengths->shape, query.batch))];
    tokens.length = std::min(count, key.tokens);
  }
  bool topLeft = op.getCausal() == Causal::TopLeft;
  for (int64_t i = 0; i < query.tokens; ++i)
    tokens.queryPositions.push_back(topLeft ? i : i + count - query.tokens);
  for (int64_t j = 0; j < key.tokens; ++j)
    tokens.keyPositions.push_back(j);
  tokens.querySegments.resize(query.tokens, 0);
  tokens.keySegments.resize(key.tokens, 0);
  if (const Tensor *offsets = arguments.tensor(QCu))
    placePacked(*offsets, *arguments.tensor(KvCu), topLeft, tokens);

  auto replace = [&](Operand operand, int64_t n, std::vector<int64_t> &values) {
    if (const Tensor *given = arguments.tensor(operand))
      values = readTokens(*given, entry, query.batch, n);
  };
  replace(QPos, query.tokens, tokens.queryPositions);
  replace(KvPos, key.tokens, tokens.keyPositions);
  replace(QSeg, query.tokens, tokens.querySegments);
  replace(KvSeg, key.tokens, tokens.keySegments);
  return tokens;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

namespace {
/// The score of a pair, and whether the query sees the key.
class Scores {
public:
  Scores(AttentionOp op, const Arguments &arguments, const View &query,
         const View &key)
      : op(op), arguments(arguments), query(query), key(key),
        pairs(query.batch.begin(), query.batch.end()) {
    pairs.insert(pairs.end(), {query.heads, query.tokens, key.tokens});
    const Datum *given = arguments.get(Scale);
    scale = given ? given->real : 1 / std::sqrt(double(query.dim));
    exact = query.tensor.isExact() && key.tensor.isExact();
    for (const Datum &mask : arguments.all(Masks))
      maskStrides.push_back(broadcastStrides(mask.tensor->shape, pairs));
    if (const Tensor *bias = arguments.tensor(Bias))
      biasStrides = broadcastStrides(bias->shape, pairs);
  }

  void startEntry(ArrayRef<int64_t> batchIndex, int64_t entryNumber) {
    tokens = placeTokens(op, arguments, query, key, batchIndex);
    entry = entryNumber;
    index.assign(batchIndex.begin(), batchIndex.end());
    index.resize(index.size() + 3);
  }

  Score at(int64_t head, int64_t i, int64_t j);

  double largest = 0; // X: the largest sum of magnitudes of a visible pair

private:
  bool visible(int64_t i, int64_t j) const;
  Score product(int64_t head, int64_t i, int64_t j);
  void addBiases(int64_t head, int64_t i, int64_t j, Score &score) const;

  mutable AttentionOp op; // accessors of ops are not const
  const Arguments &arguments;
  const View &query, &key;
  std::vector<int64_t> pairs; // [batch..., heads, queries, keys]
  std::vector<int64_t> biasStrides, index;
  std::vector<std::vector<int64_t>> maskStrides;
  Tokens tokens;
  int64_t entry = 0;
  double scale = 1;
  bool exact = true;
};
} // namespace

/// (window or pinned) and causal and mask tensors and segment and length.
bool Scores::visible(int64_t i, int64_t j) const {
  int64_t from = tokens.queryPositions[i], to = tokens.keyPositions[j];
  bool inWindow =
      (!op.getWindowLeft() || to >= from - int64_t(*op.getWindowLeft())) &&
      (!op.getWindowRight() || to <= from + int64_t(*op.getWindowRight()));
  // Without a pin nothing is pinned, positions below 0 included.
  bool pinned = op.getPin() > 0 && to < int64_t(op.getPin());
  if (!(inWindow || pinned))
    return false;
  if (op.getCausal() != Causal::None && to > from)
    return false;
  for (auto [mask, strides] :
       llvm::zip_equal(arguments.all(Masks), maskStrides))
    if (!mask.tensor->ints[offsetOf(index, strides)])
      return false;
  return tokens.querySegments[i] == tokens.keySegments[j] && j < tokens.length;
}

/// softcap(scale * q.k)
Score Scores::product(int64_t head, int64_t i, int64_t j) {
  int64_t q = query.offset(entry, head, i);
  int64_t k = key.offset(entry, head / (query.heads / key.heads), j);
  double sum = 0, magnitudes = 0, error = 0;
  for (int64_t d = 0; d < query.dim; ++d) {
    double x = query.tensor.reals[q + d], y = key.tensor.reals[k + d];
    sum += x * y;
    magnitudes += std::abs(x * y);
    if (!exact) {
      double ex = query.tensor.bound(q + d), ey = key.tensor.bound(k + d);
      error += std::abs(x) * ey + std::abs(y) * ex + ex * ey;
    }
  }
  magnitudes *= std::abs(scale);
  if (std::isfinite(magnitudes))
    largest = std::max(largest, magnitudes);
  Score score{sum * scale, error * std::abs(scale), true};
  if (op.getSoftcap()) {
    double cap = op.getSoftcap()->convertToDouble();
    score.value = cap * std::tanh(score.value / cap);
  }
  return score;
}

void Scores::addBiases(int64_t head, int64_t i, int64_t j, Score &score) const {
  auto add = [&](double value, double bound) {
    score.value += value;
    if (std::isfinite(value))
      score.error += bound + 2 * kHalfUnit * std::abs(value);
  };
  if (const Tensor *bias = arguments.tensor(Bias)) {
    int64_t at = offsetOf(index, biasStrides);
    add(bias->reals[at], bias->bound(at));
  }
  if (const Tensor *slopes = arguments.tensor(Alibi)) {
    double apart = tokens.keyPositions[j] - tokens.queryPositions[i];
    add(slopes->reals[head] * apart, slopes->bound(head) * std::abs(apart));
  }
}

Score Scores::at(int64_t head, int64_t i, int64_t j) {
  index[index.size() - 3] = head;
  index[index.size() - 2] = i;
  index[index.size() - 1] = j;
  if (!visible(i, j))
    return Score();
  Score score = product(head, i, j);
  addBiases(head, i, j, score);
  return score;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// Values of a result, and what operands' errors make of them.
struct Accumulated {
  explicit Accumulated(const Tensor &result)
      : values(result.size()), errors(result.size()) {}

  std::vector<double> values, errors;
};

/// Rows of the results. `outputView` and `sumView` ([..., 1]) say where they
/// go.
class Evaluation {
public:
  Evaluation(Scores &scores, const View &query, const View &key,
             const View &value, const Tensor *sink, const View &outputView,
             const View &sumView)
      : outputs(outputView.tensor), logSums(sumView.tensor), scores(scores),
        query(query), key(key), value(value), sink(sink),
        outputView(outputView), sumView(sumView), line(key.tokens) {}

  void run();

  Accumulated outputs, logSums;

private:
  void row(int64_t entry, int64_t head, int64_t i);
  void accumulate(int64_t entry, int64_t head, int64_t i, double m, double l);

  Scores &scores;
  const View &query, &key, &value;
  const Tensor *sink;
  const View &outputView, &sumView;
  std::vector<Score> line; // of the row at hand
};
} // namespace

/// The largest visible score and NaN if any is; -inf if there is none.
static double largestOf(ArrayRef<Score> line) {
  double m = -kInfinity;
  for (const Score &score : line)
    if (score.visible && (std::isnan(score.value) || score.value > m)) {
      m = score.value;
      if (std::isnan(m))
        break;
    }
  return m;
}

void Evaluation::row(int64_t entry, int64_t head, int64_t i) {
  for (int64_t j = 0; j < key.tokens; ++j)
    line[j] = scores.at(head, i, j);
  double m = largestOf(line);
  if (sink && !(m >= sink->reals[head]) && !std::isnan(m))
    m = sink->reals[head];
  int64_t sumAt = sumView.offset(entry, head, i);
  if (m == -kInfinity) { // nothing to see: the outputs stay 0
    logSums.values[sumAt] = m;
    return;
  }
  double l = 0, error = 0;
  for (const Score &score : line)
    if (score.visible) {
      double weight = std::exp(score.value - m);
      l += weight;
      error += weight == 0 ? 0 : weight * score.error;
    }
  if (sink) {
    double weight = std::exp(sink->reals[head] - m);
    l += weight;
    error += weight * sink->bound(head);
  }
  logSums.values[sumAt] = m + std::log(l);
  logSums.errors[sumAt] = error / l;
  accumulate(entry, head, i, m, l);
}

/// o = sum p_j v_j, and its error sum p_j (bound of v_j + |v_j - o| d_j). The
/// sink is a value of 0.
void Evaluation::accumulate(int64_t entry, int64_t head, int64_t i, double m,
                            double l) {
  int64_t start = outputView.offset(entry, head, i);
  int64_t valueHead = head / (query.heads / key.heads);
  double *o = outputs.values.data() + start;
  double *error = outputs.errors.data() + start;
  const Tensor &values = value.tensor;
  bool exact = values.isExact();
  for (int64_t j = 0; j < key.tokens; ++j) {
    if (!line[j].visible)
      continue;
    double p = std::exp(line[j].value - m) / l;
    int64_t from = value.offset(entry, valueHead, j);
    for (int64_t d = 0; d < value.dim; ++d)
      o[d] += p * values.reals[from + d];
    exact &= line[j].error == 0;
  }
  double sinkError = sink ? sink->bound(head) : 0;
  if (exact && sinkError == 0)
    return;
  for (int64_t j = 0; j < key.tokens; ++j) {
    double p = line[j].visible ? std::exp(line[j].value - m) / l : 0;
    if (p == 0)
      continue;
    int64_t from = value.offset(entry, valueHead, j);
    double moves = std::expm1(2 * line[j].error);
    for (int64_t d = 0; d < value.dim; ++d)
      error[d] += p * (values.bound(from + d) +
                       std::abs(values.reals[from + d] - o[d]) * moves);
  }
  if (sinkError > 0) {
    double p = std::exp(sink->reals[head] - m) / l;
    for (int64_t d = 0; d < value.dim; ++d)
      error[d] += p * std::abs(o[d]) * std::expm1(2 * sinkError);
  }
}

void Evaluation::run() {
  int64_t entry = 0;
  forEachIndex(query.batch, [&](ArrayRef<int64_t> index) {
    scores.startEntry(index, entry);
    for (int64_t head = 0; head < query.heads; ++head)
      for (int64_t i = 0; i < query.tokens; ++i)
        row(entry, head, i);
    ++entry;
  });
}

/// The largest finite magnitude, at least 1: tolerances are for |v| <= 1.
static double largestMagnitude(const Tensor &values) {
  double largest = 1;
  for (double x : values.reals)
    if (std::isfinite(x))
      largest = std::max(largest, std::abs(x));
  return largest;
}

std::optional<Data> agt::reference::evaluateAttention(Operation *operation,
                                                      ArrayRef<Datum> operands,
                                                      double &largestScore) {
  auto op = dyn_cast<AttentionOp>(operation);
  if (!op || op.getPartial())
    return std::nullopt;
  Arguments arguments(op, operands);
  Layout layout = op.getLayout();
  const Tensor &queries = *arguments.tensor(Query);
  Tensor keys = scaled(*arguments.tensor(Key), layout, arguments.tensor(KScale),
                       op.getKBlock().value_or(1));
  Tensor values = scaled(*arguments.tensor(ValueOperand), layout,
                         arguments.tensor(VScale), op.getVBlock().value_or(1));
  View query(queries, layout), key(keys, layout), value(values, layout);

  std::vector<int64_t> shape = queries.shape;
  shape.back() = value.dim;
  Tensor output(queries.element, shape);
  shape.back() = 1;
  Tensor logSum(Element::F32, shape);
  View outputView(output, layout), sumView(logSum, layout);

  Scores scores(op, arguments, query, key);
  Evaluation evaluation(scores, query, key, value, arguments.tensor(Sink),
                        outputView, sumView);
  if (logSum.size() > 0) // rows, however many batches have none
    evaluation.run();

  double x = scores.largest;
  largestScore = std::max(largestScore, x);
  double least = queries.element == Element::F32 ? 2e-6 : 1e-5;
  double tolerance = least * (1 + x / 16) * largestMagnitude(values);
  for (int64_t i = 0; i < output.size(); ++i)
    output.setFloat(i, evaluation.outputs.values[i],
                    evaluation.outputs.errors[i] + tolerance);
  for (int64_t i = 0; i < logSum.size(); ++i) {
    double lse = evaluation.logSums.values[i];
    logSum.setFloat(i, lse,
                    std::isinf(lse) ? 0
                                    : evaluation.logSums.errors[i] +
                                          2e-6 * (1 + x / 4) *
                                              std::max(1.0, std::abs(lse)));
  }
  logSum.shape.pop_back();
  if (op.getLse())
    return Data{std::move(output), std::move(logSum)};
  return Data{std::move(output)};
}
