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
  bool small;
};
} // namespace

/// Kernels scale a row up where its squares would be lost and eps is too small
/// to hide it, and then nothing of it is taken for 0.
static bool isScaledUp(const Norm &norm, double squares) {
  return norm.eps < 0x1p-80 && squares < 0x1p-82;
}

/// The error of x - centre for an element x.
static double centredError(const Norm &norm, const Row &row, int64_t i) {
  double error = norm.input.bound(i);
  if (!row.small)
    error = std::max(error, flushed(norm.input, i));
  if (!norm.centred)
    return error;
  double x = norm.input.reals[i] - row.centre.value;
  double rounding = 8 * kHalfUnit * std::abs(x);
  double flush = row.small ? 0 : kSmallestNormal;
  return error + row.centre.bound + rounding + flush;
}

static Estimate meanOf(const Tensor &input, int64_t start, int64_t n) {
  double sum = 0, magnitudes = 0, propagated = 0;
  for (int64_t i = start; i < start + n; ++i) {
    sum += input.reals[i];
    magnitudes += std::abs(input.reals[i]);
    propagated += input.bound(i);
  }
  return {sum / n, (roundingBound(n, magnitudes) + propagated) / n};
}

static Row statistics(const Norm &norm, int64_t start, int64_t n) {
  Row row{};
  if (norm.centred)
    row.centre = meanOf(norm.input, start, n);
  double squares = 0, error = 0;
  for (int64_t i = start; i < start + n; ++i) {
    double x = norm.input.reals[i] - row.centre.value;
    squares += x * x;
  }
  row.small = isScaledUp(norm, squares);
  for (int64_t i = start; i < start + n; ++i) {
    double x = norm.input.reals[i] - row.centre.value;
    // The error of a square is 2 |x| d + d^2.
    double d = centredError(norm, row, i);
    error += 2 * std::abs(x) * d + d * d;
  }
  double spread = squares / n + norm.eps;
  double spreadError = (error + roundingBound(n, squares)) / n;
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
  double weightError = std::max(norm.weight.bound(d), flushed(norm.weight, d));
  double bound =
      std::abs(row.factor * w) * centredError(norm, row, i) *
          (1 + row.relativeError) +
      std::abs(x * row.factor) * weightError + std::abs(w) * kSmallestNormal +
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
