// ValueBuilder: scalar arithmetic as `arith`, `math` and `scf` ops, short to
// write. Everything kernels of different targets share (score expression,
// softmax, conversions of element types) is written over this class; what a
// target does in its own way is a virtual function.
//
// Integers are i32 and floats are f32 throughout: 64-bit integers and 16-bit
// types are missing on some devices. Constants are kept one a value at the
// top of the function, and integer ops fold as they are made, so that unrolled
// kernels come out small without a clean-up pass.
#ifndef AGT_CODEGEN_COMMON_VALUEBUILDER_H
#define AGT_CODEGEN_COMMON_VALUEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace agt::codegen {

class ValueBuilder {
public:
  using Value = mlir::Value;
  using FPred = mlir::arith::CmpFPredicate;
  using IPred = mlir::arith::CmpIPredicate;

  explicit ValueBuilder(mlir::Location loc);
  virtual ~ValueBuilder();

  mlir::ImplicitLocOpBuilder &builder() { return b; }
  mlir::Type i32Type() { return shaped(b.getI32Type()); }
  mlir::Type f32Type() { return shaped(b.getF32Type()); }

  /// While it lives, constants and conversions are vectors of `lanes` elements
  /// (0: scalars), so that what is written for one value computes many.
  class Lanes {
  public:
    Lanes(ValueBuilder &b, int64_t lanes) : b(b), before(b.lanes) {
      b.lanes = lanes;
    }
    ~Lanes() { b.lanes = before; }
    Lanes(const Lanes &) = delete;

  private:
    ValueBuilder &b;
    int64_t before;
  };

  // Constants.
  Value i32(int64_t v);
  Value f32(double v);
  Value f32Bits(uint32_t bits); // for infinities and NaN
  Value i1(bool v);
  /// The value of an integer constant, or nothing.
  static std::optional<int64_t> constant(Value v);

  // Integers; divisions and shifts to the right are unsigned.
  Value add(Value x, Value y);
  Value add(Value x, int64_t y) { return add(x, i32(y)); }
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value mul(Value x, int64_t y) { return mul(x, i32(y)); }
  Value div(Value x, Value y);
  Value div(Value x, int64_t y) { return div(x, i32(y)); }
  Value rem(Value x, Value y);
  Value rem(Value x, int64_t y) { return rem(x, i32(y)); }
  Value ceilDiv(Value x, int64_t y) { return div(add(x, y - 1), y); }
  Value bitAnd(Value x, Value y);
  Value bitAnd(Value x, int64_t y) { return bitAnd(x, i32(y)); }
  Value bitOr(Value x, Value y);
  Value bitXor(Value x, Value y);
  Value shl(Value x, Value y);
  Value shl(Value x, int64_t y) { return shl(x, i32(y)); }
  Value shr(Value x, Value y);
  Value shr(Value x, int64_t y) { return shr(x, i32(y)); }
  Value minS(Value x, Value y);
  Value maxS(Value x, Value y);
  Value minU(Value x, Value y);
  Value maxU(Value x, Value y);
  Value cmp(IPred pred, Value x, Value y);
  Value eq(Value x, Value y) { return cmp(IPred::eq, x, y); }
  Value ne(Value x, Value y) { return cmp(IPred::ne, x, y); }
  Value lt(Value x, Value y) { return cmp(IPred::slt, x, y); }
  Value le(Value x, Value y) { return cmp(IPred::sle, x, y); }
  Value ult(Value x, Value y) { return cmp(IPred::ult, x, y); }

  // Booleans.
  Value logicalAnd(Value x, Value y);
  Value logicalOr(Value x, Value y);
  Value logicalNot(Value x);
  Value select(Value c, Value x, Value y);

  // Floats.
  Value fadd(Value x, Value y);
  Value fsub(Value x, Value y);
  Value fmul(Value x, Value y);
  Value fdiv(Value x, Value y);
  Value fneg(Value x);
  Value fabs(Value x);
  Value fma(Value x, Value y, Value z);
  Value fcmp(FPred pred, Value x, Value y);
  Value flt(Value x, Value y) { return fcmp(FPred::OLT, x, y); }
  Value isNaN(Value x) { return fcmp(FPred::UNO, x, x); }
  /// The larger one; either may come out where one is NaN.
  virtual Value fmaxAny(Value x, Value y);
  /// The larger one; NaN where either is NaN.
  virtual Value fmaxNaN(Value x, Value y);
  virtual Value fminNaN(Value x, Value y);
  Value toF32(Value i);  // from signed i32
  Value toF32U(Value i); // from unsigned i32
  Value toI32(Value f);  // towards zero; f must fit
  Value asI32(Value f);  // the bits
  Value asF32(Value i);  // the bits
  Value roundEven(Value f);

  // Accurate to 1 unit in the last place or so, with plain arithmetic: drivers
  // may be off by far more in theirs (and SPIR-V allows it).
  /// 2^x for x <= 0. Below -126 the result is 0, -infinity included; NaN stays.
  Value exp2NonPositive(Value x);
  /// 2^x for any x: infinity on overflow, 0 below -126, NaN stays.
  Value exp2(Value x);
  /// e^x for any x, 0 where the result is below 2^-126.
  Value exp(Value x);

  // 16-bit elements as the low half of a word.
  Value halfFromF32(Value f); // round to nearest even, NaN and infinity kept
  Value bf16FromF32(Value f); // the same
  Value f32FromBf16(Value bits);
  Value f32FromF8(Value bits); // e4m3 in the low 8 bits
  /// Exact for every half, denormals included.
  virtual Value f32FromHalf(Value bits);

  // Structured control flow.
  void ifThen(Value cond, llvm::function_ref<void()> body);
  void ifElse(Value cond, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);
  /// for (iv = lower; iv < upper; iv += step), signed.
  void forRange(Value lower, Value upper, int64_t step,
                llvm::function_ref<void(Value)> body);
  void forRange(Value lower, Value upper, Value step,
                llvm::function_ref<void(Value)> body);
  /// The same with values carried from turn to turn.
  llvm::SmallVector<Value> forCarry(
      Value lower, Value upper, int64_t step, llvm::ArrayRef<Value> init,
      llvm::function_ref<llvm::SmallVector<Value>(Value, llvm::ArrayRef<Value>)>
          body);

protected:
  /// Where constants go: the first block of the function.
  void setEntry(mlir::Block *block) { entry = block; }

  mlir::ImplicitLocOpBuilder b;

private:
  Value cached(mlir::TypedAttr attr);
  mlir::Type shaped(mlir::Type element);
  Value exp2Reduced(Value n, Value fraction);

  mlir::Block *entry = nullptr;
  int64_t lanes = 0;
  llvm::DenseMap<mlir::Attribute, Value> constants;
};

} // namespace agt::codegen

#endif // AGT_CODEGEN_COMMON_VALUEBUILDER_H
