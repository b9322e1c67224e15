#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/Builtins.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace agt;
using namespace agt::sema;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

Value ExprChecker::intOrError(Dim dim, llvm::SMRange range) {
  if (!dim)
    return error(range, dims.problem());
  return Value::ofInt(dim);
}

static llvm::StringRef constructName(ast::NodeKind kind) {
  switch (kind) {
  case ast::NodeKind::RangeExpr:
    return "a range";
  case ast::NodeKind::ParseCallExpr:
    return "'parse'";
  case ast::NodeKind::ComprehensionExpr:
    return "a comprehension";
  case ast::NodeKind::RecordLit:
    return "a record";
  case ast::NodeKind::ForkExpr:
    return "'fork'";
  case ast::NodeKind::JoinExpr:
    return "'join'";
  case ast::NodeKind::AskExpr:
    return "'ask'";
  case ast::NodeKind::ApproveExpr:
    return "'approve'";
  case ast::NodeKind::MatchExpr:
    return "'match'";
  case ast::NodeKind::ReceiveExpr:
    return "'receive'";
  default:
    return "this expression";
  }
}

// Recursion is bounded by the nesting limit of the parser: chains of operators
// are flat, and the postfix forms below take only names as their base.
Value ExprChecker::check(const ast::Expr &expr) {
  switch (expr.kind) {
  case ast::NodeKind::IntLit: {
    uint64_t value = cast<ast::IntLit>(expr).value;
    if (value > uint64_t(INT64_MAX))
      return error(expr.range, "integer overflow");
    return Value::ofInt(dims.constant(int64_t(value)));
  }
  case ast::NodeKind::FloatLit:
    return Value::ofFloat(cast<ast::FloatLit>(expr).value);
  case ast::NodeKind::DurationLit: {
    Value value;
    value.kind = Value::Duration;
    value.integer = cast<ast::DurationLit>(expr).nanoseconds;
    return value;
  }
  case ast::NodeKind::QuantityLit:
    return error(expr.range, "sizes, rates and frequencies can be used in "
                             "properties only");
  case ast::NodeKind::StringLit:
    return checkString(cast<ast::StringLit>(expr));
  case ast::NodeKind::BoolLit:
    return Value::ofBool(cast<ast::BoolLit>(expr).value);
  case ast::NodeKind::NoneLit: {
    Value value;
    value.kind = Value::None;
    return value;
  }
  case ast::NodeKind::NameRef:
    return checkName(cast<ast::NameRef>(expr).name);
  case ast::NodeKind::UnaryExpr:
    return checkUnary(cast<ast::UnaryExpr>(expr));
  case ast::NodeKind::ChainExpr:
    return checkChain(cast<ast::ChainExpr>(expr));
  case ast::NodeKind::CompareExpr: {
    const auto &compared = cast<ast::CompareExpr>(expr);
    Operand a = checkOperand(*compared.lhs), b = checkOperand(*compared.rhs);
    return compare(compared.op, a, b, expr.range);
  }
  case ast::NodeKind::MemberExpr:
    return checkMember(cast<ast::MemberExpr>(expr));
  case ast::NodeKind::IndexExpr:
    return checkIndex(cast<ast::IndexExpr>(expr));
  case ast::NodeKind::CallExpr:
    return checkCall(cast<ast::CallExpr>(expr), /*onSingle=*/false);
  case ast::NodeKind::OnMeshExpr:
    return checkOnMesh(cast<ast::OnMeshExpr>(expr));
  case ast::NodeKind::ListExpr:
    return checkElements(cast<ast::ListExpr>(expr).elements, Value::List);
  case ast::NodeKind::TupleExpr:
    return checkElements(cast<ast::TupleExpr>(expr).elements, Value::Tuple);
  default:
    return error(expr.range, constructName(expr.kind) +
                                 " cannot be used in a " +
                                 (graph ? "graph" : "const"));
  }
}

Value ExprChecker::checkElements(const std::vector<ast::Expr *> &elements,
                                 Value::Kind kind) {
  Value result;
  result.kind = kind;
  bool poison = false;
  for (const ast::Expr *element : elements) {
    result.elements.push_back(check(*element));
    poison |= result.elements.back().isPoison();
  }
  return poison ? Value::poison() : result;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::optional<Value> ExprChecker::maskWord(llvm::StringRef name) {
  if (!graph || name != "causal")
    return std::nullopt;
  MaskSpec mask;
  mask.causal = AttentionArgs::BottomRight;
  return Value::ofMask(mask);
}

Value ExprChecker::checkName(const ast::Ident &name) {
  if (scope)
    if (Local *local = scope->find(name.text))
      return local->value;
  if (signature) {
    auto found = signature->env.find(name.text);
    if (found != signature->env.end())
      return found->second ? Value::ofInt(found->second) : Value::poison();
  }
  if (std::optional<Value> value = maskWord(name.text))
    return *value;
  if (std::optional<Value> value = checker.globalValue(name.text))
    return *value;
  if (const ast::Decl *decl = checker.find(name.text))
    return error(name.range,
                 "'" + name.text + "' is " + kindOf(*decl) + ", not a value");
  if (findBuiltin(name.text))
    return error(name.range, "'" + name.text + "' is a function, not a value");
  std::vector<llvm::StringRef> candidates = checker.namesOf<ast::ConstDecl>();
  if (graph)
    candidates.push_back("causal");
  if (scope && checker.suggests())
    llvm::append_range(candidates, scope->names());
  if (signature && checker.suggests())
    for (const auto &entry : signature->env)
      candidates.push_back(entry.first());
  llvm::sort(candidates);
  return error(name.range, "unknown name '" + name.text + "'" +
                               didYouMean(name.text, candidates));
}

static const ast::NameRef *baseName(const ast::Expr *base) {
  return llvm::dyn_cast<ast::NameRef>(base);
}

Value ExprChecker::checkMember(const ast::MemberExpr &expr) {
  const ast::NameRef *base = baseName(expr.base);
  if (!base)
    return error(expr.member.range,
                 "'." + expr.member.text +
                     "' needs the name of a model or an enum before it");
  llvm::StringRef name = base->name.text;
  if (!scope || !scope->find(name)) {
    if (const auto *model = checker.findAs<ast::ModelDecl>(name))
      return checker.modelField(*model, expr.member);
    if (const auto *declared = checker.findAs<ast::EnumDecl>(name))
      return checker.enumValue(*declared, expr.member);
  }
  if (!checker.find(name) && (!scope || !scope->find(name)) &&
      (!signature || !signature->env.contains(name))) {
    std::vector<llvm::StringRef> candidates = checker.namesOf<ast::ModelDecl>();
    llvm::append_range(candidates, checker.namesOf<ast::EnumDecl>());
    return error(base->range,
                 "unknown name '" + name + "'" + didYouMean(name, candidates));
  }
  Value value = checkName(base->name);
  if (value.isPoison())
    return value;
  // The positions of its new tokens.
  if (value.kind == Value::Cache && expr.member.text == "pos")
    return Value::ofTensor(value.tensor, value.id);
  return error(expr.member.range,
               describe(value) + " has no member '" + expr.member.text + "'" +
                   (value.kind == Value::Cache ? ", expected 'pos'" : ""));
}

Value ExprChecker::checkIndex(const ast::IndexExpr &expr) {
  const ast::NameRef *base = baseName(expr.base);
  if (base && (!scope || !scope->find(base->name.text)))
    if (const auto *file = checker.findAs<ast::WeightsDecl>(base->name.text))
      return checkWeight(*file, expr);
  if (!base)
    return error(expr.range, "an index needs a name before it");
  Value value = checkName(base->name);
  if (value.isPoison())
    return value;
  if (value.isTensor())
    return error(expr.range, "a tensor has no index; use 'slice'");
  if (value.kind != Value::List || expr.indices.size() != 1)
    return error(expr.range, describe(value) + " has no index");
  std::optional<int64_t> index =
      checkConstantInt(*expr.indices[0], "the index of a list");
  if (!index)
    return Value::poison();
  if (*index < 0 || *index >= int64_t(value.elements.size()))
    return error(expr.indices[0]->range,
                 llvm::formatv("index {0} is outside a list of {1}", *index,
                               value.elements.size())
                     .str());
  return value.elements[*index];
}

Value ExprChecker::checkOnMesh(const ast::OnMeshExpr &expr) {
  const auto *call = dyn_cast<ast::CallExpr>(expr.base);
  if (!call)
    return error(expr.mesh.range, "'on' follows the call of a graph");
  if (expr.mesh.text != "single")
    return error(expr.mesh.range,
                 "a call can be put 'on single' only, got 'on " +
                     expr.mesh.text + "'");
  return checkCall(*call, /*onSingle=*/true);
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

/// The text that an interpolation puts in.
static std::optional<std::string> interpolated(const Value &value) {
  if (value.kind == Value::String || value.kind == Value::EnumValue)
    return value.text;
  if (std::optional<int64_t> number = value.constantInt())
    return std::to_string(*number);
  if (value.kind == Value::Bool)
    return std::string(value.integer ? "true" : "false");
  if (value.isFloat() && value.number) {
    for (int digits = 1; digits <= 17; ++digits) {
      std::string text;
      llvm::raw_string_ostream(text)
          << llvm::format("%.*g", digits, *value.number);
      if (std::strtod(text.c_str(), nullptr) == *value.number)
        return text;
    }
  }
  return std::nullopt;
}

Value ExprChecker::checkString(const ast::StringLit &literal) {
  std::string text;
  bool poison = false;
  for (const ast::StringPart &part : literal.parts) {
    if (!part.expr) {
      text += part.text;
      continue;
    }
    Value value = check(*part.expr);
    std::optional<std::string> piece;
    if (!value.isPoison()) {
      piece = interpolated(value);
      if (!piece)
        error(part.expr->range, describe(value) + " cannot stand in a string");
    }
    poison |= !piece;
    text += piece.value_or("");
  }
  return poison ? Value::poison() : Value::ofString(std::move(text));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value ExprChecker::checkUnary(const ast::UnaryExpr &expr) {
  // 2^63 has no positive int.
  if (const auto *literal = dyn_cast<ast::IntLit>(expr.operand))
    if (expr.op == '-' && literal->value == uint64_t(INT64_MAX) + 1)
      return Value::ofInt(dims.constant(INT64_MIN));
  Operand operand = checkOperand(*expr.operand);
  return expr.op == '-' ? unary(Op::Neg, "-", operand, expr.range)
                        : unary(Op::Not, "!", operand, expr.range);
}

static Op opOf(ast::ChainOp op) {
  switch (op) {
  case ast::ChainOp::Or:
    return Op::Or;
  case ast::ChainOp::And:
  case ast::ChainOp::Mask:
    return Op::And;
  case ast::ChainOp::Add:
    return Op::Add;
  case ast::ChainOp::Sub:
    return Op::Sub;
  case ast::ChainOp::Mul:
    return Op::Mul;
  case ast::ChainOp::Div:
    return Op::Div;
  case ast::ChainOp::Rem:
    return Op::Rem;
  }
  return Op::Add;
}

/// Strings and lists grow in place: a sum of them takes time in proportion to
/// its length.
static bool appended(ast::ChainOp op, Value &sum, const Value &value) {
  if (op != ast::ChainOp::Add || sum.kind != value.kind)
    return false;
  if (sum.kind == Value::String)
    sum.text += value.text;
  else if (sum.kind == Value::List)
    llvm::append_range(sum.elements, value.elements);
  else
    return false;
  return true;
}

Value ExprChecker::checkChain(const ast::ChainExpr &expr) {
  Operand sum = checkOperand(*expr.first);
  for (const ast::ChainExpr::Link &link : expr.rest) {
    Operand operand = checkOperand(*link.operand);
    llvm::SMRange range(expr.range.Start, operand.range.End);
    if (appended(link.op, sum.value, operand.value)) {
      sum.range = range;
      continue;
    }
    sum.value = link.op == ast::ChainOp::Mask
                    ? maskAnd(sum, operand, range)
                    : binary(opOf(link.op), ast::spelling(link.op), sum,
                             operand, range);
    sum.range = range;
  }
  return sum.value;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Dim ExprChecker::checkSize(const ast::Expr &expr) {
  Value value = check(expr);
  if (value.isPoison())
    return nullptr;
  if (!value.isInt()) {
    const auto *name = dyn_cast<ast::NameRef>(&expr);
    bool local = name && scope && scope->find(name->name.text);
    const auto *decl = name && !local
                           ? checker.findAs<ast::ConstDecl>(name->name.text)
                           : nullptr;
    // One fault, however many dims have this name.
    if (decl && !checker.firstReport(*decl))
      return nullptr;
    auto diag = diags.error(expr.range,
                            "expected an int as a dim, got " + describe(value));
    if (decl)
      diag.note(decl->name.range,
                "const '" + decl->name.text + "' is declared here");
    return nullptr;
  }
  if (value.constantInt().value_or(0) < 0) {
    error(expr.range, "a dim cannot be negative, got " + value.dim->str());
    return nullptr;
  }
  return value.dim;
}

std::optional<int64_t> ExprChecker::checkConstantInt(const ast::Expr &expr,
                                                     llvm::StringRef what) {
  Value value = check(expr);
  if (value.isPoison())
    return std::nullopt;
  if (!value.isInt()) {
    error(expr.range,
          "expected an int for " + what + ", got " + describe(value));
    return std::nullopt;
  }
  if (!value.constantInt())
    error(expr.range, what + " must be known when the program is compiled; " +
                          value.dim->str() + " is known when it runs");
  return value.constantInt();
}
