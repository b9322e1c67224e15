// See ElementTypes.h.
#include "codegen/kernels/ElementTypes.h"

#include <cmath>

using namespace mlir;

namespace agt::kernels {

unsigned ElementTypes::bitWidth(Type element) {
  return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
}

Type ElementTypes::computeType(Type element) {
  if (isFloat(element))
    return k.f32Type();
  if (element.isInteger(8))
    return k.i32Type();
  return element;
}

// ---- constants -------------------------------------------------------------

Value ElementTypes::integerOf(Type type, int64_t value) {
  if (type.isInteger(32))
    return k.i32(value);
  if (type.isInteger(1))
    return k.i1(value != 0);
  return arith::ConstantOp::create(k.builder(), IntegerAttr::get(type, value));
}

Value ElementTypes::integer(Type element, int64_t value) {
  if (isFloat(element))
    return settle(element, k.f32(static_cast<double>(value)));
  Value wide = integerOf(computeType(element), value);
  return element.isInteger(8) ? settle(element, wide) : wide;
}

Value ElementTypes::constant(Type element, double value) {
  if (isFloat(element))
    return cast(k.f32Type(), element, k.f32(value));
  if (isBool(element))
    return k.i1(value != 0);
  // As the cast would: truncated and saturated, NaN to 0.
  unsigned width = element.getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, width - 1);
  if (std::isnan(value))
    return integer(element, 0);
  if (value >= limit)
    return integer(element,
                   width == 64 ? INT64_MAX : static_cast<int64_t>(limit) - 1);
  return integer(element, static_cast<int64_t>(std::max(value, -limit)));
}

Value ElementTypes::nanOrZero(Type element) {
  return isFloat(element) ? k.f32Bits(0x7fc00000) : integer(element, 0);
}

Value ElementTypes::shiftRightSigned(Value x, int64_t bits) {
  return arith::ShRSIOp::create(k.builder(), x, integerOf(x.getType(), bits));
}

// ---- narrow elements -------------------------------------------------------

Value ElementTypes::f8FromF32(Value value) {
  Value bits = k.asI32(value);
  Value sign = k.bitAnd(k.shr(bits, 24), 0x80);
  Value magnitude = k.bitAnd(bits, 0x7fffffff);
  Value largest = k.i32(0x43e00000); // 448
  Value bounded = k.minU(magnitude, largest);
  Value odd = k.bitAnd(k.shr(bounded, 20), 1);
  Value normal = k.shr(k.add(k.add(bounded, odd), 0x7ffff - (120 << 23)), 20);
  // 2^14 has 2^-9 as its last place: the addition rounds.
  Value aligned = k.fadd(k.asF32(bounded), k.f32(16384));
  Value subnormal = k.sub(k.asI32(aligned), k.i32(0x46800000));
  Value r = k.select(k.ult(bounded, k.i32(121 << 23)), subnormal, normal);
  r = k.select(k.ult(k.i32(0x7f800000), magnitude), k.i32(0x7f), r);
  return k.bitOr(r, sign);
}

Value ElementTypes::decode(Type element, Value bits) {
  if (element.isF16())
    return k.f32FromHalf(k.bitAnd(bits, 0xffff));
  if (element.isBF16())
    return k.f32FromBf16(bits);
  if (isFloat(element))
    return k.f32FromF8(bits);
  if (isBool(element))
    return k.ne(k.bitAnd(bits, 0xff), k.i32(0));
  return settle(element, bits);
}

Value ElementTypes::encode(Type element, Value value) {
  if (element.isF16())
    return k.halfFromF32(value);
  if (element.isBF16())
    return k.bf16FromF32(value);
  if (isFloat(element))
    return f8FromF32(value);
  if (isBool(element))
    return k.select(value, k.i32(1), k.i32(0));
  return k.bitAnd(value, 0xff);
}

Value ElementTypes::settle(Type element, Value value) {
  if (element.isInteger(8))
    return shiftRightSigned(k.shl(value, 24), 24);
  if (isFloat(element) && !element.isF32())
    return decode(element, encode(element, value));
  return value;
}

// ---- casts -----------------------------------------------------------------

Value ElementTypes::floatToInteger(Type to, Value value) {
  // Bounds are compared in f32, where 2^(n-1) is exact; the conversion itself
  // only ever sees what fits.
  unsigned width = to.getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, width - 1);
  Value over = k.fcmp(KernelBuilder::FPred::OGE, value, k.f32(limit));
  Value under = k.fcmp(KernelBuilder::FPred::OLE, value, k.f32(-limit));
  Value inside =
      k.logicalNot(k.logicalOr(k.isNaN(value), k.logicalOr(over, under)));
  Value safe = k.select(inside, value, k.f32(0));
  Type type = computeType(to);
  Value r = arith::FPToSIOp::create(k.builder(), type, safe);
  int64_t top = width == 64 ? INT64_MAX : (int64_t(1) << (width - 1)) - 1;
  r = k.select(over, integerOf(type, top), r);
  return k.select(under, integerOf(type, -top - 1), r);
}

Value ElementTypes::cast(Type from, Type to, Value value) {
  if (from == to)
    return value;
  if (isBool(to)) {
    if (isFloat(from))
      // By bits: a subnormal is not 0, also where devices take it for that.
      return k.ne(k.bitAnd(k.asI32(value), 0x7fffffff), k.i32(0));
    return k.ne(value, integerOf(value.getType(), 0));
  }
  if (isBool(from))
    return isFloat(to) ? k.select(value, k.f32(1), k.f32(0))
                       : k.select(value, integer(to, 1), integer(to, 0));
  if (isFloat(from))
    return isFloat(to) ? settle(to, value) : floatToInteger(to, value);
  if (isFloat(to))
    return settle(to, arith::SIToFPOp::create(k.builder(), k.f32Type(), value));
  return integerCast(from, to, value);
}

// Saturated, as everything that becomes an integer is.
Value ElementTypes::integerCast(Type from, Type to, Value value) {
  unsigned width = to.getIntOrFloatBitWidth();
  Type have = value.getType(), want = computeType(to);
  if (width < from.getIntOrFloatBitWidth()) {
    int64_t top = (int64_t(1) << (width - 1)) - 1;
    value = k.minS(value, integerOf(have, top));
    value = k.maxS(value, integerOf(have, -top - 1));
  }
  if (have == want)
    return value;
  if (want.isInteger(64))
    return arith::ExtSIOp::create(k.builder(), want, value);
  return arith::TruncIOp::create(k.builder(), want, value);
}

} // namespace agt::kernels
