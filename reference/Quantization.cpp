//===- Quantization.cpp - 8-bit values and their scales -------------------===//
//
// A block is `block` tokens of one head: one scale, its largest magnitude over
// the largest number of the 8-bit type. A block of zeros has scale 0 and
// values 0.
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
/// The blocks of values [..., heads, tokens, dim].
struct Blocks {
  Blocks(ArrayRef<int64_t> shape, int64_t block)
      : tokens(shape[shape.size() - 2]), dim(shape.back()), block(block),
        perHead(llvm::divideCeil(tokens, block)),
        scalesShape(shape.drop_back().begin(), shape.drop_back().end()) {
    scalesShape.back() = perHead;
  }

  /// The elements [first, last) of a block; blocks are in the order of scales.
  std::pair<int64_t, int64_t> range(int64_t index) const {
    int64_t head = index / perHead, within = index % perHead;
    int64_t last = std::min(tokens, (within + 1) * block);
    int64_t start = head * tokens;
    return {(start + within * block) * dim, (start + last) * dim};
  }

  int64_t tokens, dim, block, perHead;
  std::vector<int64_t> scalesShape;
};
} // namespace

/// One value over its scale. `error` is relative, of the quotient.
static void setQuantized(Tensor &values, int64_t i, double quotient,
                         double error) {
  double off = std::abs(quotient) * error;
  if (values.isFloat()) {
    values.setFloat(i, quotient, off);
    return;
  }
  auto round = [&](double x) {
    return double(convertToInteger(values.element, std::nearbyint(x)));
  };
  values.setInteger(i, int64_t(round(quotient)),
                    propagate(round, {quotient, off}));
}

static Data quantize(QuantizeOp op, const Tensor &input) {
  Blocks blocks(input.shape, op.getBlock());
  Tensor values(elementOf(op.getValues().getType()), input.shape);
  Tensor scales(Element::F32, blocks.scalesShape);
  double most = values.isFloat() ? 448 : 127;
  for (int64_t index = 0; index < scales.size(); ++index) {
    auto [first, last] = blocks.range(index);
    Estimate largest;
    for (int64_t i = first; i < last; ++i) {
      double magnitude = std::abs(input.reals[i]);
      if (magnitude > largest.value || std::isnan(magnitude))
        largest.value = magnitude;
      largest.bound = std::max(largest.bound, input.bound(i));
      if (std::isnan(magnitude))
        break;
    }
    double scale = largest.value / most;
    scales.setFloat(index, scale,
                    largest.bound / most + elementaryBound(scale));
    for (int64_t i = first; i < last; ++i) {
      double x = input.reals[i];
      double quotient = scale == 0 ? 0 : x / scale;
      // A subnormal scale has few digits, or none.
      bool coarse = 0 < scale && scale < kSmallestNormal;
      double error = coarse ? kInfinity : 8 * kHalfUnit;
      if (input.bound(i) > 0 || largest.bound > 0)
        error += input.bound(i) / std::abs(x) + largest.bound / largest.value;
      setQuantized(values, i, quotient, x == 0 && error < 1 ? 0 : error);
    }
  }
  return Data{std::move(values), std::move(scales)};
}

static Tensor dequantize(DequantizeOp op, const Tensor &values,
                         const Tensor &scales) {
  Blocks blocks(values.shape, op.getBlock());
  Tensor result(Element::F32, values.shape);
  for (int64_t index = 0; index < scales.size(); ++index) {
    auto [first, last] = blocks.range(index);
    Estimate scale{scales.reals[index], scales.bound(index)};
    auto multiply = [](double a, double b) { return a * b; };
    for (int64_t i = first; i < last; ++i) {
      Estimate value{values.number(i), values.bound(i)};
      double product = value.value * scale.value;
      result.setFloat(i, product,
                      propagate(multiply, value, scale) +
                          elementaryBound(product));
    }
  }
  return result;
}

std::optional<Data>
agt::reference::evaluateQuantization(Operation *op, ArrayRef<Datum> operands) {
  if (auto quantizeOp = dyn_cast<QuantizeOp>(op))
    return quantize(quantizeOp, *operands[0].tensor);
  if (auto dequantizeOp = dyn_cast<DequantizeOp>(op))
    return Data{
        dequantize(dequantizeOp, *operands[0].tensor, *operands[1].tensor)};
  return std::nullopt;
}
