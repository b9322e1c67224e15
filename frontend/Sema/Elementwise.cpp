// Functions element by element on tensors: literals take the dtype of what they
// meet, dtypes are equal otherwise, shapes broadcast as NumPy's do. A dim that
// is the literal 1 stretches; two dims that are not known to be equal must be,
// when the program runs.
#include "frontend/Sema/ExprChecker.h"

using namespace agt;
using namespace agt::sema;

std::string agt::sema::dimPair(Dim a, Dim b) {
  if (a->constant())
    return b->str() + " is {1}, not " + a->str();
  if (b->constant())
    return a->str() + " is {0}, not " + b->str();
  return a->str() + " is {0}, " + b->str() + " is {1}";
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::optional<Shape> ExprChecker::broadcast(llvm::ArrayRef<Dim> a,
                                            llvm::ArrayRef<Dim> b,
                                            llvm::SMRange range) {
  Dim one = dims.constant(1);
  Shape result(std::max(a.size(), b.size()), one);
  std::string shapes =
      "shapes " + shapeText(a) + " and " + shapeText(b) + " do not broadcast: ";
  for (size_t i = 0; i < result.size(); ++i) {
    Dim x = i < a.size() ? a[a.size() - 1 - i] : one;
    Dim y = i < b.size() ? b[b.size() - 1 - i] : one;
    Dim &z = result[result.size() - 1 - i];
    if (x == one || y == one) {
      z = x == one ? y : x;
      continue;
    }
    if (!graph->requireEqual(x, y, range, shapes + dimPair(x, y))) {
      error(range, shapes + x->str() + " against " + y->str());
      return std::nullopt;
    }
    z = y->constant() ? y : x;
  }
  return result;
}

bool ExprChecker::broadcastsTo(llvm::ArrayRef<Dim> shape,
                               llvm::ArrayRef<Dim> target, llvm::SMRange range,
                               llvm::StringRef what) {
  std::string text = what.str() + " of shape " + shapeText(shape) +
                     " does not broadcast to " + shapeText(target);
  if (shape.size() > target.size()) {
    error(range, text);
    return false;
  }
  Dim one = dims.constant(1);
  llvm::ArrayRef<Dim> last = target.take_back(shape.size());
  for (auto [x, y] : llvm::zip(shape, last))
    if (x != one &&
        !graph->requireEqual(x, y, range, text + ": " + dimPair(x, y))) {
      error(range, text + ": " + x->str() + " against " + y->str());
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Dtypes
//===----------------------------------------------------------------------===//

static bool fits(int64_t value, DType dtype) {
  switch (dtype) {
  case DType::I8:
    return value == int8_t(value);
  case DType::I32:
    return value == int32_t(value);
  default:
    return true;
  }
}

ValueId ExprChecker::scalarTensor(const Operand &scalar, DType dtype) {
  const Value &value = scalar.value;
  std::string name = dtypeName(dtype).str();
  bool boolean = value.kind == Value::Bool;
  if (boolean != (dtype == DType::Bool) || (!boolean && !value.isNumber()) ||
      dtype == DType::F8E4M3) {
    error(scalar.range, describe(value) + " cannot become " + name);
    return noValue;
  }
  if (value.isFloat() && !isFloat(dtype)) {
    error(scalar.range,
          "a float cannot become " + name + "; use 'cast' on the tensor");
    return noValue;
  }
  if (value.constantInt() && !fits(*value.constantInt(), dtype)) {
    error(scalar.range, value.dim->str() + " does not fit " + name);
    return noValue;
  }
  Inst inst(Op::Scalar, scalar.range);
  if (value.isFloat())
    inst.operands = {graph->asNumber(value, scalar.range)};
  else
    inst.dims = {boolean ? dims.constant(value.integer) : value.dim};
  return graph->emit(std::move(inst), TensorType{dtype, {}}).id;
}

/// Converts a literal beside a tensor and checks that dtypes are equal and
/// allowed.
bool ExprChecker::meetDTypes(llvm::StringRef name, Operand &a, Operand &b,
                             DTypeSet allowed, llvm::SMRange range) {
  for (const Operand *operand : {&a, &b}) {
    const Value &value = operand->value;
    if (!value.isTensor() || contains(allowed, value.tensor.dtype))
      continue;
    error(operand->range, "'" + name + "' takes " + describeTensors(allowed) +
                              ", got " + describe(value));
    return false;
  }
  for (auto [scalar, tensor] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (scalar->value.isTensor())
      continue;
    DType dtype = tensor->value.tensor.dtype;
    ValueId id = scalarTensor(*scalar, dtype);
    if (id == noValue)
      return false;
    scalar->value = Value::ofTensor(TensorType{dtype, {}}, id);
  }
  DType x = a.value.tensor.dtype, y = b.value.tensor.dtype;
  if (x == y)
    return true;
  error(range, "'" + name + "' takes tensors of one dtype, got " +
                   dtypeName(x) + " and " + dtypeName(y) + "; use 'cast'");
  return false;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool canBeElement(const Value &value) {
  return value.isTensor() || value.isNumber() || value.kind == Value::Bool;
}

Value ExprChecker::tensorBinary(Op op, llvm::StringRef name, Operand a,
                                Operand b, DTypeSet allowed, Inst inst) {
  for (const Operand *operand : {&a, &b})
    if (!canBeElement(operand->value))
      return error(operand->range, "'" + name +
                                       "' takes tensors and numbers, "
                                       "got " +
                                       describe(operand->value));
  if (!meetDTypes(name, a, b, allowed, inst.range))
    return Value::poison();
  std::optional<Shape> shape =
      broadcast(a.value.tensor.shape, b.value.tensor.shape, inst.range);
  if (!shape)
    return Value::poison();
  TensorType type{op == Op::Compare ? DType::Bool : a.value.tensor.dtype,
                  *shape};
  if (!checker.checkSize(type, inst.range))
    return Value::poison();
  inst.operands = {a.value.id, b.value.id};
  return graph->emit(std::move(inst), std::move(type));
}

Value ExprChecker::binary(Op op, llvm::StringRef name, const Operand &a,
                          const Operand &b, llvm::SMRange range) {
  if (a.value.isPoison() || b.value.isPoison())
    return Value::poison();
  if (!a.value.isTensor() && !b.value.isTensor())
    return scalarBinary(op, name, a, b, range);
  bool logical = op == Op::And || op == Op::Or;
  return tensorBinary(op, name, a, b,
                      logical ? setOf(DType::Bool) : numberDTypes,
                      Inst(op, range));
}

Value ExprChecker::compare(ast::CompareOp op, const Operand &a,
                           const Operand &b, llvm::SMRange range) {
  if (a.value.isPoison() || b.value.isPoison())
    return Value::poison();
  if (!a.value.isTensor() && !b.value.isTensor())
    return scalarCompare(op, a, b, range);
  bool equality = op == ast::CompareOp::Eq || op == ast::CompareOp::Ne;
  Inst inst(Op::Compare, range);
  inst.compare = op;
  return tensorBinary(Op::Compare, ast::spelling(op), a, b,
                      equality ? numberDTypes | setOf(DType::Bool)
                               : numberDTypes,
                      std::move(inst));
}

static DTypeSet allowedFor(Op op) {
  switch (op) {
  case Op::Neg:
  case Op::Abs:
  case Op::Relu:
    return numberDTypes;
  case Op::Not:
    return setOf(DType::Bool);
  default:
    return floatDTypes;
  }
}

Value ExprChecker::unary(Op op, llvm::StringRef name, const Operand &a,
                         llvm::SMRange range) {
  if (a.value.isPoison())
    return Value::poison();
  if (!a.value.isTensor())
    return scalarUnary(op, name, a, range);
  DTypeSet allowed = allowedFor(op);
  if (!contains(allowed, a.value.tensor.dtype))
    return error(a.range, "'" + name + "' takes " + describeTensors(allowed) +
                              ", got " + describe(a.value));
  Inst inst(op, range);
  inst.operands = {a.value.id};
  return graph->emit(std::move(inst), a.value.tensor);
}

/// The dtype of two literals that meet nothing else.
static std::optional<DType> literalDType(const Value &a, const Value &b) {
  if (a.kind == Value::Bool && b.kind == Value::Bool)
    return DType::Bool;
  if (!a.isNumber() || !b.isNumber())
    return std::nullopt;
  return a.isFloat() || b.isFloat() ? DType::F32 : DType::I32;
}

Value ExprChecker::select(const Operand &condition, const Operand &a,
                          const Operand &b, llvm::SMRange range) {
  Operand x = a, y = b;
  if (!x.value.isTensor() && !y.value.isTensor()) {
    std::optional<DType> dtype = literalDType(x.value, y.value);
    if (!dtype)
      return error(y.range, "'where' takes two values of one type, got " +
                                describe(x.value) + " and " +
                                describe(y.value));
    ValueId id = scalarTensor(x, *dtype);
    if (id == noValue)
      return Value::poison();
    x.value = Value::ofTensor(TensorType{*dtype, {}}, id);
  }
  llvm::SMRange both(a.range.Start, b.range.End);
  if (!meetDTypes("where", x, y, numberDTypes | setOf(DType::Bool), both))
    return Value::poison();
  std::optional<Shape> values =
      broadcast(x.value.tensor.shape, y.value.tensor.shape, both);
  if (!values)
    return Value::poison();
  std::optional<Shape> shape =
      broadcast(condition.value.tensor.shape, *values, range);
  if (!shape)
    return Value::poison();
  TensorType type{x.value.tensor.dtype, *shape};
  if (!checker.checkSize(type, range))
    return Value::poison();
  Inst inst(Op::Select, range);
  inst.operands = {condition.value.id, x.value.id, y.value.id};
  return graph->emit(std::move(inst), std::move(type));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

static std::optional<MaskSpec> asMask(const Value &value) {
  if (value.kind == Value::Mask)
    return *value.mask;
  if (!value.isTensor() || value.tensor.dtype != DType::Bool)
    return std::nullopt;
  MaskSpec mask;
  mask.tensors.push_back(value.id);
  return mask;
}

static std::optional<int64_t> tighter(std::optional<int64_t> a,
                                      std::optional<int64_t> b) {
  if (!a || !b)
    return a ? a : b;
  return std::min(*a, *b);
}

Value ExprChecker::maskAnd(const Operand &a, const Operand &b,
                           llvm::SMRange range) {
  if (a.value.isPoison() || b.value.isPoison())
    return Value::poison();
  if (a.value.isTensor() && b.value.isTensor())
    return binary(Op::And, "&", a, b, range);
  std::optional<MaskSpec> x = asMask(a.value), y = asMask(b.value);
  for (auto [mask, operand] : {std::pair(&x, &a), std::pair(&y, &b)})
    if (!*mask)
      return error(operand->range, "'&' takes masks and bool tensors, got " +
                                       describe(operand->value));
  if (x->causal != AttentionArgs::None && y->causal != AttentionArgs::None &&
      x->causal != y->causal)
    return error(range, "a mask cannot be both causal(top_left) and "
                        "causal(bottom_right)");
  if (x->causal == AttentionArgs::None)
    x->causal = y->causal;
  x->left = tighter(x->left, y->left);
  x->right = tighter(x->right, y->right);
  x->window |= y->window;
  x->tensors.insert(x->tensors.end(), y->tensors.begin(), y->tensors.end());
  return Value::ofMask(std::move(*x));
}

//===----------------------------------------------------------------------===//
// Declared types
//===----------------------------------------------------------------------===//

Value ExprChecker::convert(const Operand &operand, const TensorType &expected,
                           llvm::StringRef what, llvm::SMRange declared,
                           llvm::StringRef note) {
  const Value &value = operand.value;
  auto mismatch = [&] {
    auto diag =
        diags.error(operand.range, what + ": expected " + expected.str() +
                                       ", got " + describe(value));
    if (declared.isValid())
      diag.note(declared, note);
    return Value::poison();
  };
  bool literal = value.isNumber() || value.kind == Value::Bool;
  if (literal && expected.rank() == 0) {
    ValueId id = scalarTensor(operand, expected.dtype);
    return id == noValue ? Value::poison() : Value::ofTensor(expected, id);
  }
  if (!value.isTensor() || value.tensor.dtype != expected.dtype ||
      value.tensor.rank() != expected.rank())
    return mismatch();
  for (auto [got, want] : llvm::zip(value.tensor.shape, expected.shape))
    if (!graph->requireEqual(got, want, operand.range,
                             what + ": expected " + expected.str() + ", got " +
                                 value.tensor.str() + ": " +
                                 dimPair(got, want)))
      return mismatch();
  return refine(value, expected, operand.range);
}

/// `value` under a type whose dims are equal. Only numbers show in lowered
/// types, so an instruction is needed where one of two equal dims is a number.
Value ExprChecker::refine(const Value &value, const TensorType &type,
                          llvm::SMRange range) {
  for (auto [got, want] : llvm::zip(value.tensor.shape, type.shape))
    if (got->constant() != want->constant()) {
      Inst inst(Op::Refine, range);
      inst.operands = {value.id};
      return graph->emit(std::move(inst), type);
    }
  return Value::ofTensor(type, value.id);
}
