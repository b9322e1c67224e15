//===- Rotation.cpp - rope, and its form with a table ---------------------===//
//
// (a, b) becomes (a cos - b sin, a sin + b cos). A table holds turns per
// position as fractions of 2^64, so that position times turns is reduced
// exactly; an error of half a unit of the fraction times 2^31 positions is
// 2^-33 turns.
//
//===----------------------------------------------------------------------===//

#include "reference/Ops.h"

#include <cmath>

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;

/// The angle of pair `i` at a position.
using Angle = llvm::function_ref<double(int64_t position, int64_t pair)>;

static Tensor rotate(const Tensor &input, const Tensor &positions, Pairs kind,
                     int64_t pairs, Angle angle) {
  Tensor result = input;
  int64_t dim = input.shape.back();
  ArrayRef<int64_t> rows = ArrayRef(input.shape).drop_back();
  // positions are [batch..., tokens]: the dims between count for all of them.
  std::vector<int64_t> own = stridesOf(positions.shape);
  std::vector<int64_t> strides(rows.size(), 0);
  for (int64_t i = 0; i + 1 < positions.rank(); ++i)
    strides[i] = own[i];
  strides.back() = own.back();
  int64_t row = 0;
  forEachIndex(rows, [&](ArrayRef<int64_t> index) {
    int64_t position = positions.ints[offsetOf(index, strides)];
    for (int64_t i = 0; i < pairs; ++i) {
      bool halves = kind == Pairs::Halves;
      int64_t first = row * dim + (halves ? i : 2 * i);
      int64_t second = first + (halves ? pairs : 1);
      double a = input.reals[first], b = input.reals[second];
      double c = std::cos(angle(position, i)), s = std::sin(angle(position, i));
      double bound = std::max(input.bound(first), flushed(input, first)) +
                     std::max(input.bound(second), flushed(input, second)) +
                     8 * kHalfUnit * (std::abs(a) + std::abs(b)) +
                     (a == 0 && b == 0 ? 0 : 4 * kSmallestNormal);
      result.setFloat(first, a * c - b * s, bound);
      result.setFloat(second, a * s + b * c, bound);
    }
    ++row;
  });
  return result;
}

static Tensor rope(RopeOp op, const Tensor &input, const Tensor &positions) {
  int64_t dims = op.getDims() ? *op.getDims() : input.shape.back();
  double base = op.getBase().convertToDouble();
  double scale = op.getScale().convertToDouble();
  return rotate(input, positions, op.getPairs(), dims / 2,
                [&](int64_t position, int64_t i) {
                  return position * scale * std::pow(base, -2.0 * i / dims);
                });
}

static Tensor ropeTable(RopeTableOp op, int64_t dims) {
  double base = op.getBase().convertToDouble();
  double scale = op.getScale().convertToDouble();
  Tensor table(Element::I32, {dims / 2, 2});
  for (int64_t i = 0; i < dims / 2; ++i) {
    double turns = scale * std::pow(base, -2.0 * i / dims) / (2 * M_PI);
    double fraction = turns - std::floor(turns);
    // 2^64 itself is 0 again.
    double scaled = std::nearbyint(std::ldexp(fraction, 64));
    uint64_t word = scaled >= 0x1p64 ? 0 : static_cast<uint64_t>(scaled);
    table.setInteger(2 * i, static_cast<int64_t>(word & 0xffffffff));
    table.setInteger(2 * i + 1, static_cast<int64_t>(word >> 32));
  }
  return table;
}

static Tensor rotateByTable(RotateOp op, const Tensor &input,
                            const Tensor &positions, const Tensor &table) {
  return rotate(
      input, positions, op.getPairs(), table.shape[0],
      [&](int64_t position, int64_t i) {
        uint64_t low = static_cast<uint32_t>(table.ints[2 * i]);
        uint64_t high = static_cast<uint32_t>(table.ints[2 * i + 1]);
        uint64_t turns = static_cast<uint64_t>(position) * (high << 32 | low);
        return std::ldexp(double(static_cast<int64_t>(turns)), -64) * 2 * M_PI;
      });
}

std::optional<Data> agt::reference::evaluateRotation(Operation *op,
                                                     ArrayRef<Datum> operands) {
  if (auto ropeOp = dyn_cast<RopeOp>(op))
    return Data{rope(ropeOp, *operands[0].tensor, *operands[1].tensor)};
  if (auto table = dyn_cast<RopeTableOp>(op))
    return Data{ropeTable(table, operands[0].integer)};
  if (auto rotateOp = dyn_cast<RotateOp>(op))
    return Data{rotateByTable(rotateOp, *operands[0].tensor,
                              *operands[1].tensor, *operands[2].tensor)};
  return std::nullopt;
}
