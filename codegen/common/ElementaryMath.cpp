// See ElementaryMath.h.
#include "codegen/common/ElementaryMath.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace agt::codegen {

// ---- pieces ----------------------------------------------------------------

Value ElementaryMath::polynomial(Value x, ArrayRef<double> coefficients) {
  Value p = k.f32(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    p = k.fma(p, x, k.f32(c));
  return p;
}

Value ElementaryMath::truncated(Value x) {
  return k.asF32(k.bitAnd(k.asI32(x), static_cast<int32_t>(0xfffff000)));
}

// In two factors: the first product is exact and the second rounds once, also
// where the result is subnormal or the exponent is 128.
Value ElementaryMath::scale(Value mantissa, Value exponent) {
  auto power = [&](Value e) { return k.asF32(k.shl(k.add(e, 127), 23)); };
  // Unsigned shifts: exponents are above -256.
  Value half = k.sub(k.shr(k.add(exponent, 256), 1), k.i32(128));
  return k.fmul(k.fmul(mantissa, power(half)), power(k.sub(exponent, half)));
}

ElementaryMath::Scaled ElementaryMath::expScaled(Value x, Value low) {
  Value bounded = atLeast(x, -110);
  bounded = k.select(k.flt(bounded, k.f32(89)), bounded, k.f32(89));
  Value n = k.roundEven(k.fmul(bounded, k.f32(M_LOG2E)));
  // ln 2 in two parts, the first of 16 bits: n times it is exact.
  const double high = 0.693145751953125;
  Value rest = k.fsub(bounded, k.fmul(n, k.f32(high)));
  rest = k.fsub(rest, k.fmul(n, k.f32(M_LN2 - high)));
  if (low)
    rest = k.fadd(rest, low);
  // Taylor: |rest| <= 0.35, and the next term is below 2^-27.
  Value p = polynomial(rest, {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120,
                              1.0 / 720, 1.0 / 5040});
  return {p, k.toI32(n)};
}

// Results of what lies lower are 0: a factor of x must not outgrow the
// exponential, which stops at its smallest argument.
Value ElementaryMath::atLeast(Value x, double least) {
  return k.select(k.flt(k.f32(least), x), x, k.f32(least));
}

Value ElementaryMath::atLimits(Value x, Value a) {
  Value lowest = k.eq(k.asI32(x), k.i32(static_cast<int32_t>(0xff800000)));
  return k.select(k.isNaN(x), x, k.select(lowest, k.f32(0), a));
}

ElementaryMath::Product ElementaryMath::multiply(Value x, Value y) {
  auto op = arith::MulUIExtendedOp::create(k.builder(), x, y);
  return {op.getHigh(), op.getLow()};
}

// ---- exponentials ----------------------------------------------------------

Value ElementaryMath::exp(Value x) {
  Scaled e = expScaled(x);
  return k.select(k.isNaN(x), x, scale(e.mantissa, e.exponent));
}

Value ElementaryMath::log(Value x) {
  Value bits = k.asI32(x);
  // A subnormal is its bits times 2^-149; the conversion is exact and does not
  // mind devices that take subnormals for 0.
  Value subnormal = k.ult(bits, k.i32(0x00800000));
  bits = k.select(subnormal, k.asI32(k.toF32U(bits)), bits);
  Value bias = k.select(subnormal, k.i32(149), k.i32(0));
  // x = m * 2^e with m between sqrt(1/2) and sqrt(2).
  Value shifted = k.add(bits, 0x3f800000 - 0x3f3504f3);
  Value e = k.sub(k.sub(k.shr(shifted, 23), k.i32(127)), bias);
  Value m = k.asF32(k.add(k.bitAnd(shifted, 0x007fffff), 0x3f3504f3));
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + R)), s = f / (2 + f), R the rest of
  // the series of 2 atanh(s).
  Value f = k.fsub(m, k.f32(1));
  Value s = k.fdiv(f, k.fadd(f, k.f32(2)));
  Value z = k.fmul(s, s);
  Value r =
      k.fmul(z, polynomial(z, {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11}));
  Value half = k.fmul(k.fmul(f, f), k.f32(0.5));
  Value n = k.toF32(e);
  const double high = 0.693145751953125;
  Value low = k.fmul(n, k.f32(M_LN2 - high));
  Value tail = k.fadd(k.fmul(s, k.fadd(half, r)), low);
  Value result = k.fadd(k.fmul(n, k.f32(high)), k.fsub(f, k.fsub(half, tail)));
  // 0 gives -infinity, infinity itself, what is negative NaN.
  Value magnitude = k.bitAnd(k.asI32(x), 0x7fffffff);
  Value zero = k.eq(magnitude, k.i32(0));
  Value good = k.ult(k.sub(k.asI32(x), k.i32(1)), k.i32(0x7f7fffff));
  Value infinite = k.eq(k.asI32(x), k.i32(0x7f800000));
  Value other = k.select(infinite, x, k.f32Bits(0x7fc00000));
  other = k.select(zero, k.f32Bits(0xff800000), other);
  return k.select(good, result, other);
}

Value ElementaryMath::tanh(Value x) {
  // Odd polynomial near 0 (Cephes), 1 - 2 / (e^2|x| + 1) elsewhere.
  Value a = k.fabs(x);
  Value z = k.fmul(x, x);
  Value p =
      polynomial(z, {-3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2,
                     2.06390887954e-2, -5.70498872745e-3});
  Value near = k.fma(k.fmul(p, z), x, x);
  Value twice = k.fmul(a, k.f32(2));
  Scaled e = expScaled(twice);
  Value far =
      k.fsub(k.f32(1),
             k.fdiv(k.f32(2), k.fadd(scale(e.mantissa, e.exponent), k.f32(1))));
  Value sign = k.bitAnd(k.asI32(x), static_cast<int32_t>(0x80000000));
  far = k.asF32(k.bitOr(k.asI32(far), sign));
  Value result = k.select(k.flt(a, k.f32(0.625)), near, far);
  return k.select(k.isNaN(x), x, result);
}

Value ElementaryMath::sigmoid(Value x) {
  Scaled e = expScaled(k.fneg(k.fabs(x)));
  Value total = k.fadd(k.f32(1), scale(e.mantissa, e.exponent));
  Value positive = k.fdiv(k.f32(1), total);
  Value negative = scale(k.fdiv(e.mantissa, total), e.exponent);
  Value result = k.select(k.flt(x, k.f32(0)), negative, positive);
  return k.select(k.isNaN(x), x, result);
}

Value ElementaryMath::silu(Value x) {
  Scaled e = expScaled(k.fneg(k.fabs(x)));
  Value total = k.fadd(k.f32(1), scale(e.mantissa, e.exponent));
  Value positive = k.fdiv(x, total);
  Value factor = atLeast(x, -110);
  Value negative = scale(k.fdiv(k.fmul(factor, e.mantissa), total), e.exponent);
  return atLimits(x, k.select(k.flt(x, k.f32(0)), negative, positive));
}

// x * P(x), P the normal distribution. For y = |x|, P(-y) = e^(-y^2/2) h(y),
// where h(y) (1 + y) is a polynomial in (y - 4) / (y + 4): least squares on
// Chebyshev nodes over [0, 15], relative error 2e-9. y^2 in two parts.
Value ElementaryMath::gelu(Value x) {
  Value a = k.fabs(x);
  Value y = k.select(k.flt(a, k.f32(15)), a, k.f32(15));
  Value high = truncated(y);
  Value low = k.fmul(k.fsub(y, high), k.fadd(y, high));
  Scaled e = expScaled(k.fmul(k.fmul(high, high), k.f32(-0.5)),
                       k.fmul(low, k.f32(-0.5)));
  Value q = k.fdiv(k.fsub(y, k.f32(4)), k.fadd(y, k.f32(4)));
  Value h = polynomial(
      q, {0.472053200006485, -0.09670346975326538, 0.013999620452523232,
          0.028599996119737625, -0.03219761326909065, 0.0179398525506258,
          -0.005002894904464483, -0.00030160555616021156, 0.0006913368124514818,
          -6.436251715058461e-05, -7.324348553083837e-05});
  Value tail = k.fmul(k.fdiv(h, k.fadd(y, k.f32(1))), e.mantissa);
  Value negative = scale(k.fmul(atLeast(x, -15), tail), e.exponent);
  Value positive = k.fsub(x, k.fmul(x, scale(tail, e.exponent)));
  // Infinity is not to meet a factor of 0.
  positive = k.select(k.flt(x, k.f32(15)), positive, x);
  return atLimits(x, k.select(k.flt(x, k.f32(0)), negative, positive));
}

// a/2 (1 + tanh u) = a / (1 + e^-2u). The exponent 2u = a (c0 + c1 a^2) is
// carried in two parts, for its error is the result's relative error.
Value ElementaryMath::geluTanh(Value x) {
  const double c0 = 2 * std::sqrt(2 / M_PI), c1 = c0 * 0.044715;
  const double c0High = std::floor(c0 * 2048) / 2048; // 12 bits
  const double c1High = std::floor(c1 * 32768) / 32768;
  Value bounded = atLeast(x, -12);
  bounded = k.select(k.flt(bounded, k.f32(12)), bounded, k.f32(12));

  Value aHigh = truncated(bounded), aLow = k.fsub(bounded, aHigh);
  Value square = k.fmul(aHigh, aHigh);
  Value squareHigh = truncated(square);
  Value squareLow =
      k.fadd(k.fsub(square, squareHigh), k.fmul(aLow, k.fadd(bounded, aHigh)));
  Value product = k.fmul(squareHigh, k.f32(c1High)); // exact
  Value productLow =
      k.fma(squareLow, k.f32(c1High),
            k.fmul(k.fadd(squareHigh, squareLow), k.f32(c1 - c1High)));
  Value factorHigh =
      truncated(k.fadd(k.fadd(product, k.f32(c0High)), productLow));
  Value factorLow = k.fadd(k.fsub(k.f32(c0High), factorHigh), product);
  factorLow = k.fadd(factorLow, k.fadd(productLow, k.f32(c0 - c0High)));
  Value high = k.fmul(aHigh, factorHigh); // exact
  Value low =
      k.fma(aHigh, factorLow, k.fmul(aLow, k.fadd(factorHigh, factorLow)));

  // e^-|2u|: both parts change sign with a.
  Value negativeArgument = k.flt(x, k.f32(0));
  Scaled e = expScaled(k.select(negativeArgument, high, k.fneg(high)),
                       k.select(negativeArgument, low, k.fneg(low)));
  Value total = k.fadd(k.f32(1), scale(e.mantissa, e.exponent));
  Value positive = k.fdiv(x, total);
  Value negative =
      scale(k.fdiv(k.fmul(bounded, e.mantissa), total), e.exponent);
  return atLimits(x, k.select(negativeArgument, negative, positive));
}

// ---- roots and quotients ---------------------------------------------------

Value ElementaryMath::sqrt(Value x) {
  // Subnormal arguments are scaled up through their bits: see log.
  Value bits = k.asI32(x);
  Value subnormal = k.ult(k.sub(bits, k.i32(1)), k.i32(0x007fffff));
  Value scaled = k.fmul(k.toF32U(bits), k.f32(2)); // x * 2^150
  Value argument = k.select(subnormal, scaled, x);
  Value root = math::SqrtOp::create(k.builder(), argument);
  root = k.select(subnormal, k.fmul(root, k.f32(std::ldexp(1, -75))), root);
  // The sign of 0 stays; below it there is no root. By bits, as above.
  Value zero = k.eq(k.bitAnd(bits, 0x7fffffff), k.i32(0));
  Value below = k.ult(k.i32(static_cast<int32_t>(0x80000000)), bits);
  root = k.select(zero, x, root);
  return k.select(below, k.f32Bits(0x7fc00000), root);
}

// By bits: exact, subnormals included, on devices that take those for 0.
Value ElementaryMath::negate(Value x) {
  return k.asF32(k.bitXor(k.asI32(x), k.i32(static_cast<int32_t>(0x80000000))));
}

Value ElementaryMath::magnitude(Value x) {
  return k.asF32(k.bitAnd(k.asI32(x), 0x7fffffff));
}

Value ElementaryMath::relu(Value x) {
  Value negative =
      k.logicalAnd(k.lt(k.asI32(x), k.i32(0)), k.logicalNot(k.isNaN(x)));
  return k.select(negative, k.f32(0), x);
}

Value ElementaryMath::rsqrt(Value x) { return k.fdiv(k.f32(1), sqrt(x)); }

Value ElementaryMath::divide(Value x, Value y) {
  Value magnitude = k.bitAnd(k.asI32(y), 0x7fffffff);
  Value large = k.ult(k.i32((127 + 100) << 23), magnitude);
  Value small = k.ult(magnitude, k.i32((127 - 100) << 23));
  Value factor = k.select(large, k.f32(std::ldexp(1, -24)), k.f32(1));
  factor = k.select(small, k.f32(std::ldexp(1, 24)), factor);
  return k.fdiv(k.fmul(x, factor), k.fmul(y, factor));
}

// Long division of the mantissas, 8 bits a turn: a quotient in f32 would be
// wrong from 2^24 on.
Value ElementaryMath::remainder(Value x, Value y) {
  Value xBits = k.bitAnd(k.asI32(x), 0x7fffffff);
  Value yBits = k.bitAnd(k.asI32(y), 0x7fffffff);
  auto exponent = [&](Value bits) { return k.maxS(k.shr(bits, 23), k.i32(1)); };
  auto mantissa = [&](Value bits) {
    Value implicit =
        k.select(k.ult(bits, k.i32(0x00800000)), k.i32(0), k.i32(0x00800000));
    return k.bitOr(k.bitAnd(bits, 0x007fffff), implicit);
  };
  Value infinity = k.i32(0x7f800000);
  Value bad =
      k.logicalOr(k.logicalNot(k.ult(xBits, infinity)),
                  k.logicalOr(k.eq(yBits, k.i32(0)), k.ult(infinity, yBits)));
  Value smaller = k.ult(xBits, yBits);
  Value divisor = k.select(bad, k.i32(1), mantissa(yBits));
  Value shift = k.sub(exponent(xBits), exponent(yBits));
  shift = k.select(k.logicalOr(bad, smaller), k.i32(0), shift);
  Value first = k.rem(mantissa(xBits), divisor);
  Value rest = k.forCarry(
      k.i32(0), shift, 8, {first}, [&](Value done, ArrayRef<Value> carried) {
        Value bits = k.minS(k.sub(shift, done), k.i32(8));
        return SmallVector<Value>{k.rem(k.shl(carried.front(), bits), divisor)};
      })[0];
  Value magnitude = scale(k.toF32(rest), k.sub(exponent(yBits), k.i32(150)));
  Value sign = k.bitAnd(k.asI32(x), static_cast<int32_t>(0x80000000));
  Value result = k.asF32(k.bitOr(k.asI32(magnitude), sign));
  result = k.select(smaller, x, result);
  return k.select(bad, k.f32Bits(0x7fc00000), result);
}

// ---- angles ----------------------------------------------------------------

ElementaryMath::SinCos ElementaryMath::sinCosOfTurn(Value high, Value low) {
  // The nearest quarter turn, and what is left of at most an eighth.
  Value quadrant = k.shr(k.add(high, 1 << 29), 30);
  Value rest = k.sub(high, k.shl(quadrant, 30));
  Value fraction =
      k.fma(k.toF32U(low), k.f32(std::ldexp(1, -32)), k.toF32(rest));
  Value r = k.fmul(fraction, k.f32(std::ldexp(2 * M_PI, -32)));
  // Cephes' polynomials on [-pi/4, pi/4].
  Value z = k.fmul(r, r);
  Value s =
      polynomial(z, {-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4});
  s = k.fma(k.fmul(s, z), r, r);
  Value c = polynomial(
      z, {4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5});
  c = k.fma(k.fmul(c, z), z, k.fma(z, k.f32(-0.5), k.f32(1)));

  Value odd = k.ne(k.bitAnd(quadrant, 1), k.i32(0));
  auto signedBy = [&](Value value, Value bit) {
    Value sign = k.shl(k.bitAnd(k.shr(bit, 1), 1), 31);
    return k.asF32(k.bitXor(k.asI32(value), sign));
  };
  return {signedBy(k.select(odd, c, s), quadrant),
          signedBy(k.select(odd, s, c), k.add(quadrant, 1))};
}

Value ElementaryMath::bitsToShift(Value word, Value next, Value shift) {
  // shift may be 0, and a shift by 32 is undefined.
  Value upper = k.shl(word, shift);
  Value lower = k.shr(k.shr(next, 1), k.sub(k.i32(31), shift));
  return k.bitOr(upper, lower);
}

// Payne and Hanek: |x| = m * 2^e; the bits of 1 / (2 pi) from weight 2^-e on,
// times m, are x in turns without the whole ones.
ElementaryMath::SinCos ElementaryMath::sinCos(Value x) {
  // 1 / (2 pi) after the point, 32 zero bits before it.
  static const uint32_t turns[] = {0x00000000, 0x28be60db, 0x9391054a,
                                   0x7f09d5f4, 0x7d4d3770, 0x36d8a566,
                                   0x4f10e410, 0x7f9458ea};
  Value magnitude = k.bitAnd(k.asI32(x), 0x7fffffff);
  Value exponent = k.shr(magnitude, 23);
  Value m = k.bitOr(k.bitAnd(magnitude, 0x007fffff), k.i32(0x00800000));
  // Bit 32 of the table weighs 2^-1: start at e + 32 = exponent - 150 + 32.
  // Below 2^-9 angles are taken as they are.
  Value start = k.maxS(k.sub(exponent, k.i32(118)), k.i32(0));
  start = k.minU(start, k.i32(136));
  Value word = k.shr(start, 5), shift = k.bitAnd(start, 31);
  auto tableWord = [&](unsigned offset) {
    Value value = k.i32(static_cast<int32_t>(turns[offset]));
    for (unsigned i = 1; i <= 4; ++i)
      value = k.select(
          k.eq(word, k.i32(i)),
          k.i32(offset + i < 8 ? static_cast<int32_t>(turns[offset + i]) : 0),
          value);
    return value;
  };
  Value w[4];
  for (unsigned i = 0; i < 4; ++i)
    w[i] = tableWord(i);
  Value high = bitsToShift(w[0], w[1], shift);
  Value middle = bitsToShift(w[1], w[2], shift);
  Value low = bitsToShift(w[2], w[3], shift);
  Product fromLow = multiply(m, low), fromMiddle = multiply(m, middle);
  Value turnLow = k.add(fromMiddle.low, fromLow.high);
  Value carry = k.select(k.ult(turnLow, fromLow.high), k.i32(1), k.i32(0));
  Value turnHigh = k.add(k.add(k.mul(m, high), fromMiddle.high), carry);
  SinCos r = sinCosOfTurn(turnHigh, turnLow);

  // Small angles as they are: sin x = x - x^3/6, cos x = 1 - x^2/2.
  Value small = k.ult(magnitude, k.i32((127 - 9) << 23));
  Value a = k.asF32(magnitude), z = k.fmul(a, a);
  Value s = k.select(small, k.fma(k.fmul(z, k.f32(-1.0 / 6)), a, a), r.sin);
  Value c = k.select(small, k.fma(z, k.f32(-0.5), k.f32(1)), r.cos);
  Value sign = k.bitAnd(k.asI32(x), static_cast<int32_t>(0x80000000));
  s = k.asF32(k.bitXor(k.asI32(s), sign));
  Value finite = k.ult(magnitude, k.i32(0x7f800000));
  Value nan = k.f32Bits(0x7fc00000);
  return {k.select(finite, s, nan), k.select(finite, c, nan)};
}

Value ElementaryMath::sin(Value x) { return sinCos(x).sin; }
Value ElementaryMath::cos(Value x) { return sinCos(x).cos; }

} // namespace agt::codegen
