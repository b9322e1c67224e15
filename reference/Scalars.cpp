//===- Scalars.cpp - Numbers and sizes ------------------------------------===//
//
// arith, math and tensor ops on index, integers and f64, and the two agt ops
// that make tensors of them. Integers are 64 bits wide here; bools are 0 or 1.
//
//===----------------------------------------------------------------------===//

#include "reference/Ops.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace agt::reference;
using llvm::ArrayRef;

using Results = std::optional<Data>;

static Results integer(int64_t value) { return Data{Datum::ofInteger(value)}; }
static Results real(double value) { return Data{Datum::ofReal(value)}; }

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a,
                            int64_t b) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  llvm_unreachable("a predicate");
}

/// The bits of an ordered or unordered predicate: 1 equal, 2 greater, 4 less,
/// 8 unordered, as MLIR numbers them.
static bool compareReals(arith::CmpFPredicate predicate, double a, double b) {
  auto bits = static_cast<unsigned>(predicate);
  unsigned outcome = std::isnan(a) || std::isnan(b) ? 8
                     : a == b                       ? 1
                     : a > b                        ? 2
                                                    : 4;
  return (bits & outcome) != 0;
}

static Results constant(arith::ConstantOp op) {
  if (auto value = dyn_cast<IntegerAttr>(op.getValue())) {
    bool isBool = value.getType().isInteger(1);
    return integer(isBool ? value.getValue().getZExtValue()
                          : value.getValue().getSExtValue());
  }
  if (auto value = dyn_cast<FloatAttr>(op.getValue()))
    return real(value.getValueAsDouble());
  return std::nullopt;
}

/// Integer functions of two arguments; division by 0 gives 0.
static std::optional<int64_t> integerOf(Operation *op, int64_t a, int64_t b) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  bool whole = b != 0 && (a != INT64_MIN || b != -1);
  using Answer = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](arith::AddIOp) { return ua + ub; })
      .Case([&](arith::SubIOp) { return ua - ub; })
      .Case([&](arith::MulIOp) { return ua * ub; })
      .Case([&](arith::DivSIOp) { return whole ? a / b : 0; })
      .Case([&](arith::RemSIOp) { return whole ? a % b : 0; })
      .Case([&](arith::FloorDivSIOp) {
        return whole ? llvm::divideFloorSigned(a, b) : 0;
      })
      .Case([&](arith::CeilDivSIOp) {
        return whole ? llvm::divideCeilSigned(a, b) : 0;
      })
      .Case([&](arith::DivUIOp) { return ub ? ua / ub : 0; })
      .Case([&](arith::RemUIOp) { return ub ? ua % ub : 0; })
      .Case(
          [&](arith::CeilDivUIOp) { return ub ? ua / ub + (ua % ub != 0) : 0; })
      .Case([&](arith::MaxSIOp) { return std::max(a, b); })
      .Case([&](arith::MinSIOp) { return std::min(a, b); })
      .Case([&](arith::MaxUIOp) { return std::max(ua, ub); })
      .Case([&](arith::MinUIOp) { return std::min(ua, ub); })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::CmpIOp cmp) {
        return compareIntegers(cmp.getPredicate(), a, b);
      })
      .Default([](Operation *) { return Answer(); });
}

/// Float functions of two arguments.
static std::optional<double> realOf(Operation *op, double a, double b) {
  using Answer = std::optional<double>;
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](arith::AddFOp) { return a + b; })
      .Case([&](arith::SubFOp) { return a - b; })
      .Case([&](arith::MulFOp) { return a * b; })
      .Case([&](arith::DivFOp) { return a / b; })
      .Case([&](arith::RemFOp) { return std::fmod(a, b); })
      .Case([&](arith::MaximumFOp) {
        return std::isnan(a) || std::isnan(b) ? kNaN : std::max(a, b);
      })
      .Case([&](arith::MinimumFOp) {
        return std::isnan(a) || std::isnan(b) ? kNaN : std::min(a, b);
      })
      .Case([&](math::PowFOp) { return std::pow(a, b); })
      .Default([](Operation *) { return Answer(); });
}

/// Float functions of one argument.
static std::optional<double> realOf(Operation *op, double a) {
  using Answer = std::optional<double>;
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](arith::NegFOp) { return -a; })
      .Case([&](math::RsqrtOp) { return 1 / std::sqrt(a); })
      .Case([&](math::SqrtOp) { return std::sqrt(a); })
      .Case([&](math::ExpOp) { return std::exp(a); })
      .Case([&](math::LogOp) { return std::log(a); })
      .Case([&](math::TanhOp) { return std::tanh(a); })
      .Case([&](math::AbsFOp) { return std::abs(a); })
      .Case([&](math::CosOp) { return std::cos(a); })
      .Case([&](math::SinOp) { return std::sin(a); })
      .Case([&](math::ErfOp) { return std::erf(a); })
      .Case([&](math::FloorOp) { return std::floor(a); })
      .Case([&](math::CeilOp) { return std::ceil(a); })
      .Case([&](math::TruncOp) { return std::trunc(a); })
      .Default([](Operation *) { return Answer(); });
}

/// Between integers and floats.
static Results convert(Operation *op, const Datum &a) {
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp>([&](Operation *) {
        // i1 sign-extends to -1, and is 0 or 1 here.
        bool isSigned = !isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
        bool isBool = op->getOperand(0).getType().isInteger(1);
        return integer(isSigned && isBool ? -a.integer : a.integer);
      })
      .Case([&](arith::TruncIOp) {
        unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
        return integer(width == 1 ? a.integer & 1
                                  : llvm::SignExtend64(a.integer, width));
      })
      .Case([&](arith::SIToFPOp) { return real(double(a.integer)); })
      .Case([&](arith::UIToFPOp) {
        return real(double(static_cast<uint64_t>(a.integer)));
      })
      .Case([&](arith::FPToSIOp) {
        return integer(convertToInteger(Element::I64, a.real));
      })
      .Default([](Operation *) { return Results(); });
}

/// A number as an element of a tensor, converted as `agt.cast` does.
static void setNumber(Tensor &tensor, int64_t i, Type type,
                      const Datum &number) {
  bool isReal = isa<FloatType>(type);
  if (tensor.isFloat()) {
    double value = isReal ? number.real : double(number.integer);
    // The one rounding to f32 a device makes.
    bool exact = static_cast<double>(static_cast<float>(value)) == value;
    tensor.setFloat(i, value, exact ? 0 : unitInLastPlace(Element::F32, value));
  } else {
    tensor.setInteger(i, isReal ? convertToInteger(tensor.element, number.real)
                                : saturateTo(tensor.element, number.integer));
  }
}

static Results filled(Operation *op, const Datum &number,
                      ArrayRef<int64_t> shape) {
  Tensor result(elementOf(op->getResult(0).getType()), shape);
  for (int64_t i = 0; i < result.size(); ++i)
    setNumber(result, i, op->getOperand(0).getType(), number);
  return Data{std::move(result)};
}

static Results full(agt::FullOp op, ArrayRef<Datum> operands) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(type.getShape());
  ArrayRef<Datum> sizes = operands.drop_front();
  for (int64_t &dim : shape)
    if (ShapedType::isDynamic(dim)) {
      dim = sizes.front().integer;
      sizes = sizes.drop_front();
    }
  return filled(op, operands.front(), shape);
}

static Results onTensors(Operation *op, ArrayRef<Datum> operands) {
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](tensor::DimOp) {
        return integer(operands[0].tensor->shape[operands[1].integer]);
      })
      .Case([&](tensor::CastOp) { return Data{operands[0]}; })
      .Case([&](agt::ScalarOp) { return filled(op, operands[0], {}); })
      .Case([&](agt::FullOp fullOp) { return full(fullOp, operands); })
      .Default([](Operation *) { return Results(); });
}

Results agt::reference::evaluateScalar(Operation *op,
                                       ArrayRef<Datum> operands) {
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return constant(constantOp);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return Data{operands[operands[0].integer ? 1 : 2]};
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return integer(
        compareReals(cmp.getPredicate(), operands[0].real, operands[1].real));
  if (operands.size() == 2) {
    if (auto value = integerOf(op, operands[0].integer, operands[1].integer))
      return integer(*value);
    if (auto value = realOf(op, operands[0].real, operands[1].real))
      return real(*value);
  }
  if (operands.size() == 1) {
    if (auto value = realOf(op, operands[0].real))
      return real(*value);
    if (Results converted = convert(op, operands[0]))
      return converted;
  }
  return onTensors(op, operands);
}
