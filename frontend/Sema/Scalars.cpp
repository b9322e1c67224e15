// Numbers, bools, strings and lists: folded where they are known. In a graph an
// int may depend on dims, and a float on such ints; comparisons and logic need
// known values, because nothing in a graph branches at run time.
#include "frontend/Sema/ExprChecker.h"

#include <cmath>

using namespace agt;
using namespace agt::sema;

static Value knownOnlyAtRunTime(ExprChecker &checker, llvm::StringRef name,
                                llvm::SMRange range) {
  return checker.error(range, "'" + name +
                                  "' needs values known when the program is "
                                  "compiled");
}

/// In a type, where nothing is computed in floats.
static Value floatOfDims(ExprChecker &checker, llvm::SMRange range) {
  return checker.error(range, "a dim is made of ints, got a float");
}

/// a op b of doubles; nothing for an op that has no float form.
static std::optional<double> fold(Op op, double a, double b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::Div:
    return a / b;
  case Op::Rem:
    return std::fmod(a, b);
  case Op::Max:
    return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
  case Op::Min:
    return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  default:
    return std::nullopt;
  }
}

static Dim fold(DimContext &dims, Op op, Dim a, Dim b) {
  switch (op) {
  case Op::Add:
    return dims.add(a, b);
  case Op::Sub:
    return dims.sub(a, b);
  case Op::Mul:
    return dims.mul(a, b);
  case Op::Div:
    return dims.div(a, b);
  case Op::Rem:
    return dims.rem(a, b);
  case Op::Max:
    return dims.max(a, b);
  default:
    return dims.min(a, b);
  }
}

/// A divisor that is not known is checked when the graph runs.
bool ExprChecker::requireDivisor(Op op, const Operand &divisor) {
  Dim dim = divisor.value.dim;
  if (!graph || dim->constant() || (op != Op::Div && op != Op::Rem))
    return true;
  Dim square = dims.mul(dim, dim); // it may be negative
  return !square || graph->requireLessOrEqual(
                        dims.constant(1), square, divisor.range,
                        "cannot divide by " + dim->str() + ", which is 0");
}

Value ExprChecker::scalarBinary(Op op, llvm::StringRef name, const Operand &a,
                                const Operand &b, llvm::SMRange range) {
  const Value &x = a.value, &y = b.value;
  auto refuse = [&](const Operand &operand, llvm::StringRef expected) {
    return error(operand.range, "'" + name + "' takes " + expected + ", got " +
                                    describe(operand.value));
  };
  if (op == Op::And || op == Op::Or) {
    for (const Operand *operand : {&a, &b})
      if (operand->value.kind != Value::Bool)
        return refuse(*operand, "bools");
    return Value::ofBool(op == Op::And ? x.integer && y.integer
                                       : x.integer || y.integer);
  }
  if (x.kind == Value::Duration && y.kind == Value::Duration &&
      (op == Op::Add || op == Op::Sub)) {
    Value result = x;
    bool overflow =
        op == Op::Add ? llvm::AddOverflow(x.integer, y.integer, result.integer)
                      : llvm::SubOverflow(x.integer, y.integer, result.integer);
    return overflow ? error(range, "integer overflow") : result;
  }
  for (const Operand *operand : {&a, &b})
    if (!operand->value.isNumber())
      return refuse(*operand, graph ? "tensors and numbers" : "numbers");
  if (x.isInt() && y.isInt() && !requireDivisor(op, b))
    return Value::poison();
  if (x.isInt() && y.isInt())
    return intOrError(fold(dims, op, x.dim, y.dim), range);
  if (x.constantNumber() && y.constantNumber())
    return Value::ofFloat(*fold(op, *x.constantNumber(), *y.constantNumber()));
  if (!graph)
    return floatOfDims(*this, range);
  Inst inst(Op::NumberFunction, range);
  inst.function = op;
  inst.operands = {graph->asNumber(x, a.range), graph->asNumber(y, b.range)};
  return graph->emitNumber(std::move(inst));
}

static std::optional<double> fold(Op op, double x) {
  switch (op) {
  case Op::Neg:
    return -x;
  case Op::Abs:
    return std::fabs(x);
  case Op::Exp:
    return std::exp(x);
  case Op::Log:
    return std::log(x);
  case Op::Sqrt:
    return std::sqrt(x);
  case Op::Rsqrt:
    return 1 / std::sqrt(x);
  case Op::Tanh:
    return std::tanh(x);
  case Op::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Op::Silu:
    return x / (1 + std::exp(-x));
  case Op::Gelu:
    return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
  case Op::GeluTanh:
    return x / 2 *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  case Op::Relu:
    return std::isnan(x) ? x : std::max(x, 0.0);
  case Op::Cos:
    return std::cos(x);
  case Op::Sin:
    return std::sin(x);
  default:
    return std::nullopt;
  }
}

/// The functions of one f64 that lowered code computes.
static bool hasNumberForm(Op op) {
  switch (op) {
  case Op::Neg:
  case Op::Abs:
  case Op::Exp:
  case Op::Log:
  case Op::Sqrt:
  case Op::Rsqrt:
  case Op::Tanh:
  case Op::Cos:
  case Op::Sin:
    return true;
  default:
    return false;
  }
}

Value ExprChecker::scalarUnary(Op op, llvm::StringRef name, const Operand &a,
                               llvm::SMRange range) {
  const Value &x = a.value;
  if (op == Op::Not) {
    if (x.kind != Value::Bool)
      return error(a.range, "'!' takes a bool, got " + describe(x));
    return Value::ofBool(!x.integer);
  }
  if (!x.isNumber())
    return error(a.range, "'" + name + "' takes " +
                              (graph ? "a tensor or " : "") + "a number, got " +
                              describe(x));
  if (x.isInt() && op == Op::Neg)
    return intOrError(dims.sub(dims.constant(0), x.dim), range);
  if (x.isInt() && (op == Op::Abs || op == Op::Relu)) {
    Dim other =
        op == Op::Abs ? dims.sub(dims.constant(0), x.dim) : dims.constant(0);
    return intOrError(dims.max(x.dim, other), range);
  }
  if (std::optional<double> number = x.constantNumber())
    return Value::ofFloat(*fold(op, *number));
  if (!graph)
    return floatOfDims(*this, range);
  if (!hasNumberForm(op))
    return knownOnlyAtRunTime(*this, name, a.range);
  Inst inst(Op::NumberFunction, range);
  inst.function = op;
  inst.operands = {graph->asNumber(x, a.range)};
  return graph->emitNumber(std::move(inst));
}

template <typename T> static bool holds(ast::CompareOp op, T a, T b) {
  switch (op) {
  case ast::CompareOp::Eq:
    return a == b;
  case ast::CompareOp::Ne:
    return a != b;
  case ast::CompareOp::Lt:
    return a < b;
  case ast::CompareOp::Le:
    return a <= b;
  case ast::CompareOp::Gt:
    return a > b;
  case ast::CompareOp::Ge:
    return a >= b;
  }
  return false;
}

Value ExprChecker::scalarCompare(ast::CompareOp op, const Operand &a,
                                 const Operand &b, llvm::SMRange range) {
  const Value &x = a.value, &y = b.value;
  llvm::StringRef name = ast::spelling(op);
  bool equality = op == ast::CompareOp::Eq || op == ast::CompareOp::Ne;
  if (x.isNumber() && y.isNumber()) {
    if (!x.isConstant() || !y.isConstant())
      return knownOnlyAtRunTime(*this, name, range);
    if (x.isInt() && y.isInt())
      return Value::ofBool(holds(op, *x.constantInt(), *y.constantInt()));
    return Value::ofBool(holds(op, *x.constantNumber(), *y.constantNumber()));
  }
  bool sameKind = x.kind == y.kind && x.decl == y.decl;
  if (sameKind && x.kind == Value::Duration)
    return Value::ofBool(holds(op, x.integer, y.integer));
  if (sameKind && equality && x.kind == Value::Bool)
    return Value::ofBool(holds(op, x.integer, y.integer));
  if (sameKind && equality &&
      (x.kind == Value::String || x.kind == Value::EnumValue ||
       x.kind == Value::DTypeName))
    return Value::ofBool(holds(op, llvm::StringRef(x.text).compare(y.text), 0));
  return error(range, "'" + name + "' cannot compare " + describe(x) +
                          " with " + describe(y));
}
