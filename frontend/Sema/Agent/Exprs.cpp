// Types of expressions. What is known of the context (`expected`) reaches
// literals only; whether the result fits is the business of who asked.
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/ExprChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

agents::Local *BodyChecker::find(llvm::StringRef name) {
  for (auto &frame : llvm::reverse(frames)) {
    auto found = frame.find(name);
    if (found != frame.end())
      return found->second;
  }
  return nullptr;
}

const agents::Local *BodyChecker::declare(const ast::Node &node,
                                          const ast::Ident &name,
                                          Local::Kind kind, const Type *type,
                                          const ast::Expr *value) {
  Local local;
  local.kind = kind;
  local.name = name.text;
  local.type = type;
  local.range = name.range;
  local.forkDepth = forks.size();
  local.value = value;
  program.locals.push_back(local);
  Local *stored = &program.locals.back();
  auto [entry, fresh] = frames.back().try_emplace(name.text, stored);
  if (!fresh) {
    diags.error(name.range, "'" + name.text + "' is already declared")
        .note(entry->second->range, "declared here");
    entry->second = stored;
  }
  program.declared[&node] = stored;
  return stored;
}

std::vector<llvm::StringRef> BodyChecker::candidates() const {
  std::vector<llvm::StringRef> names;
  if (!checker.suggests())
    return names;
  for (const auto &frame : frames)
    for (const auto &entry : frame)
      names.push_back(entry.first());
  llvm::append_range(names, checker.namesOf<ast::ConstDecl>());
  llvm::append_range(names, checker.namesOf<ast::EnumDecl>());
  llvm::sort(names);
  return names;
}

const Type *BodyChecker::constant(const ast::Expr &expr, const Value &value,
                                  llvm::SMRange range) {
  if (value.isPoison())
    return types.error();
  const Type *type = context.typeOf(value);
  if (!type)
    return error(range, describe(value) + " has no place in " + ownerText());
  info(expr).constant = std::make_shared<Value>(value);
  return type;
}

const Type *BodyChecker::checkName(const ast::NameRef &expr) {
  llvm::StringRef name = expr.name.text;
  if (Local *local = find(name)) {
    info(expr).local = local;
    return local->type;
  }
  if (std::optional<Value> value = checker.globalValue(name))
    return constant(expr, *value, expr.range);
  if (const ast::Decl *decl = checker.find(name))
    return error(expr.range,
                 "'" + name + "' is " + kindOf(*decl) + ", not a value");
  return error(expr.range,
               "unknown name '" + name + "'" + didYouMean(name, candidates()));
}

//===----------------------------------------------------------------------===//
// What an expression must be
//===----------------------------------------------------------------------===//

void BodyChecker::mismatch(llvm::SMRange range, const Type *expected,
                           const Type *got, const llvm::Twine &what,
                           llvm::SMRange declared) {
  std::string advice;
  if (got->is(Type::Option) && converts(got->element, expected))
    advice = "; 'match' takes an option apart";
  auto diag = diags.error(range, "expected '" + expected->str() + "' " + what +
                                     ", got '" + got->str() + "'" + advice);
  if (declared.isValid())
    diag.note(declared, "declared here");
}

const Type *BodyChecker::checkAs(const ast::Expr &expr, const Type *expected,
                                 const llvm::Twine &what,
                                 llvm::SMRange declared) {
  const Type *got = check(expr, expected);
  if (!converts(got, expected))
    mismatch(expr.range, expected, got, what, declared);
  info(expr).wanted = expected;
  return expected;
}

std::optional<int64_t> BodyChecker::constantInt(const ast::Expr &expr) {
  if (const auto *literal = dyn_cast<ast::IntLit>(&expr))
    return literal->value <= INT64_MAX ? std::optional<int64_t>(literal->value)
                                       : std::nullopt;
  if (const auto *unary = dyn_cast<ast::UnaryExpr>(&expr)) {
    const auto *literal = dyn_cast<ast::IntLit>(unary->operand);
    if (unary->op == '-' && literal)
      return int64_t(0 - literal->value);
  }
  const NodeInfo &known = program.info(expr);
  return known.constant ? known.constant->constantInt() : std::nullopt;
}

std::optional<int64_t> BodyChecker::checkCount(const ast::Expr &expr,
                                               int64_t least,
                                               llvm::StringRef what) {
  checkAs(expr, types.integer(), "for " + what);
  std::optional<int64_t> value = constantInt(expr);
  if (value && *value < least) {
    diags.error(expr.range, what + " is at least " + llvm::Twine(least) +
                                ", got " + llvm::Twine(*value));
    return std::nullopt;
  }
  return value;
}

const Type *BodyChecker::check(const ast::Expr &expr, const Type *expected) {
  if (expected && expected->is(Type::Option))
    expected = expected->element;
  const Type *type = checkKind(expr, expected);
  info(expr).type = type;
  return type;
}

const Type *BodyChecker::checkKind(const ast::Expr &expr,
                                   const Type *expected) {
  using ast::NodeKind;
  switch (expr.kind) {
  case NodeKind::IntLit:
    if (cast<ast::IntLit>(expr).value > INT64_MAX)
      return error(expr.range, "integer overflow");
    return types.integer();
  case NodeKind::FloatLit:
    return types.floating();
  case NodeKind::DurationLit:
    return types.duration();
  case NodeKind::QuantityLit:
    return error(expr.range, "a size or a rate can stand in properties only");
  case NodeKind::BoolLit:
    return types.boolean();
  case NodeKind::NoneLit:
    return types.none();
  case NodeKind::StringLit:
    return checkString(cast<ast::StringLit>(expr));
  case NodeKind::NameRef:
    return checkName(cast<ast::NameRef>(expr));
  case NodeKind::ChainExpr:
    return checkChain(cast<ast::ChainExpr>(expr), expected);
  case NodeKind::CompareExpr:
    return checkCompare(cast<ast::CompareExpr>(expr));
  case NodeKind::RangeExpr:
    return checkRange(cast<ast::RangeExpr>(expr));
  case NodeKind::UnaryExpr:
    return checkUnary(cast<ast::UnaryExpr>(expr));
  case NodeKind::CallExpr:
    return checkCall(cast<ast::CallExpr>(expr));
  case NodeKind::IndexExpr:
    return checkIndex(cast<ast::IndexExpr>(expr));
  case NodeKind::MemberExpr:
    return checkMember(cast<ast::MemberExpr>(expr));
  case NodeKind::OnMeshExpr:
    return checkOnMesh(cast<ast::OnMeshExpr>(expr));
  case NodeKind::ParseCallExpr:
    return checkParse(cast<ast::ParseCallExpr>(expr));
  case NodeKind::TupleExpr: {
    std::vector<const Type *> elements;
    for (const ast::Expr *element : cast<ast::TupleExpr>(expr).elements)
      elements.push_back(check(*element));
    return types.tuple(std::move(elements));
  }
  case NodeKind::ListExpr:
    return checkList(cast<ast::ListExpr>(expr), expected);
  case NodeKind::ComprehensionExpr:
    return checkComprehension(cast<ast::ComprehensionExpr>(expr), expected);
  case NodeKind::RecordLit:
    return checkRecordLit(cast<ast::RecordLit>(expr));
  case NodeKind::ForkExpr:
    return checkFork(cast<ast::ForkExpr>(expr), expected);
  case NodeKind::JoinExpr:
    return checkJoin(cast<ast::JoinExpr>(expr));
  case NodeKind::AskExpr:
    return checkAsk(cast<ast::AskExpr>(expr));
  case NodeKind::ApproveExpr:
    return checkApprove(cast<ast::ApproveExpr>(expr));
  case NodeKind::ReceiveExpr:
    return checkReceive(cast<ast::ReceiveExpr>(expr));
  case NodeKind::MatchExpr:
    return checkMatchExpr(cast<ast::MatchExpr>(expr), expected);
  default:
    llvm_unreachable("an expression");
  }
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

const Type *BodyChecker::checkString(const ast::StringLit &expr) {
  for (const ast::StringPart &part : expr.parts) {
    if (!part.expr)
      continue;
    const Type *type = check(*part.expr);
    if (type->is(Type::Context) || type->is(Type::Bytes) ||
        type->is(Type::Tuple) || holdsTensors(type))
      diags.error(part.expr->range, "a '" + type->str() + "' has no text");
  }
  return types.string();
}

const Type *BodyChecker::checkList(const ast::ListExpr &expr,
                                   const Type *expected) {
  const Type *hint =
      expected && expected->is(Type::List) ? expected->element : nullptr;
  const Type *element = hint ? hint : types.nothing();
  for (const ast::Expr *item : expr.elements) {
    const Type *type = check(*item, hint);
    if (hint && converts(type, hint))
      continue;
    const Type *both = types.meet(element, type);
    if (!both || (hint && !converts(both, hint))) {
      mismatch(item->range, element, type, "as the other elements are", {});
      return types.error();
    }
    element = both;
  }
  return types.list(element, expr.elements.size());
}

const Type *BodyChecker::checkComprehension(const ast::ComprehensionExpr &expr,
                                            const Type *expected) {
  const Type *list = check(*expr.list);
  if (!list->isError() && !list->is(Type::List)) {
    diags.error(expr.list->range,
                "expected a list after 'in', got '" + list->str() + "'");
    list = types.error();
  }
  pushFrame();
  paths.push();
  declare(expr, expr.variable, Local::Element,
          list->isError() ? list : list->element);
  if (expr.condition)
    checkAs(*expr.condition, types.boolean(), "after 'if'");
  const Type *hint =
      expected && expected->is(Type::List) ? expected->element : nullptr;
  const Type *element = check(*expr.element, hint);
  if (hint && converts(element, hint))
    element = hint;
  popFrame();
  info(expr).segment = expr.variable.text.str();
  if (paths.pop())
    paths.addLoop(expr.variable.text, expr.variable.range);
  return types.list(element, list->isError() ? std::nullopt : list->max);
}

void BodyChecker::checkFieldBounds(const RecordField &field,
                                   const ast::Expr &value) {
  if (!field.lower)
    return;
  std::optional<double> number;
  if (std::optional<int64_t> integer = constantInt(value))
    number = double(*integer);
  else if (const auto *literal = dyn_cast<ast::FloatLit>(&value))
    number = literal->value;
  if (number && (*number < *field.lower || *number > *field.upper))
    diags
        .error(value.range,
               "the value is outside the bounds of field '" + field.name + "'")
        .note(field.range, "the bounds are here");
}

const Type *BodyChecker::checkRecordLit(const ast::RecordLit &expr) {
  llvm::StringRef name = expr.name.text;
  const auto *decl = checker.findAs<ast::RecordDecl>(name);
  const Type *type = decl ? types.record(*context.recordOf(*decl))
                          : context.builtinRecord(name);
  if (!type) {
    for (const ast::FieldInit &field : expr.fields)
      check(*field.value);
    if (const ast::Decl *other = checker.find(name))
      return error(expr.name.range,
                   "'" + name + "' is " + kindOf(*other) + ", not a record");
    return error(expr.name.range,
                 "unknown record '" + name + "'" +
                     didYouMean(name, checker.namesOf<ast::RecordDecl>()));
  }
  const RecordInfo &record = *type->record;
  llvm::StringMap<llvm::SMRange> seen;
  for (const ast::FieldInit &init : expr.fields) {
    auto [entry, fresh] = seen.try_emplace(init.name.text, init.name.range);
    if (!fresh)
      diags
          .error(init.name.range,
                 "field '" + init.name.text + "' is given twice")
          .note(entry->second, "first given here");
    const RecordField *field = record.find(init.name.text);
    if (!field) {
      auto diag =
          diags.error(init.name.range,
                      "record '" + name + "' has no field '" + init.name.text +
                          "'" + didYouMean(init.name.text, record.names()));
      if (decl)
        diag.note(decl->name.range, "'" + name + "' is declared here");
      check(*init.value);
      continue;
    }
    checkAs(*init.value, field->type, "for field '" + field->name + "'",
            field->range);
    checkFieldBounds(*field, *init.value);
  }
  for (const RecordField &field : record.fields)
    if (!seen.count(field.name) && !field.type->is(Type::Option) &&
        !field.type->isError()) {
      auto diag = diags.error(expr.range, "field '" + field.name + "' of '" +
                                              name + "' is missing");
      if (decl)
        diag.note(field.range, "declared here");
    }
  return type;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

const Type *BodyChecker::checkArithmetic(const ast::ChainExpr &expr,
                                         const Type *left,
                                         const ast::ChainExpr::Link &link,
                                         const Type *right) {
  using ast::ChainOp;
  if (left->isError() || right->isError())
    return types.error();
  bool sum = link.op == ChainOp::Add || link.op == ChainOp::Sub;
  if (left->isNumber() && right->isNumber())
    return types.meet(left, right);
  if (left->is(Type::Duration) && right->is(Type::Duration) && sum)
    return left;
  if (left->is(Type::Duration) && right->is(Type::Int) &&
      (link.op == ChainOp::Mul || link.op == ChainOp::Div))
    return left;
  if (left->is(Type::Int) && right->is(Type::Duration) &&
      link.op == ChainOp::Mul)
    return right;
  if (link.op == ChainOp::Add) {
    if (left->is(Type::String) && right->is(Type::String))
      return left;
    if (left->is(Type::List) && right->is(Type::List)) {
      const Type *both = types.meet(left, right);
      if (both && both->is(Type::List)) {
        std::optional<int64_t> max;
        int64_t total = 0;
        if (left->max && right->max &&
            !llvm::AddOverflow(*left->max, *right->max, total))
          max = total;
        return types.list(both->element, max);
      }
    }
  }
  return error(link.opRange,
               ("'" + ast::spelling(link.op) + "' has no meaning between '" +
                left->str() + "' and '" + right->str() + "'")
                   .str());
}

const Type *BodyChecker::checkChain(const ast::ChainExpr &expr,
                                    const Type *expected) {
  using ast::ChainOp;
  ChainOp op = expr.rest.front().op;
  if (op == ChainOp::Mask) {
    check(*expr.first);
    for (const ast::ChainExpr::Link &link : expr.rest)
      check(*link.operand);
    return error(expr.rest.front().opRange,
                 "'&' combines masks of attention; use '&&'");
  }
  if (op == ChainOp::Or || op == ChainOp::And) {
    std::string what = ("beside '" + ast::spelling(op) + "'").str();
    checkAs(*expr.first, types.boolean(), what);
    for (const ast::ChainExpr::Link &link : expr.rest)
      checkAs(*link.operand, types.boolean(), what);
    return types.boolean();
  }
  const Type *hint = expected && expected->is(Type::List) ? expected : nullptr;
  const Type *type = check(*expr.first, hint);
  for (const ast::ChainExpr::Link &link : expr.rest) {
    const Type *right = check(*link.operand, hint);
    type = checkArithmetic(expr, type, link, right);
  }
  return type;
}

const Type *BodyChecker::checkCompare(const ast::CompareExpr &expr) {
  const Type *left = check(*expr.lhs);
  const Type *right = check(*expr.rhs, left);
  if (left->isError() || right->isError())
    return types.boolean();
  info(expr).sides = types.meet(left, right);
  bool equality =
      expr.op == ast::CompareOp::Eq || expr.op == ast::CompareOp::Ne;
  bool ordered =
      (left->isNumber() && right->isNumber()) ||
      (left == right && (left->is(Type::String) || left->is(Type::Duration)));
  bool opaque = left->is(Type::Context) || right->is(Type::Context);
  if (opaque || !info(expr).sides ||
      !(equality ? comparable(left, right) : ordered))
    diags.error(expr.range, "'" + ast::spelling(expr.op) +
                                "' cannot compare '" + left->str() +
                                "' with '" + right->str() + "'");
  return types.boolean();
}

const Type *BodyChecker::checkUnary(const ast::UnaryExpr &expr) {
  if (expr.op == '!') {
    checkAs(*expr.operand, types.boolean(), "after '!'");
    return types.boolean();
  }
  if (const auto *literal = dyn_cast<ast::IntLit>(expr.operand)) {
    info(*literal).type = types.integer();
    return types.integer();
  }
  const Type *type = check(*expr.operand);
  if (!type->isError() && !type->isNumber() && !type->is(Type::Duration))
    return error(expr.operand->range,
                 "'-' takes a number, got '" + type->str() + "'");
  return type;
}

const Type *BodyChecker::checkRange(const ast::RangeExpr &expr) {
  checkAs(*expr.from, types.integer(), "before '..'");
  checkAs(*expr.to, types.integer(), "after '..'");
  std::optional<int64_t> from = constantInt(*expr.from),
                         to = constantInt(*expr.to), max;
  int64_t count;
  if (from && to && !llvm::SubOverflow(*to, *from, count))
    max = std::max<int64_t>(count, 0);
  return types.list(types.integer(), max);
}

const Type *BodyChecker::checkIndex(const ast::IndexExpr &expr) {
  const Type *base = check(*expr.base);
  for (const ast::Expr *index : expr.indices)
    checkAs(*index, types.integer(), "as an index");
  if (base->isError())
    return base;
  if (!base->is(Type::List))
    return error(expr.base->range,
                 "only a list has elements, got '" + base->str() + "'");
  if (expr.indices.size() != 1)
    return error(expr.indices[1]->range, "a list has one index");
  std::optional<int64_t> index = constantInt(*expr.indices.front());
  if (index && *index < 0)
    return error(expr.indices.front()->range,
                 "an index is at least 0, got " + llvm::Twine(*index));
  return base->element;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

const Type *BodyChecker::checkMember(const ast::MemberExpr &expr) {
  const auto *base = dyn_cast<ast::NameRef>(expr.base);
  if (base && !find(base->name.text)) {
    llvm::StringRef name = base->name.text;
    if (const auto *model = checker.findAs<ast::ModelDecl>(name))
      return constant(expr, checker.modelField(*model, expr.member),
                      expr.range);
    if (const auto *decl = checker.findAs<ast::EnumDecl>(name))
      return constant(expr, checker.enumValue(*decl, expr.member), expr.range);
    if (const auto *tool = checker.findAs<ast::ToolDecl>(name))
      if (tool->provider) {
        const ToolInfo *listed = context.listedTool(*tool, expr.member);
        return listed ? error(expr.range, "'" + listed->name +
                                              "' is a tool; call it, as in " +
                                              listed->name + "(...)")
                      : types.error();
      }
  }
  const Type *type = check(*expr.base);
  return type->isError() ? type : memberOf(type, expr);
}

const Type *BodyChecker::memberOf(const Type *type,
                                  const ast::MemberExpr &expr) {
  llvm::StringRef member = expr.member.text;
  if (type->is(Type::Record)) {
    const RecordInfo &record = *type->record;
    if (const RecordField *field = record.find(member))
      return field->type;
    auto diag =
        diags.error(expr.member.range, "record '" + record.name +
                                           "' has no field '" + member + "'" +
                                           didYouMean(member, record.names()));
    if (record.decl)
      diag.note(record.decl->name.range,
                "'" + record.name + "' is declared here");
    return types.error();
  }
  if (type->is(Type::Result)) {
    if (member == "ok")
      return types.boolean();
    if (member == "value")
      return type->element;
    if (member == "error" || member == "key")
      return types.string();
    return error(expr.member.range,
                 "a result has no field '" + member + "'" +
                     didYouMean(member, {"ok", "value", "error", "key"}));
  }
  return error(expr.member.range,
               "'" + type->str() + "' has no field '" + member + "'" +
                   (type->is(Type::Option)   ? "; 'match' takes an option apart"
                    : type->is(Type::Handle) ? "; 'open' reads a handle"
                                             : ""));
}
