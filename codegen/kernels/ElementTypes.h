// ElementTypes: how elements of each type stand in 32-bit words, and what a
// kernel computes with instead.
//
// In registers f32, f16, bf16 and f8e4m3 are f32, i8 and i32 are i32 (i8 is
// kept sign-extended), i64 is i64 and bool is i1. Conversions to narrower
// floats round to nearest even by integer arithmetic, so that subnormals
// survive on every device.
#ifndef AGT_CODEGEN_KERNELS_ELEMENTTYPES_H
#define AGT_CODEGEN_KERNELS_ELEMENTTYPES_H

#include "codegen/kernels/KernelBuilder.h"

#include "mlir/IR/BuiltinTypes.h"

namespace agt::kernels {

class ElementTypes {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  explicit ElementTypes(KernelBuilder &builder) : k(builder) {}

  static unsigned bitWidth(Type element); // in memory
  static unsigned perWord(Type element) {
    unsigned width = bitWidth(element);
    return width >= 32 ? 1 : 32 / width;
  }
  static bool isFloat(Type element) {
    return mlir::isa<mlir::FloatType>(element);
  }
  static bool isBool(Type element) { return element.isInteger(1); }
  static WordType wordType(Type element) {
    return element.isF32() ? WordType::F32 : WordType::I32;
  }
  /// What a register holds.
  Type computeType(Type element);

  /// A narrow element from the low bits of `bits` (what is above is ignored).
  Value decode(Type element, Value bits);
  /// The bits of a narrow element, zero above.
  Value encode(Type element, Value value);
  /// Rounds or wraps a register to the values its type has.
  Value settle(Type element, Value value);
  /// agt.cast.
  Value cast(Type from, Type to, Value value);

  Value constant(Type element, double value);
  Value integer(Type element, int64_t value);
  Value integerOf(Type type, int64_t value); // of a register type
  Value nanOrZero(Type element);
  Value shiftRightSigned(Value x, int64_t bits);

private:
  Value f8FromF32(Value value);
  Value floatToInteger(Type to, Value value);
  Value integerCast(Type from, Type to, Value value);

  KernelBuilder &k;
};

} // namespace agt::kernels

#endif // AGT_CODEGEN_KERNELS_ELEMENTTYPES_H
