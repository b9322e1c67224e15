// See ValueBuilder.h.
#include "codegen/common/ValueBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace agt::codegen {

ValueBuilder::ValueBuilder(Location loc) : b(loc, loc.getContext()) {}
ValueBuilder::~ValueBuilder() = default;

// ---- constants -------------------------------------------------------------

Type ValueBuilder::shaped(Type element) {
  return lanes ? Type(VectorType::get({lanes}, element)) : element;
}

Value ValueBuilder::cached(TypedAttr attr) {
  if (lanes && !isa<ShapedType>(attr.getType()))
    attr = DenseElementsAttr::get(VectorType::get({lanes}, attr.getType()),
                                  ArrayRef<Attribute>{attr});
  Value &slot = constants[attr];
  if (!slot) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    slot = arith::ConstantOp::create(b, attr);
  }
  return slot;
}

Value ValueBuilder::i32(int64_t v) {
  return cached(b.getI32IntegerAttr(static_cast<int32_t>(v)));
}
Value ValueBuilder::f32(double v) {
  return cached(b.getF32FloatAttr(static_cast<float>(v)));
}
Value ValueBuilder::f32Bits(uint32_t bits) {
  return cached(b.getFloatAttr(
      b.getF32Type(), APFloat(APFloat::IEEEsingle(), APInt(32, bits))));
}
Value ValueBuilder::i1(bool v) { return cached(b.getBoolAttr(v)); }

std::optional<int64_t> ValueBuilder::constant(Value v) {
  APInt value;
  if (matchPattern(v, m_ConstantInt(&value)))
    return value.getSExtValue();
  return std::nullopt;
}

// ---- integers --------------------------------------------------------------

// Folded results come back as attributes that createOrFold would turn into a
// constant in place; taking them through the cache keeps one of each.
template <typename Op, typename... Args>
static Value folded(ImplicitLocOpBuilder &b,
                    llvm::function_ref<Value(TypedAttr)> constant,
                    Args &&...args) {
  auto op = Op::create(b, std::forward<Args>(args)...);
  SmallVector<OpFoldResult, 1> results;
  if (failed(op->fold(results)) || results.empty())
    return op;
  Value value;
  if (auto attr = dyn_cast<Attribute>(results.front()))
    value = constant(cast<TypedAttr>(attr));
  else
    value = cast<Value>(results.front());
  op->erase();
  return value;
}

#define AGT_FOLDED(OP, ...)                                                    \
  folded<OP>(b, [this](TypedAttr attr) { return cached(attr); }, __VA_ARGS__)

Value ValueBuilder::add(Value x, Value y) {
  return AGT_FOLDED(arith::AddIOp, x, y);
}
Value ValueBuilder::sub(Value x, Value y) {
  return AGT_FOLDED(arith::SubIOp, x, y);
}
Value ValueBuilder::mul(Value x, Value y) {
  return AGT_FOLDED(arith::MulIOp, x, y);
}
Value ValueBuilder::div(Value x, Value y) {
  return AGT_FOLDED(arith::DivUIOp, x, y);
}
Value ValueBuilder::rem(Value x, Value y) {
  return AGT_FOLDED(arith::RemUIOp, x, y);
}
Value ValueBuilder::bitAnd(Value x, Value y) {
  return AGT_FOLDED(arith::AndIOp, x, y);
}
Value ValueBuilder::bitOr(Value x, Value y) {
  return AGT_FOLDED(arith::OrIOp, x, y);
}
Value ValueBuilder::bitXor(Value x, Value y) {
  return AGT_FOLDED(arith::XOrIOp, x, y);
}
Value ValueBuilder::shl(Value x, Value y) {
  return AGT_FOLDED(arith::ShLIOp, x, y);
}
Value ValueBuilder::shr(Value x, Value y) {
  return AGT_FOLDED(arith::ShRUIOp, x, y);
}
Value ValueBuilder::minS(Value x, Value y) {
  return AGT_FOLDED(arith::MinSIOp, x, y);
}
Value ValueBuilder::maxS(Value x, Value y) {
  return AGT_FOLDED(arith::MaxSIOp, x, y);
}
Value ValueBuilder::minU(Value x, Value y) {
  return AGT_FOLDED(arith::MinUIOp, x, y);
}
Value ValueBuilder::maxU(Value x, Value y) {
  return AGT_FOLDED(arith::MaxUIOp, x, y);
}
Value ValueBuilder::cmp(IPred pred, Value x, Value y) {
  return AGT_FOLDED(arith::CmpIOp, pred, x, y);
}

Value ValueBuilder::logicalAnd(Value x, Value y) { return bitAnd(x, y); }
Value ValueBuilder::logicalOr(Value x, Value y) { return bitOr(x, y); }
Value ValueBuilder::logicalNot(Value x) { return bitXor(x, i1(true)); }
Value ValueBuilder::select(Value c, Value x, Value y) {
  return AGT_FOLDED(arith::SelectOp, c, x, y);
}

#undef AGT_FOLDED

// ---- floats ----------------------------------------------------------------

Value ValueBuilder::fadd(Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}
Value ValueBuilder::fsub(Value x, Value y) {
  return arith::SubFOp::create(b, x, y);
}
Value ValueBuilder::fmul(Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}
Value ValueBuilder::fdiv(Value x, Value y) {
  return arith::DivFOp::create(b, x, y);
}
Value ValueBuilder::fneg(Value x) { return arith::NegFOp::create(b, x); }
Value ValueBuilder::fabs(Value x) { return math::AbsFOp::create(b, x); }
Value ValueBuilder::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z);
}
Value ValueBuilder::fcmp(FPred pred, Value x, Value y) {
  return arith::CmpFOp::create(b, pred, x, y);
}
Value ValueBuilder::fmaxAny(Value x, Value y) {
  return select(fcmp(FPred::OGT, x, y), x, y);
}
Value ValueBuilder::fmaxNaN(Value x, Value y) {
  return select(logicalOr(fcmp(FPred::OGT, x, y), isNaN(x)), x, y);
}
Value ValueBuilder::fminNaN(Value x, Value y) {
  return select(logicalOr(fcmp(FPred::OLT, x, y), isNaN(x)), x, y);
}
Value ValueBuilder::toF32(Value i) {
  return arith::SIToFPOp::create(b, f32Type(), i);
}
Value ValueBuilder::toF32U(Value i) {
  return arith::UIToFPOp::create(b, f32Type(), i);
}
Value ValueBuilder::toI32(Value f) {
  return arith::FPToSIOp::create(b, i32Type(), f);
}
Value ValueBuilder::asI32(Value f) {
  return arith::BitcastOp::create(b, i32Type(), f);
}
Value ValueBuilder::asF32(Value i) {
  return arith::BitcastOp::create(b, f32Type(), i);
}
Value ValueBuilder::roundEven(Value f) {
  return math::RoundEvenOp::create(b, f);
}

// ---- exponentials ----------------------------------------------------------

// 2^fraction * 2^n for |fraction| <= 1/2 and -126 <= n <= 127: the Taylor
// polynomial of degree 6 (its rest is below 2^-26 there) times a power of two
// made from its bits. A product, not an addition to the exponent: a NaN in the
// fraction stays NaN whatever became of n.
Value ValueBuilder::exp2Reduced(Value n, Value fraction) {
  double coefficient[7] = {1.0};
  for (int k = 1; k < 7; ++k)
    coefficient[k] = coefficient[k - 1] * M_LN2 / k;
  Value p = f32(coefficient[6]);
  for (int k = 5; k >= 0; --k)
    p = fma(p, fraction, f32(coefficient[k]));
  // n as an integer without a conversion, which some drivers do lane by lane
  // to get overflow right: in n + 1.5 * 2^23 it is the low bits.
  Value low = asI32(fadd(n, f32(12582912.0)));
  return fmul(p, asF32(shl(add(low, 127), 23)));
}

Value ValueBuilder::exp2NonPositive(Value x) {
  Value low = fcmp(FPred::OLT, x, f32(-126));
  Value clamped = select(low, f32(-126), x);
  Value n = roundEven(clamped);
  return select(low, f32(0), exp2Reduced(n, fsub(clamped, n)));
}

Value ValueBuilder::exp2(Value x) {
  Value clamped = select(fcmp(FPred::OGT, x, f32(-126)), x, f32(-126));
  clamped = select(fcmp(FPred::OLT, clamped, f32(128)), clamped, f32(127));
  Value n = roundEven(clamped);
  Value top = fcmp(FPred::OEQ, n, f32(128));
  n = select(top, f32(127), n);
  Value r = exp2Reduced(n, fsub(clamped, n));
  r = select(fcmp(FPred::OGE, x, f32(128)), f32Bits(0x7f800000), r);
  r = select(fcmp(FPred::OLT, x, f32(-126)), f32(0), r);
  return select(isNaN(x), x, r);
}

Value ValueBuilder::exp(Value x) {
  // n = round(x log2 e); x - n ln 2 in two parts so that the large product
  // loses nothing, then 2^(rest / ln 2).
  Value bounded = select(fcmp(FPred::OGT, x, f32(-88)), x, f32(-88));
  bounded = select(fcmp(FPred::OLT, bounded, f32(89)), bounded, f32(89));
  Value n = roundEven(fmul(bounded, f32(M_LOG2E)));
  const double high = 0.693145751953125; // ln 2 to 16 bits
  Value rest = fma(n, f32(-high), bounded);
  rest = fma(n, f32(-(M_LN2 - high)), rest);
  // Two factors: n may be 128 where the result is still finite.
  Value half = toI32(fmul(n, f32(0.5)));
  Value other = sub(toI32(n), half);
  double coefficient[7] = {1.0};
  for (int k = 1; k < 7; ++k)
    coefficient[k] = coefficient[k - 1] / k;
  Value p = f32(coefficient[6]);
  for (int k = 5; k >= 0; --k)
    p = fma(p, rest, f32(coefficient[k]));
  auto power = [&](Value e) { return asF32(shl(add(e, 127), 23)); };
  Value r = fmul(fmul(p, power(half)), power(other));
  r = select(fcmp(FPred::OGE, x, f32(89)), f32Bits(0x7f800000), r);
  r = select(fcmp(FPred::OLT, x, f32(-87.3365448)), f32(0), r);
  return select(isNaN(x), x, r);
}

// ---- 16-bit elements -------------------------------------------------------

Value ValueBuilder::halfFromF32(Value f) {
  Value bits = asI32(f);
  Value sign = bitAnd(shr(bits, 16), 0x8000);
  Value magnitude = bitAnd(bits, 0x7fffffff);
  // Normal results: rebias the exponent (127 - 15 = 112) and round at bit 13;
  // a carry runs into the exponent, which is what is wanted, up to infinity.
  Value odd = bitAnd(shr(magnitude, 13), 1);
  Value normal = add(add(magnitude, odd), 0xfff - (112 << 23));
  normal = shr(normal, 13);
  // Denormal results: adding 0.5 aligns the bits that stay with the low end of
  // the mantissa, and the addition itself rounds to nearest even.
  Value aligned = fadd(asF32(magnitude), f32(0.5));
  Value denormal = sub(asI32(aligned), i32(0x3f000000));
  Value r = select(ult(magnitude, i32(113 << 23)), denormal, normal);
  // 65520 and more round to infinity.
  r = select(ult(magnitude, i32(0x477ff000)), r, i32(0x7c00));
  r = select(ult(i32(0x7f800000), magnitude), i32(0x7e00), r);
  return bitOr(r, sign);
}

Value ValueBuilder::bf16FromF32(Value f) {
  Value bits = asI32(f);
  Value odd = bitAnd(shr(bits, 16), 1);
  Value rounded = shr(add(add(bits, odd), 0x7fff), 16);
  Value quiet = bitOr(shr(bits, 16), i32(0x40));
  Value isNan = ult(i32(0x7f800000), bitAnd(bits, 0x7fffffff));
  return select(isNan, quiet, rounded);
}

Value ValueBuilder::f32FromBf16(Value bits) { return asF32(shl(bits, 16)); }

Value ValueBuilder::f32FromHalf(Value bits) {
  Value sign = shl(bitAnd(bits, 0x8000), 16);
  Value magnitude = bitAnd(bits, 0x7fff);
  Value normal = add(shl(magnitude, 13), 112 << 23);
  // Infinity and NaN: the largest exponent again.
  normal = select(ult(magnitude, i32(0x7c00)), normal,
                  bitOr(shl(magnitude, 13), i32(0x7f800000)));
  // Denormals count in units of 2^-24.
  Value denormal = asI32(fmul(toF32(magnitude), f32(std::ldexp(1.0, -24))));
  Value r = select(ult(magnitude, i32(0x400)), denormal, normal);
  return asF32(bitOr(r, sign));
}

Value ValueBuilder::f32FromF8(Value bits) {
  // Bias 7, no infinity; 0x7f is NaN; subnormals count in units of 2^-9.
  Value magnitude = bitAnd(bits, 0x7f);
  Value normal = add(shl(magnitude, 20), i32(120 << 23));
  Value subnormal = asI32(fmul(toF32(magnitude), f32(std::ldexp(1, -9))));
  Value r = select(ult(magnitude, i32(8)), subnormal, normal);
  r = select(eq(magnitude, i32(0x7f)), i32(0x7fc00000), r);
  return asF32(bitOr(r, shl(bitAnd(bits, 0x80), 24)));
}

// ---- control flow ----------------------------------------------------------

void ValueBuilder::ifThen(Value cond, llvm::function_ref<void()> body) {
  auto op = scf::IfOp::create(b, cond, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  body();
}

void ValueBuilder::ifElse(Value cond, llvm::function_ref<void()> then,
                          llvm::function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(b, cond, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then();
  b.setInsertionPointToStart(op.elseBlock());
  otherwise();
}

void ValueBuilder::forRange(Value lower, Value upper, int64_t step,
                            llvm::function_ref<void(Value)> body) {
  forRange(lower, upper, i32(step), body);
}

void ValueBuilder::forRange(Value lower, Value upper, Value step,
                            llvm::function_ref<void(Value)> body) {
  auto op = scf::ForOp::create(b, lower, upper, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  body(op.getInductionVar());
}

SmallVector<Value> ValueBuilder::forCarry(
    Value lower, Value upper, int64_t step, ArrayRef<Value> init,
    llvm::function_ref<SmallVector<Value>(Value, ArrayRef<Value>)> body) {
  auto op = scf::ForOp::create(b, lower, upper, i32(step), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    SmallVector<Value> carried(op.getRegionIterArgs());
    scf::YieldOp::create(b, body(op.getInductionVar(), carried));
  }
  // The SPIR-V lowering keeps results in variables that a loop without turns
  // leaves unset.
  Value turns = lt(lower, upper);
  SmallVector<Value> results;
  for (auto [result, first] : llvm::zip_equal(op.getResults(), init))
    results.push_back(select(turns, result, first));
  return results;
}

} // namespace agt::codegen
