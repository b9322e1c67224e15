// ElementaryMath: exp, log, tanh, gelu, sin and their like as plain f32
// arithmetic. SPIR-V lets a driver be off by thousands of units in the last
// place in its own; these stay within 4 of the real value for every argument,
// subnormal results included (on devices that do not flush them).
//
// How: argument reduction that is exact or carried in two parts, a polynomial
// on a short interval, and the power of two put back at the very end. A value
// in two parts is split by masking bits, never by adding and subtracting a
// large number, which drivers are free to simplify away. Nothing depends on
// whether fma is fused.
#ifndef AGT_CODEGEN_COMMON_ELEMENTARYMATH_H
#define AGT_CODEGEN_COMMON_ELEMENTARYMATH_H

#include "codegen/common/ValueBuilder.h"

namespace agt::codegen {

class ElementaryMath {
public:
  using Value = mlir::Value;

  explicit ElementaryMath(ValueBuilder &builder) : k(builder) {}

  Value exp(Value x);
  Value log(Value x);
  Value negate(Value x);
  Value magnitude(Value x);
  Value relu(Value x);
  Value sqrt(Value x);
  Value rsqrt(Value x);
  Value tanh(Value x);
  Value sigmoid(Value x);
  Value silu(Value x);
  Value gelu(Value x);
  Value geluTanh(Value x);
  Value sin(Value x);
  Value cos(Value x);
  /// x / y over the whole range of f32 (a driver's own may only be good for
  /// denominators between 2^-126 and 2^126).
  Value divide(Value x, Value y);
  /// What x leaves after whole multiples of y, with the sign of x; exact.
  Value remainder(Value x, Value y);

  struct SinCos {
    Value sin, cos;
  };
  /// Of an angle given as a fraction of a turn: high * 2^-32 + low * 2^-64.
  SinCos sinCosOfTurn(Value high, Value low);
  /// high and low words of the unsigned product of two words.
  struct Product {
    Value high, low;
  };
  Product multiply(Value x, Value y);

private:
  /// e^(x + low) = mantissa * 2^exponent, |mantissa| about 1, for
  /// x between -110 and 89 (clamped). `low` is small beside x.
  struct Scaled {
    Value mantissa, exponent;
  };
  Scaled expScaled(Value x, Value low = {});
  Value scale(Value mantissa, Value exponent);
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);
  Value truncated(Value x); // the 12 leading bits
  SinCos sinCos(Value x);
  Value bitsToShift(Value word, Value next, Value shift);
  /// `a`, but the limit 0 where x is negative infinity, and NaN where x is.
  Value atLimits(Value x, Value a);
  Value atLeast(Value x, double least);

  ValueBuilder &k;
};

} // namespace agt::codegen

#endif // AGT_CODEGEN_COMMON_ELEMENTARYMATH_H
