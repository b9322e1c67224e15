//===- Norms.cpp - rms_norm and layer_norm --------------------------------===//
//
// Both are (x - c) * r * w + b over a row of n elements: c = 0 and r =
// 1/sqrt(mean x^2 + eps), or c the mean and r = 1/sqrt(variance + eps).
//
//===----------------------------------------------------------------------===//

#include "reference/Ops.h"

#include <cmath>

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;

namespace {
struct Norm {
  const Tensor &input;
  const Tensor &weight;
  const Tensor *bias;
  double eps;
  bool centred;
};

/// What the elements of one row share.
struct Row {
  Estimate centre;
  double factor;
  double relativeError; // of the factor
};
} // namespace

static Estimate meanOf(const Tensor &input, int64_t start, int64_t n) {
  double sum = 0, magnitudes = 0, propagated = 0;
  for (int64_t i = start; i < start + n; ++i) {
    sum += input.reals[i];
    magnitudes += std::abs(input.reals[i]);
    propagated += input.bound(i);
  }
  return {sum / n, (sumBound(n, magnitudes) + propagated) / n};
}

static Row statistics(const Norm &norm, int64_t start, int64_t n) {
  Row row{};
  if (norm.centred)
    row.centre = meanOf(norm.input, start, n);
  double squares = 0, error = 0;
  for (int64_t i = start; i < start + n; ++i) {
    double x = norm.input.reals[i] - row.centre.value;
    // The error of a square is 2 |x| d + d^2.
    double d = norm.input.bound(i) + row.centre.bound +
               (norm.centred ? elementaryBound(x) : 0);
    squares += x * x;
    error += 2 * std::abs(x) * d + d * d;
  }
  double spread = squares / n + norm.eps;
  double spreadError = (error + sumBound(n, squares)) / n;
  row.factor = 1 / std::sqrt(spread);
  // 1/sqrt(s - e) / (1/sqrt(s)) - 1, infinite where s - e may be 0.
  double least = 1 - spreadError / spread;
  row.relativeError = spreadError == 0 ? 0
                      : least > 0      ? 1 / std::sqrt(least) - 1
                                       : kInfinity;
  row.relativeError += 8 * kHalfUnit;
  return row;
}

static void normalize(const Norm &norm, const Row &row, int64_t i, int64_t d,
                      Tensor &result) {
  double w = norm.weight.reals[d];
  double x = norm.input.reals[i] - row.centre.value;
  double y = x * row.factor * w;
  double error = norm.input.bound(i) + row.centre.bound +
                 (norm.centred ? elementaryBound(x) : 0);
  double bound =
      std::abs(row.factor * w) * error * (1 + row.relativeError) +
      std::abs(x * row.factor) * norm.weight.bound(d) +
      (y == 0 ? 0 : std::abs(y) * (row.relativeError + 8 * kHalfUnit));
  if (norm.bias) {
    y += norm.bias->reals[d];
    bound += norm.bias->bound(d);
  }
  result.setFloat(i, y, bound + elementaryBound(y));
}

static Tensor evaluate(const Norm &norm) {
  Tensor result(norm.input.element, norm.input.shape);
  int64_t n = norm.input.shape.back();
  for (int64_t start = 0; start < result.size(); start += n) {
    Row row = statistics(norm, start, n);
    for (int64_t d = 0; d < n; ++d)
      normalize(norm, row, start + d, d, result);
  }
  return result;
}

std::optional<Data> agt::reference::evaluateNorm(Operation *op,
                                                 ArrayRef<Datum> operands) {
  if (auto norm = dyn_cast<RmsNormOp>(op))
    return Data{evaluate({*operands[0].tensor, *operands[1].tensor, nullptr,
                          norm.getEps().convertToDouble(), false})};
  if (auto norm = dyn_cast<LayerNormOp>(op))
    return Data{evaluate({*operands[0].tensor, *operands[1].tensor,
                          norm.getBias() ? operands[2].tensor.get() : nullptr,
                          norm.getEps().convertToDouble(), true})};
  return std::nullopt;
}
