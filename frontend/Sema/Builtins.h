// The functions that graphs may call, as one table: names, parameters in order,
// what each takes, defaults. Binding arguments to parameters and the errors
// about them (unknown, missing, twice, too many, of the wrong kind) are the
// same for all; a function's own code sees values that have the kinds it asked
// for.
#ifndef AGT_FRONTEND_SEMA_BUILTINS_H
#define AGT_FRONTEND_SEMA_BUILTINS_H

#include "frontend/Sema/ExprChecker.h"

namespace agt::sema {

enum class ParamKind : uint8_t {
  /// A tensor of `dtypes` and minRank to maxRank dims.
  Tensor,
  /// Any number of tensors.
  Tensors,
  /// A tensor, a number or a bool.
  Element,
  /// An int known when the program is compiled, at least `least`.
  Int,
  /// An int that may depend on dims.
  Size,
  /// An axis; the function checks it against a rank.
  Axis,
  /// A number known when the program is compiled.
  Number,
  /// A number that may depend on dims.
  RuntimeNumber,
  Bool,
  DType,
  /// A list of sizes, of which one may be -1.
  Shape,
  /// A list of axes, known when the program is compiled.
  Axes,
  Mask,
  /// A parameter kv<M>.
  Cache,
  /// One of `words`.
  Word,
};

struct Param {
  llvm::StringRef name;
  ParamKind kind;
  bool required = true;
  /// Only as `name = value`.
  bool named = false;
  DTypeSet dtypes = anyDType;
  unsigned minRank = 0;
  unsigned maxRank = ~0u;
  int64_t least = INT64_MIN;
  /// What an absent number is.
  double byDefault = 0;
  llvm::ArrayRef<llvm::StringRef> words = {};
};

/// The arguments of one call, by parameter.
class CallArgs {
public:
  CallArgs(ExprChecker &checker, const Builtin &builtin,
           const ast::CallExpr &call);

  /// Evaluates and checks all arguments; false after an error.
  bool bind();

  bool has(unsigned param) const { return exprs[param] != nullptr; }
  const Value &operator[](unsigned param) const { return values[param]; }
  Operand operand(unsigned param) const {
    return {values[param], range(param)};
  }
  /// Of the argument, or of the call where it is absent.
  llvm::SMRange range(unsigned param) const;
  llvm::SMRange callRange() const { return call.range; }
  llvm::StringRef name() const;
  llvm::StringRef paramName(unsigned param) const;

  /// The tensor's id, or noValue where it is absent.
  ValueId id(unsigned param) const;
  const TensorType &type(unsigned param) const { return values[param].tensor; }
  int64_t integer(unsigned param) const;
  double number(unsigned param) const;
  /// A number above 0 that f32 can multiply by; nothing, with an error, for
  /// another.
  std::optional<double> positive(unsigned param) const;
  /// False, with an error, for a number that is infinite as f32.
  bool fitsF32(unsigned param) const;
  bool boolean(unsigned param, bool byDefault) const;
  llvm::StringRef word(unsigned param) const { return values[param].text; }
  /// The axis from 0; nothing, with an error, outside a tensor of that rank.
  std::optional<int64_t> axis(unsigned param, size_t rank) const;

  Value error(unsigned param, const llvm::Twine &message) const;
  /// Checks `got`, which stands for `what` ("dim 0 of 'w'"), against
  /// `expected` ("the last dim of 'x'").
  bool sameDim(unsigned param, Dim got, const llvm::Twine &what, Dim expected,
               const llvm::Twine &source) const;
  void differ(unsigned param, const llvm::Twine &message,
              llvm::StringRef source) const;
  /// The type of a result, checked for size.
  std::optional<TensorType> result(DType dtype, Shape shape) const;

  ExprChecker &checker;
  /// Of a parameter of kind Tensors.
  std::vector<Operand> list;

private:
  bool assign();
  bool assignNamed(const ast::Arg &arg);
  bool checkMissing();
  bool evaluate(unsigned param, const ast::Expr &expr, Value &value);
  bool checkTensor(unsigned param, const ast::Expr &expr, const Value &value);
  bool evaluateList(ParamKind kind, const ast::Expr &expr, Value &value);
  bool evaluateWord(const Param &param, const ast::Expr &expr, Value &value,
                    llvm::ArrayRef<llvm::StringRef> words);
  bool expected(unsigned param, const ast::Expr &expr, const llvm::Twine &what,
                const Value &got);

  const Builtin &builtin;
  const ast::CallExpr &call;
  std::vector<const ast::Expr *> exprs;
  std::vector<const ast::Expr *> listExprs;
  std::vector<Value> values;
};

using BuiltinFunction = Value (*)(CallArgs &args);

struct Builtin {
  llvm::StringRef name;
  llvm::ArrayRef<Param> params;
  BuiltinFunction check;
  /// Takes numbers alone as well, and so may stand in a const.
  bool scalar = false;
};

const Builtin *findBuiltin(llvm::StringRef name);
std::vector<llvm::StringRef> builtinNames();

// Parts of the table, by file.
llvm::ArrayRef<Builtin> elementwiseBuiltins();
llvm::ArrayRef<Builtin> computeBuiltins();
llvm::ArrayRef<Builtin> shapeBuiltins();
llvm::ArrayRef<Builtin> attentionBuiltins();
llvm::ArrayRef<Builtin> cacheBuiltins();

// Builders of the table's rows.
constexpr Param tensorParam(llvm::StringLiteral name,
                            DTypeSet dtypes = anyDType, unsigned minRank = 0,
                            unsigned maxRank = ~0u) {
  Param param{name, ParamKind::Tensor};
  param.dtypes = dtypes;
  param.minRank = minRank;
  param.maxRank = maxRank;
  return param;
}
constexpr Param param(llvm::StringLiteral name, ParamKind kind) {
  return Param{name, kind};
}
constexpr Param intParam(llvm::StringLiteral name, int64_t least) {
  Param param{name, ParamKind::Int};
  param.least = least;
  return param;
}
constexpr Param optional(Param param, double byDefault = 0) {
  param.required = false;
  param.byDefault = byDefault;
  return param;
}
constexpr Param named(Param param) {
  param.named = true;
  return param;
}

} // namespace agt::sema

#endif
