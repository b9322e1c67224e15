//===- Elementwise.cpp - Functions element by element ---------------------===//
//
// Floats in float64, integers in their own width (wrapping). An error of an
// operand becomes the largest change of the function over the ends of the
// operands' intervals; all functions here are monotone in each argument or
// nearly straight over such an interval.
//
//===----------------------------------------------------------------------===//

#include "reference/Ops.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;

using Results = std::optional<Data>;

double agt::reference::roundingBound(int64_t n, double magnitudes) {
  return 4 * kHalfUnit * std::sqrt(double(std::max<int64_t>(n, 1))) *
         magnitudes;
}

double agt::reference::sumBound(int64_t n, double magnitudes) {
  if (magnitudes > std::numeric_limits<float>::max() &&
      std::isfinite(magnitudes))
    return kInfinity;
  return magnitudes == 0 ? 0
                         : roundingBound(n, magnitudes) + n * kSmallestNormal;
}

double agt::reference::propagate(llvm::function_ref<double(double)> f,
                                 Estimate x) {
  if (x.bound == 0)
    return 0;
  double middle = f(x.value);
  return std::max(distance(f(x.value - x.bound), middle),
                  distance(f(x.value + x.bound), middle));
}

double agt::reference::propagate(llvm::function_ref<double(double, double)> f,
                                 Estimate x, Estimate y) {
  if (x.bound == 0 && y.bound == 0)
    return 0;
  double middle = f(x.value, y.value);
  double largest = 0;
  for (double a : {x.value - x.bound, x.value + x.bound})
    for (double b : {y.value - y.bound, y.value + y.bound})
      largest = std::max(largest, distance(f(a, b), middle));
  return largest;
}

//===----------------------------------------------------------------------===//
// One argument
//===----------------------------------------------------------------------===//

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// 1 + erf and 1 + tanh are written without their sum, which has no digits left
// for a large negative x.

static double gelu(double x) { return x * std::erfc(-x / std::sqrt(2)) / 2; }

static double geluTanh(double x) {
  double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x * sigmoid(2 * inner);
}

static double relu(double x) { return std::isnan(x) || x > 0 ? x : 0; }

using RealFunction = double (*)(double);

/// The float function of a unary op, and whether a device has it exactly.
static std::optional<std::pair<RealFunction, bool>> functionOf(Operation *op) {
  using Answer = std::optional<std::pair<RealFunction, bool>>;
  auto exact = [](RealFunction f) { return Answer({f, true}); };
  auto rounded = [](RealFunction f) { return Answer({f, false}); };
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](NegOp) { return exact([](double x) { return -x; }); })
      .Case([&](AbsOp) { return exact([](double x) { return std::abs(x); }); })
      .Case([&](ReluOp) { return exact(relu); })
      .Case(
          [&](ExpOp) { return rounded([](double x) { return std::exp(x); }); })
      .Case(
          [&](LogOp) { return rounded([](double x) { return std::log(x); }); })
      .Case([&](SqrtOp) {
        return rounded([](double x) { return std::sqrt(x); });
      })
      .Case([&](RsqrtOp) {
        return rounded([](double x) { return 1 / std::sqrt(x); });
      })
      .Case([&](TanhOp) {
        return rounded([](double x) { return std::tanh(x); });
      })
      .Case([&](SigmoidOp) { return rounded(sigmoid); })
      .Case([&](SiluOp) {
        // Its limit at -inf is 0, not -inf * 0.
        return rounded(
            [](double x) { return x == -kInfinity ? 0 : x * sigmoid(x); });
      })
      .Case([&](GeluOp) {
        return rounded([](double x) { return x == -kInfinity ? 0 : gelu(x); });
      })
      .Case([&](GeluTanhOp) {
        return rounded(
            [](double x) { return x == -kInfinity ? 0 : geluTanh(x); });
      })
      .Case(
          [&](CosOp) { return rounded([](double x) { return std::cos(x); }); })
      .Case(
          [&](SinOp) { return rounded([](double x) { return std::sin(x); }); })
      .Default([](Operation *) { return Answer(); });
}

/// What a device may be off beyond the 4 units of an elementary function:
/// gelu and silu multiply, and lose digits where their factor is a difference.
static double extraBound(Operation *op, double x) {
  if (isa<GeluOp, GeluTanhOp>(op) && std::isfinite(x))
    return 4 * kHalfUnit * std::abs(x);
  if (isa<CosOp, SinOp>(op))
    return 4 * kHalfUnit;
  return 0;
}

static int64_t integerFunction(Operation *op, int64_t x) {
  auto negated = static_cast<int64_t>(0 - static_cast<uint64_t>(x));
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](NegOp) { return negated; })
      .Case([&](AbsOp) { return x < 0 ? negated : x; })
      .Case([&](ReluOp) { return std::max<int64_t>(x, 0); })
      .Default([&](Operation *) { return x == 0; }); // not
}

static Tensor unary(Operation *op, const Tensor &input) {
  Tensor result(input.element, input.shape);
  auto function = functionOf(op);
  for (int64_t i = 0; i < input.size(); ++i) {
    if (!input.isFloat()) {
      result.setInteger(i, integerFunction(op, input.ints[i]), input.bound(i));
      continue;
    }
    auto [f, exact] = *function;
    double x = input.reals[i], value = f(x);
    double bound = propagate(f, {x, input.bound(i)});
    if (!exact)
      bound += elementaryBound(value) + extraBound(op, x);
    result.setFloat(i, value, bound);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Two arguments
//===----------------------------------------------------------------------===//

static double realFunction(Operation *op, double a, double b) {
  bool hasNaN = std::isnan(a) || std::isnan(b);
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](AddOp) { return a + b; })
      .Case([&](SubOp) { return a - b; })
      .Case([&](MulOp) { return a * b; })
      .Case([&](DivOp) { return a / b; })
      .Case([&](RemOp) { return std::fmod(a, b); })
      .Case([&](MaxOp) { return hasNaN ? kNaN : std::max(a, b); })
      .Default([&](Operation *) { return hasNaN ? kNaN : std::min(a, b); });
}

static int64_t integerFunction(Operation *op, int64_t a, int64_t b) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](AddOp) { return ua + ub; })
      .Case([&](SubOp) { return ua - ub; })
      .Case([&](MulOp) { return ua * ub; })
      // -1 apart: the smallest number divided by it overflows.
      .Case([&](DivOp) { return b == 0    ? 0
                                : b == -1 ? 0 - ua
                                          : a / b; })
      .Case([&](RemOp) { return b == 0 || b == -1 ? 0 : a % b; })
      .Case([&](MaxOp) { return std::max(a, b); })
      .Case([&](MinOp) { return std::min(a, b); })
      .Case([&](AndOp) { return a & b; })
      .Default([&](Operation *) { return a | b; });
}

/// The error of one float function of two arguments.
static double binaryBound(Operation *op, Estimate a, Estimate b, double value) {
  auto f = [&](double x, double y) { return realFunction(op, x, y); };
  double bound = propagate(f, a, b);
  if (isa<MaxOp, MinOp>(op))
    return bound;
  // A divisor that may be 0, a remainder that may jump.
  if (isa<DivOp, RemOp>(op) && b.bound != 0 && std::abs(b.value) <= b.bound)
    return kInfinity;
  if (isa<RemOp>(op)) {
    double quotient = a.value / b.value;
    auto divide = [](double x, double y) { return x / y; };
    double moves = propagate(divide, a, b) + elementaryBound(quotient);
    bool jumps = std::trunc(quotient - moves) != std::trunc(quotient + moves);
    return std::abs(quotient) > 1 && jumps
               ? kInfinity
               : bound + 4 * kHalfUnit * std::abs(a.value);
  }
  return bound + elementaryBound(value);
}

static Tensor binary(Operation *op, const Tensor &lhs, const Tensor &rhs) {
  Tensor result(lhs.element, broadcast(lhs.shape, rhs.shape));
  auto lhsStrides = broadcastStrides(lhs.shape, result.shape);
  auto rhsStrides = broadcastStrides(rhs.shape, result.shape);
  int64_t i = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    int64_t l = offsetOf(index, lhsStrides), r = offsetOf(index, rhsStrides);
    if (lhs.isFloat()) {
      double value = realFunction(op, lhs.reals[l], rhs.reals[r]);
      result.setFloat(i, value,
                      binaryBound(op, {lhs.reals[l], lhs.bound(l)},
                                  {rhs.reals[r], rhs.bound(r)}, value));
    } else {
      bool undecided = lhs.bound(l) != 0 || rhs.bound(r) != 0;
      result.setInteger(i, integerFunction(op, lhs.ints[l], rhs.ints[r]),
                        undecided ? kInfinity : 0);
    }
    ++i;
  });
  return result;
}

//===----------------------------------------------------------------------===//
// compare, select, cast
//===----------------------------------------------------------------------===//

template <typename T> static bool holds(Compare kind, T a, T b) {
  switch (kind) {
  case Compare::EQ:
    return a == b;
  case Compare::NE:
    return a != b;
  case Compare::LT:
    return a < b;
  case Compare::LE:
    return a <= b;
  case Compare::GT:
    return a > b;
  case Compare::GE:
    return a >= b;
  }
  llvm_unreachable("a comparison");
}

static Tensor compareOp(CompareOp op, const Tensor &lhs, const Tensor &rhs) {
  Tensor result(Element::Bool, broadcast(lhs.shape, rhs.shape));
  auto lhsStrides = broadcastStrides(lhs.shape, result.shape);
  auto rhsStrides = broadcastStrides(rhs.shape, result.shape);
  int64_t i = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    int64_t l = offsetOf(index, lhsStrides), r = offsetOf(index, rhsStrides);
    bool value = lhs.isFloat() ? holds(op.getKind(), lhs.reals[l], rhs.reals[r])
                               : holds(op.getKind(), lhs.ints[l], rhs.ints[r]);
    double reach = lhs.bound(l) + rhs.bound(r);
    bool undecided =
        reach > 0 && distance(lhs.number(l), rhs.number(r)) <= reach;
    result.setInteger(i++, value, undecided ? kInfinity : 0);
  });
  return result;
}

static Tensor select(const Tensor &condition, const Tensor &lhs,
                     const Tensor &rhs) {
  auto both = broadcast(lhs.shape, rhs.shape);
  Tensor result(lhs.element, broadcast(condition.shape, both));
  auto conditionStrides = broadcastStrides(condition.shape, result.shape);
  auto lhsStrides = broadcastStrides(lhs.shape, result.shape);
  auto rhsStrides = broadcastStrides(rhs.shape, result.shape);
  int64_t i = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    int64_t c = offsetOf(index, conditionStrides);
    int64_t l = offsetOf(index, lhsStrides), r = offsetOf(index, rhsStrides);
    const Tensor &chosen = condition.ints[c] ? lhs : rhs;
    result.copy(i, chosen, condition.ints[c] ? l : r);
    if (condition.bound(c) != 0) {
      double apart = distance(lhs.number(l), rhs.number(r)) +
                     std::max(lhs.bound(l), rhs.bound(r));
      if (result.isFloat())
        result.setFloat(i, result.reals[i], apart);
      else
        result.setInteger(i, result.ints[i], apart);
    }
    ++i;
  });
  return result;
}

/// One element cast to an integer type.
static void castToInteger(Tensor &result, int64_t i, const Tensor &input) {
  if (!input.isFloat()) {
    result.setInteger(i, saturateTo(result.element, input.ints[i]),
                      input.bound(i));
    return;
  }
  auto convert = [&](double x) {
    return double(convertToInteger(result.element, x));
  };
  double x = input.reals[i];
  result.setInteger(i, convertToInteger(result.element, x),
                    propagate(convert, {x, input.bound(i)}));
}

static Tensor castOp(CastOp op, const Tensor &input) {
  Tensor result(elementOf(op.getType()), input.shape);
  for (int64_t i = 0; i < input.size(); ++i) {
    if (!result.isFloat()) {
      castToInteger(result, i, input);
      continue;
    }
    double x = input.number(i);
    // An integer that f32 cannot hold is rounded on the way.
    bool exact = input.isFloat() || std::abs(x) <= 0x1p24;
    result.setFloat(
        i, x, input.bound(i) + (exact ? 0 : unitInLastPlace(Element::F32, x)));
  }
  return result;
}

Results agt::reference::evaluateElementwise(Operation *op,
                                            ArrayRef<Datum> operands) {
  auto tensor = [&](unsigned i) -> const Tensor & {
    return *operands[i].tensor;
  };
  if (isa<AddOp, SubOp, MulOp, DivOp, RemOp, MaxOp, MinOp, AndOp, OrOp>(op))
    return Data{binary(op, tensor(0), tensor(1))};
  if (isa<NotOp>(op) || functionOf(op))
    return Data{unary(op, tensor(0))};
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](CompareOp compare) {
        return Data{compareOp(compare, tensor(0), tensor(1))};
      })
      .Case([&](SelectOp) {
        return Data{select(tensor(0), tensor(1), tensor(2))};
      })
      .Case([&](CastOp cast) { return Data{castOp(cast, tensor(0))}; })
      .Default([](Operation *) { return Results(); });
}
