//===- Reductions.cpp - Products and reductions ---------------------------===//

#include "reference/Ops.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;

using Results = std::optional<Data>;

//===----------------------------------------------------------------------===//
// matmul, linear
//===----------------------------------------------------------------------===//

namespace {
/// n elements of a tensor at a fixed distance.
struct Run {
  const Tensor &tensor;
  int64_t start;
  int64_t stride;

  Estimate at(int64_t i) const {
    int64_t offset = start + i * stride;
    return {tensor.reals[offset], tensor.bound(offset)};
  }
};
} // namespace

/// The sum of products of two runs.
static Estimate dot(Run a, Run b, int64_t n) {
  bool exact = a.tensor.isExact() && b.tensor.isExact();
  double sum = 0, magnitudes = 0, propagated = 0;
  for (int64_t i = 0; i < n; ++i) {
    double x = a.tensor.reals[a.start + i * a.stride];
    double y = b.tensor.reals[b.start + i * b.stride];
    sum += x * y;
    magnitudes += std::abs(x * y);
    if (exact)
      continue;
    double ex = a.at(i).bound, ey = b.at(i).bound;
    propagated += std::abs(x) * ey + std::abs(y) * ex + ex * ey;
  }
  return {sum, sumBound(n, magnitudes) + propagated};
}

static Tensor matmul(const Tensor &lhs, const Tensor &rhs) {
  ArrayRef<int64_t> left = lhs.shape, right = rhs.shape;
  int64_t m = left[left.size() - 2], k = left.back(), n = right.back();
  std::vector<int64_t> batch = broadcast(left.drop_back(2), right.drop_back(2));
  auto leftStrides = broadcastStrides(left.drop_back(2), batch);
  auto rightStrides = broadcastStrides(right.drop_back(2), batch);
  std::vector<int64_t> shape = batch;
  shape.insert(shape.end(), {m, n});
  Tensor result(lhs.element, shape);
  int64_t i = 0;
  forEachIndex(batch, [&](ArrayRef<int64_t> index) {
    int64_t leftStart = offsetOf(index, leftStrides) * m * k;
    int64_t rightStart = offsetOf(index, rightStrides) * k * n;
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column) {
        Estimate sum = dot({lhs, leftStart + row * k, 1},
                           {rhs, rightStart + column, n}, k);
        result.setFloat(i++, sum.value, sum.bound);
      }
  });
  return result;
}

static Tensor linear(const Tensor &input, const Tensor &weight,
                     const Tensor *bias) {
  int64_t k = input.shape.back(), n = weight.shape[0];
  std::vector<int64_t> shape = input.shape;
  shape.back() = n;
  Tensor result(input.element, shape);
  int64_t rows = n == 0 ? 0 : result.size() / n;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < n; ++column) {
      Estimate sum = dot({input, row * k, 1}, {weight, column * k, 1}, k);
      if (bias) {
        double b = bias->reals[column];
        sum.value += b;
        sum.bound += bias->bound(column) + sumBound(k + 1, std::abs(b));
      }
      result.setFloat(row * n + column, sum.value, sum.bound);
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Along one axis
//===----------------------------------------------------------------------===//

namespace {
/// Lines of elements along one axis.
struct Lines {
  Lines(const Tensor &tensor, int64_t axis) : tensor(tensor) {
    ArrayRef<int64_t> shape = tensor.shape;
    auto product = [](ArrayRef<int64_t> dims) {
      return std::accumulate(dims.begin(), dims.end(), int64_t{1},
                             std::multiplies<int64_t>());
    };
    outer = product(shape.take_front(axis));
    length = shape[axis];
    inner = product(shape.drop_front(axis + 1));
  }

  int64_t count() const { return outer * inner; }
  /// Offset of element `i` of line `line`; lines are in C order of the other
  /// dims.
  int64_t offset(int64_t line, int64_t i) const {
    return (line / inner * length + i) * inner + line % inner;
  }

  const Tensor &tensor;
  int64_t outer, length, inner;
};
} // namespace

static std::vector<int64_t> withoutAxis(ArrayRef<int64_t> shape, int64_t axis,
                                        bool keep) {
  std::vector<int64_t> result(shape.begin(), shape.end());
  if (keep)
    result[axis] = 1;
  else
    result.erase(result.begin() + axis);
  return result;
}

/// sum or mean of one line of floats.
static Estimate sumLine(const Lines &lines, int64_t line, bool mean) {
  double sum = 0, magnitudes = 0, propagated = 0;
  for (int64_t i = 0; i < lines.length; ++i) {
    int64_t offset = lines.offset(line, i);
    sum += lines.tensor.reals[offset];
    magnitudes += std::abs(lines.tensor.reals[offset]);
    propagated += lines.tensor.bound(offset);
  }
  Estimate result{sum, sumBound(lines.length, magnitudes) + propagated};
  if (!mean)
    return result;
  double n = lines.length;
  return {sum / n, n == 0 ? 0 : result.bound / n + elementaryBound(sum / n)};
}

/// Largest or smallest of one line of floats.
static Estimate extremeOfLine(const Lines &lines, int64_t line, bool largest) {
  Estimate result{largest ? -kInfinity : kInfinity, 0};
  for (int64_t i = 0; i < lines.length; ++i) {
    int64_t offset = lines.offset(line, i);
    double x = lines.tensor.reals[offset];
    if (std::isnan(x) || (largest ? x > result.value : x < result.value))
      result.value = x;
    if (std::isnan(x))
      break;
    result.bound = std::max(result.bound, lines.tensor.bound(offset));
  }
  return result;
}

static int64_t reduceIntegers(Reduction kind, const Lines &lines,
                              int64_t line) {
  Element element = lines.tensor.element;
  auto at = [&](int64_t i) { return lines.tensor.ints[lines.offset(line, i)]; };
  if (kind == Reduction::Max || kind == Reduction::Min) {
    bool largest = kind == Reduction::Max;
    int64_t result = saturateTo(element, largest ? INT64_MIN : INT64_MAX);
    for (int64_t i = 0; i < lines.length; ++i)
      result = largest ? std::max(result, at(i)) : std::min(result, at(i));
    return result;
  }
  uint64_t sum = 0;
  for (int64_t i = 0; i < lines.length; ++i)
    sum += static_cast<uint64_t>(at(i));
  int64_t total = wrapTo(element, static_cast<int64_t>(sum));
  if (kind == Reduction::Sum)
    return total;
  return lines.length == 0 ? 0 : total / lines.length;
}

static Tensor reduce(ReduceOp op, const Tensor &input) {
  Lines lines(input, op.getAxis());
  Tensor result(input.element,
                withoutAxis(input.shape, op.getAxis(), op.getKeep()));
  Reduction kind = op.getKind();
  for (int64_t line = 0; line < lines.count(); ++line) {
    if (!input.isFloat()) {
      result.setInteger(line, reduceIntegers(kind, lines, line),
                        input.isExact() ? 0 : kInfinity);
      continue;
    }
    bool extreme = kind == Reduction::Max || kind == Reduction::Min;
    Estimate value = extreme
                         ? extremeOfLine(lines, line, kind == Reduction::Max)
                         : sumLine(lines, line, kind == Reduction::Mean);
    result.setFloat(line, value.value, value.bound);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// argmax, topk
//===----------------------------------------------------------------------===//

/// The positions of a line, largest element first, the lower first among
/// equals; NaN counts as larger than any number.
static std::vector<int64_t> sortedLine(const Lines &lines, int64_t line) {
  std::vector<int64_t> order(lines.length);
  std::iota(order.begin(), order.end(), 0);
  auto before = [&](int64_t a, int64_t b) {
    int64_t x = lines.offset(line, a), y = lines.offset(line, b);
    if (!lines.tensor.isFloat())
      return std::make_pair(lines.tensor.ints[y], a) <
             std::make_pair(lines.tensor.ints[x], b);
    double u = lines.tensor.reals[x], v = lines.tensor.reals[y];
    if (std::isnan(u) || std::isnan(v))
      return std::isnan(u) && (!std::isnan(v) || a < b);
    return u == v ? a < b : u > v;
  };
  std::sort(order.begin(), order.end(), before);
  return order;
}

/// Whether errors may exchange two neighbours of a sorted line.
static bool mayExchange(const Lines &lines, int64_t line,
                        ArrayRef<int64_t> order, size_t first) {
  if (first + 1 >= order.size())
    return false;
  int64_t x = lines.offset(line, order[first]);
  int64_t y = lines.offset(line, order[first + 1]);
  double reach = lines.tensor.bound(x) + lines.tensor.bound(y);
  return reach > 0 &&
         distance(lines.tensor.number(x), lines.tensor.number(y)) <= reach;
}

static Tensor argmax(ArgmaxOp op, const Tensor &input) {
  Lines lines(input, op.getAxis());
  Tensor result(Element::I32, withoutAxis(input.shape, op.getAxis(), false));
  for (int64_t line = 0; line < lines.count(); ++line) {
    std::vector<int64_t> order = sortedLine(lines, line);
    bool undecided = mayExchange(lines, line, order, 0);
    result.setInteger(line, order.empty() ? 0 : order.front(),
                      undecided ? kInfinity : 0);
  }
  return result;
}

static Data topk(TopkOp op, const Tensor &input) {
  int64_t k = op.getK();
  Lines lines(input, input.rank() - 1);
  std::vector<int64_t> shape = input.shape;
  shape.back() = k;
  Tensor values(input.element, shape), indices(Element::I32, shape);
  for (int64_t line = 0; line < lines.count(); ++line) {
    std::vector<int64_t> order = sortedLine(lines, line);
    // Sorting moves no value farther than the largest error of the line.
    double bound = 0;
    for (int64_t i : order)
      bound = std::max(bound, input.bound(lines.offset(line, i)));
    for (int64_t i = 0; i < k; ++i) {
      int64_t from = lines.offset(line, order[i]), to = line * k + i;
      values.copy(to, input, from);
      if (bound > 0 && values.isFloat())
        values.setFloat(to, values.reals[to], bound);
      bool undecided = mayExchange(lines, line, order, i) ||
                       (i > 0 && mayExchange(lines, line, order, i - 1));
      indices.setInteger(to, order[i], undecided ? kInfinity : 0);
    }
  }
  return Data{std::move(values), std::move(indices)};
}

//===----------------------------------------------------------------------===//
// softmax
//===----------------------------------------------------------------------===//

// p_i = e_i / sum e_j. An error d_i of x_i changes p_i by p_i (d_i - sum p_j
// d_j); of its own a device has the rounding of x - m (|x - m| half units), two
// elementary functions, and the sum.
static void softmaxLine(const Lines &lines, int64_t line, Tensor &result) {
  const Tensor &input = lines.tensor;
  Estimate largest = extremeOfLine(lines, line, /*largest=*/true);
  double sum = 0, meanError = 0;
  for (int64_t i = 0; i < lines.length; ++i) {
    int64_t offset = lines.offset(line, i);
    double e = std::exp(input.reals[offset] - largest.value);
    sum += e;
    meanError += e * (input.bound(offset) +
                      kHalfUnit * distance(input.reals[offset], largest.value));
  }
  meanError /= sum;
  double ofSum = roundingBound(lines.length, 1);
  for (int64_t i = 0; i < lines.length; ++i) {
    int64_t offset = lines.offset(line, i);
    double below = input.reals[offset] - largest.value;
    double p = std::exp(below) / sum;
    double relative =
        std::expm1(input.bound(offset) + meanError -
                   (std::isfinite(below) ? kHalfUnit * below : 0)) +
        ofSum + 16 * kHalfUnit;
    result.setFloat(offset, p, p == 0 ? 0 : p * relative + elementaryBound(p));
  }
}

static Tensor softmax(SoftmaxOp op, const Tensor &input) {
  Lines lines(input, op.getAxis());
  Tensor result(input.element, input.shape);
  for (int64_t line = 0; line < lines.count(); ++line)
    softmaxLine(lines, line, result);
  return result;
}

Results agt::reference::evaluateReduction(Operation *op,
                                          ArrayRef<Datum> operands) {
  auto tensor = [&](unsigned i) -> const Tensor & {
    return *operands[i].tensor;
  };
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](MatmulOp) { return Data{matmul(tensor(0), tensor(1))}; })
      .Case([&](LinearOp) {
        const Tensor *bias =
            operands.size() > 2 ? operands[2].tensor.get() : nullptr;
        return Data{linear(tensor(0), tensor(1), bias)};
      })
      .Case(
          [&](ReduceOp reduceOp) { return Data{reduce(reduceOp, tensor(0))}; })
      .Case(
          [&](ArgmaxOp argmaxOp) { return Data{argmax(argmaxOp, tensor(0))}; })
      .Case([&](TopkOp topkOp) { return topk(topkOp, tensor(0)); })
      .Case([&](SoftmaxOp softmaxOp) {
        return Data{softmax(softmaxOp, tensor(0))};
      })
      .Default([](Operation *) { return Results(); });
}
