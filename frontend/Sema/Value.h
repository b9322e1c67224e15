// What an expression stands for while it is checked: a tensor, a number that
// may depend on dims, or something known when the program is compiled.
#ifndef AGT_FRONTEND_SEMA_VALUE_H
#define AGT_FRONTEND_SEMA_VALUE_H

#include "frontend/Sema/CheckedGraph.h"

namespace agt::sema {

/// A mask of attention: everything in it must hold.
struct MaskSpec {
  AttentionArgs::Causal causal = AttentionArgs::None;
  bool window = false;
  std::optional<int64_t> left, right;
  std::vector<ValueId> tensors;
};

struct Value {
  enum Kind {
    /// An error was reported; nothing more is said about it.
    Poison,
    None,
    /// `id` of type `tensor`.
    Tensor,
    /// `dim`.
    Int,
    /// f64: `number` if known, else `id`.
    Float,
    /// Known.
    Bool,
    String,
    Duration,
    /// A value `text` of the enum `decl`.
    EnumValue,
    /// A dtype as a model's field.
    DTypeName,
    List,
    Tuple,
    Mask,
    /// The parameter number `id`, a kv<M>; `tensor` is the type of its
    /// positions, `decl` is M.
    Cache,
  };
  Kind kind = Poison;
  TensorType tensor;
  ValueId id = noValue;
  Dim dim = nullptr;
  std::optional<double> number;
  /// Of Bool, and of Duration in nanoseconds.
  int64_t integer = 0;
  std::string text;
  const ast::Decl *decl = nullptr;
  std::vector<Value> elements;
  std::shared_ptr<MaskSpec> mask;

  bool isPoison() const { return kind == Poison; }
  bool isTensor() const { return kind == Tensor; }
  bool isInt() const { return kind == Int; }
  bool isFloat() const { return kind == Float; }
  bool isNumber() const { return isInt() || isFloat(); }
  std::optional<int64_t> constantInt() const {
    return isInt() ? dim->constant() : std::nullopt;
  }
  /// The number of an int or float that is known.
  std::optional<double> constantNumber() const {
    if (std::optional<int64_t> value = constantInt())
      return double(*value);
    return isFloat() ? number : std::nullopt;
  }
  /// Whether nothing about it depends on a run.
  bool isConstant() const;

  static Value poison() { return Value(); }
  static Value ofTensor(TensorType type, ValueId id);
  static Value ofInt(Dim dim);
  static Value ofFloat(double number);
  static Value ofNumber(ValueId id);
  static Value ofBool(bool value);
  static Value ofString(std::string text);
  static Value ofMask(MaskSpec mask);
  static Value ofCache(TensorType positions, ValueId param,
                       const ast::Decl *model);
  static Value ofTuple(std::vector<Value> elements);
};

/// "tensor<f32, [T]>", "an int", "a string", ... for "expected a, got b".
std::string describe(const Value &value);

} // namespace agt::sema

#endif
