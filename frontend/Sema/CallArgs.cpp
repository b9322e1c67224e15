// Binds the arguments of a call of a builtin function to its parameters.
#include "frontend/Sema/Builtins.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace agt;
using namespace agt::sema;
using llvm::dyn_cast;

CallArgs::CallArgs(ExprChecker &checker, const Builtin &builtin,
                   const ast::CallExpr &call)
    : checker(checker), builtin(builtin), call(call),
      exprs(builtin.params.size(), nullptr), values(builtin.params.size()) {}

llvm::StringRef CallArgs::name() const { return builtin.name; }

llvm::StringRef CallArgs::paramName(unsigned param) const {
  return builtin.params[param].name;
}

llvm::SMRange CallArgs::range(unsigned param) const {
  return exprs[param] ? exprs[param]->range : call.range;
}

//===----------------------------------------------------------------------===//
// Which argument is which
//===----------------------------------------------------------------------===//

bool CallArgs::assignNamed(const ast::Arg &arg) {
  std::vector<llvm::StringRef> names;
  for (const Param &param : builtin.params)
    names.push_back(param.name);
  auto found = llvm::find(names, arg.name.text);
  if (found == names.end()) {
    checker.error(arg.name.range, "'" + builtin.name + "' has no argument '" +
                                      arg.name.text + "'" +
                                      didYouMean(arg.name.text, names));
    return false;
  }
  const ast::Expr *&slot = exprs[found - names.begin()];
  if (slot) {
    checker.diags
        .error(arg.name.range,
               "argument '" + arg.name.text + "' is given twice")
        .note(slot->range, "first given here");
    return false;
  }
  slot = arg.value;
  return true;
}

bool CallArgs::assign() {
  unsigned next = 0, positional = 0;
  for (const Param &param : builtin.params)
    positional += !param.named;
  bool ok = true, sawNamed = false;
  for (const ast::Arg &arg : call.args) {
    if (arg.name) {
      ok &= assignNamed(arg);
      sawNamed = true;
      continue;
    }
    if (sawNamed) {
      checker.error(arg.value->range,
                    "an argument without a name cannot follow a named one");
      return false;
    }
    if (next < positional && builtin.params[next].kind == ParamKind::Tensors) {
      listExprs.push_back(arg.value);
      exprs[next] = arg.value;
      continue;
    }
    if (next >= positional) {
      bool more = positional < builtin.params.size();
      checker.error(arg.value->range,
                    "'" + builtin.name + "' takes " + llvm::Twine(positional) +
                        (positional == 1 ? " argument" : " arguments") +
                        (more ? " without a name" : "") + ", got " +
                        llvm::Twine(llvm::count_if(
                            call.args, [](auto &a) { return !a.name; })));
      return false;
    }
    exprs[next++] = arg.value;
  }
  return ok;
}

bool CallArgs::checkMissing() {
  for (unsigned i = 0; i < exprs.size(); ++i)
    if (builtin.params[i].required && !exprs[i]) {
      checker.error(call.closeRange, "'" + builtin.name +
                                         "' needs the argument '" +
                                         builtin.params[i].name + "'");
      return false;
    }
  return true;
}

bool CallArgs::bind() {
  bool ok = assign() && checkMissing();
  if (!ok)
    return false;
  for (unsigned i = 0; i < exprs.size(); ++i) {
    if (!exprs[i])
      continue;
    if (builtin.params[i].kind != ParamKind::Tensors) {
      ok &= evaluate(i, *exprs[i], values[i]);
      continue;
    }
    for (const ast::Expr *expr : listExprs) {
      Operand operand{Value(), expr->range};
      ok &= evaluate(i, *expr, operand.value);
      list.push_back(operand);
    }
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

bool CallArgs::expected(unsigned param, const ast::Expr &expr,
                        const llvm::Twine &what, const Value &got) {
  checker.error(expr.range, "argument '" + builtin.params[param].name +
                                "' of '" + builtin.name + "' must be " + what +
                                ", got " + describe(got));
  return false;
}

static std::string dimsText(unsigned least, unsigned most) {
  std::string text =
      least == most || most == ~0u
          ? std::to_string(least)
          : std::to_string(least) + " to " + std::to_string(most);
  if (most == ~0u)
    text = "at least " + text;
  return text + (text == "1" || text == "at least 1" ? " dim" : " dims");
}

bool CallArgs::checkTensor(unsigned index, const ast::Expr &expr,
                           const Value &value) {
  const Param &param = builtin.params[index];
  if (!value.isTensor() || !contains(param.dtypes, value.tensor.dtype)) {
    bool castable = value.isTensor() && (param.dtypes & numberDTypes);
    checker.error(expr.range,
                  "argument '" + param.name + "' of '" + builtin.name +
                      "' must be " + describeTensors(param.dtypes) + ", got " +
                      describe(value) + (castable ? "; use 'cast'" : ""));
    return false;
  }
  size_t rank = value.tensor.rank();
  if (rank >= param.minRank && rank <= param.maxRank)
    return true;
  return expected(index, expr,
                  "a tensor of " + dimsText(param.minRank, param.maxRank),
                  value);
}

bool CallArgs::evaluateWord(const Param &param, const ast::Expr &expr,
                            Value &value,
                            llvm::ArrayRef<llvm::StringRef> words) {
  const auto *name = dyn_cast<ast::NameRef>(&expr);
  if (name && llvm::is_contained(words, name->name.text)) {
    value = Value::ofString(name->name.text.str());
    return true;
  }
  std::string got, suggestion;
  if (name) {
    got = ", got '" + name->name.text.str() + "'";
    suggestion = didYouMean(name->name.text, words);
  }
  checker.error(expr.range, "argument '" + param.name + "' of '" +
                                builtin.name + "' must be " + oneOf(words) +
                                got + suggestion);
  return false;
}

bool CallArgs::evaluateList(ParamKind kind, const ast::Expr &expr,
                            Value &value) {
  bool axes = kind == ParamKind::Axes;
  const auto *list = dyn_cast<ast::ListExpr>(&expr);
  if (!list) {
    checker.error(expr.range, "'" + builtin.name + "' takes " +
                                  (axes ? "an order of axes, such as [1, 0]"
                                        : "a shape, such as [2, 3]"));
    return false;
  }
  value.kind = Value::List;
  bool ok = true;
  for (const ast::Expr *element : list->elements) {
    Value number = checker.check(*element);
    ok &= !number.isPoison();
    if (!number.isPoison() &&
        !(axes ? number.constantInt().has_value() : number.isInt())) {
      checker.error(element->range, std::string("expected an int as ") +
                                        (axes ? "an axis" : "a dim") +
                                        ", got " + describe(number));
      ok = false;
    } else if (!axes && number.constantInt().value_or(0) < -1) {
      checker.error(element->range,
                    "a dim cannot be negative, got " + number.dim->str());
      ok = false;
    }
    value.elements.push_back(number);
  }
  return ok;
}

bool CallArgs::evaluate(unsigned index, const ast::Expr &expr, Value &value) {
  const Param &param = builtin.params[index];
  switch (param.kind) {
  case ParamKind::Word:
    return evaluateWord(param, expr, value, param.words);
  case ParamKind::DType:
    // A model's dtype (`M.weights`), or one of the words.
    if (expr.kind == ast::NodeKind::MemberExpr) {
      value = checker.check(expr);
      return value.isPoison() ? false
             : value.kind == Value::DTypeName
                 ? true
                 : expected(index, expr, "a dtype", value);
    }
    return evaluateWord(param, expr, value, dtypeNames());
  case ParamKind::Shape:
  case ParamKind::Axes:
    return evaluateList(param.kind, expr, value);
  default:
    break;
  }
  value = checker.check(expr);
  if (value.isPoison())
    return false;
  // `b = none` is the same as no `b`.
  if (value.kind == Value::None && !param.required) {
    exprs[index] = nullptr;
    return true;
  }
  std::string least = param.least == INT64_MIN
                          ? ""
                          : " of at least " + std::to_string(param.least);
  switch (param.kind) {
  case ParamKind::Tensor:
  case ParamKind::Tensors:
    return checkTensor(index, expr, value);
  case ParamKind::Element:
    return value.isTensor() || value.isNumber() || value.kind == Value::Bool ||
           expected(index, expr, "a tensor or a number", value);
  case ParamKind::Int:
  case ParamKind::Axis:
  case ParamKind::Size:
    if (!value.isInt())
      return expected(index, expr, "an int" + least, value);
    if (!value.constantInt())
      return param.kind == ParamKind::Size ||
             expected(index, expr, "an int known when the program is compiled",
                      value);
    return *value.constantInt() >= param.least ||
           expected(index, expr, "an int" + least, value);
  case ParamKind::Number:
    if (value.isNumber() && !value.constantNumber())
      return expected(index, expr,
                      "a number known when the program is compiled", value);
    return value.isNumber() || expected(index, expr, "a number", value);
  case ParamKind::RuntimeNumber:
    return value.isNumber() || expected(index, expr, "a number", value);
  case ParamKind::Bool:
    return value.kind == Value::Bool || expected(index, expr, "a bool", value);
  case ParamKind::Cache:
    return value.kind == Value::Cache ||
           expected(index, expr, "a cache, a parameter kv<M>", value);
  case ParamKind::Mask:
    return value.kind == Value::Mask ||
           (value.isTensor() && value.tensor.dtype == DType::Bool) ||
           expected(index, expr, "a mask or a bool tensor", value);
  default:
    return true;
  }
}

//===----------------------------------------------------------------------===//
// What functions ask
//===----------------------------------------------------------------------===//

ValueId CallArgs::id(unsigned param) const {
  return has(param) ? values[param].id : noValue;
}

int64_t CallArgs::integer(unsigned param) const {
  return has(param) ? *values[param].constantInt()
                    : int64_t(builtin.params[param].byDefault);
}

double CallArgs::number(unsigned param) const {
  return has(param) ? *values[param].constantNumber()
                    : builtin.params[param].byDefault;
}

/// Kernels multiply by log2(e) besides, which must not overflow f32.
static constexpr double largestFactor = 0x1p127;

std::optional<double> CallArgs::positive(unsigned param) const {
  double value = number(param);
  if (value >= std::numeric_limits<float>::min() && value <= largestFactor)
    return value;
  error(param, "'" + paramName(param) + "' must be " +
                   (value > 0 ? "within about 1.2e-38 to 1.7e38, for f32"
                              : "above 0"));
  return std::nullopt;
}

bool CallArgs::fitsF32(unsigned param) const {
  std::optional<double> value = values[param].constantNumber();
  if (!value || std::fabs(*value) <= largestFactor)
    return true;
  error(param, "'" + paramName(param) +
                   "' must be no further from 0 than about 1.7e38, for f32");
  return false;
}

bool CallArgs::boolean(unsigned param, bool byDefault) const {
  return has(param) ? values[param].integer != 0 : byDefault;
}

std::optional<int64_t> CallArgs::axis(unsigned param, size_t rank) const {
  int64_t axis = integer(param), dims = rank;
  if (axis >= -dims && axis < dims)
    return axis < 0 ? axis + dims : axis;
  std::string allowed = dims == 0 ? "which has none"
                                  : "expected " + std::to_string(-dims) +
                                        " to " + std::to_string(dims - 1);
  error(param, "axis " + llvm::Twine(axis) + " is outside a tensor of " +
                   llvm::Twine(dims) + (dims == 1 ? " dim, " : " dims, ") +
                   allowed);
  return std::nullopt;
}

Value CallArgs::error(unsigned param, const llvm::Twine &message) const {
  return checker.error(range(param), message);
}

bool CallArgs::sameDim(unsigned param, Dim got, const llvm::Twine &what,
                       Dim expected, const llvm::Twine &source) const {
  std::string before = (what + " is ").str(), after = (", " + source).str();
  if (checker.graph->requireEqual(got, expected, range(param),
                                  before + "{0}, expected {1}" + after))
    return true;
  differ(param, before + got->str() + ", expected " + expected->str() + after,
         after);
  return false;
}

/// An error about `param`, with a note at the other argument whose name stands
/// in quotes in `source`.
void CallArgs::differ(unsigned param, const llvm::Twine &message,
                      llvm::StringRef source) const {
  auto diag = checker.diags.error(range(param), message);
  llvm::StringRef name = source.split('\'').second.split('\'').first;
  for (unsigned i = 0; i < exprs.size(); ++i)
    if (i != param && has(i) && paramName(i) == name)
      diag.note(range(i), "'" + name + "' is " + describe(values[i]));
}

std::optional<TensorType> CallArgs::result(DType dtype, Shape shape) const {
  TensorType type{dtype, std::move(shape)};
  if (!checker.checker.checkSize(type, call.range))
    return std::nullopt;
  return type;
}
