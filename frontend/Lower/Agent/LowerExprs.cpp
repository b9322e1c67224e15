// Expressions, but steps and calls.
#include "frontend/Lower/Agent/BodyLowering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace agt;
using namespace agt::sema::agents;
using namespace mlir;
using llvm::cast;
using llvm::dyn_cast;
using Kind = sema::agents::Type::Kind;

//===----------------------------------------------------------------------===//
// Small words
//===----------------------------------------------------------------------===//

Value BodyLowering::boolean(bool value) {
  return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
}

Value BodyLowering::integer(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

Value BodyLowering::text(llvm::StringRef text) {
  return LiteralOp::create(builder, loc, StringType::get(builder.getContext()),
                           builder.getStringAttr(text));
}

Value BodyLowering::duration(int64_t nanoseconds) {
  return LiteralOp::create(builder, loc,
                           DurationType::get(builder.getContext()),
                           builder.getI64IntegerAttr(nanoseconds));
}

Value BodyLowering::convert(Value value, mlir::Type type) {
  if (value.getType() == type)
    return value;
  return ConvertOp::create(builder, loc, type, value);
}

Value BodyLowering::load(const Local *local) {
  Value value = values.lookup(local);
  auto variable = dyn_cast<VariableType>(value.getType());
  if (!variable)
    return value;
  return LoadOp::create(builder, loc, variable.getElement(), value);
}

Value BodyLowering::constant(const sema::Value &value, Type wanted) {
  switch (value.kind) {
  case sema::Value::Int:
    return integer(*value.constantInt());
  case sema::Value::Float:
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF64FloatAttr(*value.number));
  case sema::Value::Bool:
    return boolean(value.integer);
  case sema::Value::String:
    return text(value.text);
  case sema::Value::Duration:
    return duration(value.integer);
  case sema::Value::EnumValue:
    return LiteralOp::create(builder, loc, type(wanted),
                             builder.getStringAttr(value.text));
  case sema::Value::List: {
    llvm::SmallVector<Value> elements;
    for (const sema::Value &item : value.elements)
      elements.push_back(
          convert(constant(item, wanted->element), type(wanted->element)));
    return MakeOp::create(builder, loc, type(wanted), elements);
  }
  default:
    llvm_unreachable("a const of an agent");
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Value BodyLowering::expr(const ast::Expr &expr) {
  Type wanted = info(expr).wanted;
  return wanted ? exprAs(expr, wanted) : exprPlain(expr, nullptr);
}

Value BodyLowering::exprAs(const ast::Expr &expr, Type wanted) {
  return convert(exprPlain(expr, wanted), type(wanted));
}

Value BodyLowering::exprPlain(const ast::Expr &expr, Type hint) {
  using ast::NodeKind;
  Location outer = std::exchange(loc, module.locations.get(expr.range));
  llvm::scope_exit restore([&] { loc = outer; });
  if (info(expr).constant)
    return constant(*info(expr).constant, typeOf(expr));
  if (hint && hint->is(Kind::Option) && expr.kind != NodeKind::NoneLit &&
      expr.kind != NodeKind::MatchExpr)
    hint = hint->element;
  switch (expr.kind) {
  case NodeKind::IntLit:
    return integer(int64_t(cast<ast::IntLit>(expr).value));
  case NodeKind::FloatLit:
    return arith::ConstantOp::create(
        builder, loc, builder.getF64FloatAttr(cast<ast::FloatLit>(expr).value));
  case NodeKind::DurationLit:
    return duration(cast<ast::DurationLit>(expr).nanoseconds);
  case NodeKind::BoolLit:
    return boolean(cast<ast::BoolLit>(expr).value);
  case NodeKind::NoneLit:
    return NoneOp::create(builder, loc,
                          hint && hint->is(Kind::Option) ? type(hint)
                                                         : type(typeOf(expr)));
  case NodeKind::StringLit:
    return string(cast<ast::StringLit>(expr));
  case NodeKind::NameRef:
    return load(info(expr).local);
  case NodeKind::ChainExpr:
    return chain(cast<ast::ChainExpr>(expr));
  case NodeKind::CompareExpr:
    return compare(cast<ast::CompareExpr>(expr));
  case NodeKind::RangeExpr: {
    const auto &range = cast<ast::RangeExpr>(expr);
    Value from = this->expr(*range.from), to = this->expr(*range.to);
    return LibraryOp::create(builder, loc, type(typeOf(expr)), "range",
                             ValueRange{from, to});
  }
  case NodeKind::UnaryExpr:
    return unary(cast<ast::UnaryExpr>(expr));
  case NodeKind::CallExpr:
    return call(cast<ast::CallExpr>(expr));
  case NodeKind::OnMeshExpr:
    return this->expr(*cast<ast::OnMeshExpr>(expr).base);
  case NodeKind::IndexExpr: {
    const auto &index = cast<ast::IndexExpr>(expr);
    Value base = this->expr(*index.base);
    Value at = this->expr(*index.indices.front());
    return ElementOp::create(
        builder, loc, cast<ListType>(base.getType()).getElement(), base, at);
  }
  case NodeKind::MemberExpr:
    return member(cast<ast::MemberExpr>(expr));
  case NodeKind::ParseCallExpr: {
    const auto &parse = cast<ast::ParseCallExpr>(expr);
    return ParseOp::create(builder, loc, type(typeOf(expr)),
                           this->expr(*parse.args[0].value));
  }
  case NodeKind::TupleExpr: {
    llvm::SmallVector<Value> parts;
    for (const ast::Expr *element : cast<ast::TupleExpr>(expr).elements)
      parts.push_back(this->expr(*element));
    return MakeOp::create(builder, loc, type(typeOf(expr)), parts);
  }
  case NodeKind::ListExpr:
    return list(cast<ast::ListExpr>(expr), hint);
  case NodeKind::ComprehensionExpr:
    return comprehension(cast<ast::ComprehensionExpr>(expr));
  case NodeKind::RecordLit:
    return record(cast<ast::RecordLit>(expr));
  case NodeKind::ForkExpr:
    return fork(cast<ast::ForkExpr>(expr));
  case NodeKind::JoinExpr:
    return join(cast<ast::JoinExpr>(expr));
  case NodeKind::AskExpr:
    return ask(cast<ast::AskExpr>(expr));
  case NodeKind::ApproveExpr:
    return approve(cast<ast::ApproveExpr>(expr));
  case NodeKind::ReceiveExpr:
    return receive(cast<ast::ReceiveExpr>(expr));
  case NodeKind::MatchExpr:
    return matchExpr(cast<ast::MatchExpr>(expr));
  default:
    llvm_unreachable("an expression of an agent");
  }
}

//===----------------------------------------------------------------------===//
// Literals and members
//===----------------------------------------------------------------------===//

Value BodyLowering::string(const ast::StringLit &expr) {
  if (std::optional<llvm::StringRef> constant = expr.constant())
    return text(*constant);
  llvm::SmallVector<Value> parts;
  for (const ast::StringPart &part : expr.parts)
    parts.push_back(part.expr ? this->expr(*part.expr) : text(part.text));
  return TextOp::create(builder, loc, StringType::get(builder.getContext()),
                        parts);
}

Value BodyLowering::list(const ast::ListExpr &expr, Type hint) {
  Type own = typeOf(expr);
  Type element = own->element;
  if (hint && hint->is(Kind::List))
    element = hint->element;
  llvm::SmallVector<Value> parts;
  for (const ast::Expr *item : expr.elements)
    parts.push_back(exprAs(*item, element));
  return MakeOp::create(
      builder, loc,
      ListType::get(builder.getContext(), type(element), int64_t(parts.size())),
      parts);
}

Value BodyLowering::comprehension(const ast::ComprehensionExpr &expr) {
  Value source = this->expr(*expr.list);
  Type own = typeOf(expr);
  auto op =
      CollectOp::create(builder, loc, type(own), info(expr).segment, source);
  OpBuilder::InsertionGuard guard(builder);
  begin(op.getBody(), program.declared.lookup(&expr));
  Value holds = expr.condition ? this->expr(*expr.condition) : boolean(true);
  if (!expr.condition) {
    Value element = exprAs(*expr.element, own->element);
    ResultOp::create(builder, loc, ValueRange{holds, element});
    return op;
  }
  // The element is computed only where the condition holds: it may fail, or be
  // a step. Elsewhere any value will do.
  mlir::Type element = type(own->element);
  mlir::Type maybe = OptionType::get(builder.getContext(), element);
  auto choice = IfOp::create(builder, loc, TypeRange{maybe}, holds);
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.createBlock(&choice.getThen());
    Value value = convert(exprAs(*expr.element, own->element), maybe);
    ResultOp::create(builder, loc, value);
    builder.createBlock(&choice.getOtherwise());
    ResultOp::create(builder, loc,
                     ValueRange{NoneOp::create(builder, loc, maybe)});
  }
  Value value = UnwrapOp::create(builder, loc, element, choice.getResult(0));
  ResultOp::create(builder, loc, ValueRange{holds, value});
  return op;
}

Value BodyLowering::record(const ast::RecordLit &expr) {
  Type own = typeOf(expr);
  llvm::SmallVector<Value> fields(own->record->fields.size());
  // In the order of the source, as steps may stand in them.
  for (const ast::FieldInit &init : expr.fields)
    for (auto [i, field] : llvm::enumerate(own->record->fields))
      if (field.name == init.name.text)
        fields[i] = this->expr(*init.value);
  for (auto [i, field] : llvm::enumerate(own->record->fields))
    if (!fields[i])
      fields[i] = NoneOp::create(builder, loc, type(field.type));
  return MakeOp::create(builder, loc, type(own), fields);
}

Value BodyLowering::member(const ast::MemberExpr &expr) {
  Type base = typeOf(*expr.base);
  Value value = this->expr(*expr.base);
  mlir::Type own = type(typeOf(expr));
  if (base->is(Kind::Result))
    return OutcomeOp::create(builder, loc, own, expr.member.text, value);
  for (auto [i, field] : llvm::enumerate(base->record->fields))
    if (field.name == expr.member.text)
      return FieldOp::create(builder, loc, own, value, i);
  llvm_unreachable("a field of the record");
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value BodyLowering::logic(llvm::ArrayRef<const ast::Expr *> operands,
                          bool isAnd) {
  // Later operands are evaluated only where they count. A few are nested; of
  // many, which would be as deep as they are long, each guards the next one by
  // what is known so far.
  constexpr size_t nested = 8;
  if (operands.size() > nested) {
    mlir::Type place =
        VariableType::get(builder.getContext(), builder.getI1Type());
    Value known =
        VariableOp::create(builder, loc, place, expr(*operands.front()));
    for (const ast::Expr *operand : operands.drop_front()) {
      Value open = LoadOp::create(builder, loc, builder.getI1Type(), known);
      auto op = IfOp::create(builder, loc, TypeRange(), open);
      region(isAnd ? op.getThen() : op.getOtherwise(), [&] {
        AssignOp::create(builder, loc, expr(*operand), known);
        return true;
      });
      region(isAnd ? op.getOtherwise() : op.getThen(), [] { return true; });
    }
    return LoadOp::create(builder, loc, builder.getI1Type(), known);
  }
  Value first = expr(*operands.front());
  if (operands.size() == 1)
    return first;
  auto op = IfOp::create(builder, loc, TypeRange{builder.getI1Type()}, first);
  OpBuilder::InsertionGuard guard(builder);
  auto fill = [&](Region &region, bool rest) {
    builder.createBlock(&region);
    Value value = rest ? logic(operands.drop_front(), isAnd) : boolean(!isAnd);
    ResultOp::create(builder, loc, value);
  };
  fill(op.getThen(), isAnd);
  fill(op.getOtherwise(), !isAnd);
  return op.getResult(0);
}

Value BodyLowering::arithmetic(ast::ChainOp op, Value left, Value right) {
  mlir::Type a = left.getType(), b = right.getType();
  if (isa<StringType>(a))
    return AppendOp::create(builder, loc, a, left, right);
  if (auto list = dyn_cast<ListType>(a)) {
    auto other = cast<ListType>(b);
    int64_t max = -1;
    if (list.getMax() >= 0 && other.getMax() >= 0 &&
        llvm::AddOverflow(list.getMax(), other.getMax(), max))
      max = -1;
    return AppendOp::create(
        builder, loc,
        ListType::get(builder.getContext(), list.getElement(), max), left,
        right);
  }
  if (a.isF64() || b.isF64()) {
    left = convert(left, builder.getF64Type());
    right = convert(right, builder.getF64Type());
    switch (op) {
    case ast::ChainOp::Add:
      return arith::AddFOp::create(builder, loc, left, right);
    case ast::ChainOp::Sub:
      return arith::SubFOp::create(builder, loc, left, right);
    case ast::ChainOp::Mul:
      return arith::MulFOp::create(builder, loc, left, right);
    case ast::ChainOp::Div:
      return arith::DivFOp::create(builder, loc, left, right);
    default:
      return arith::RemFOp::create(builder, loc, left, right);
    }
  }
  llvm::StringRef name = op == ast::ChainOp::Add   ? "add"
                         : op == ast::ChainOp::Sub ? "sub"
                         : op == ast::ChainOp::Mul ? "mul"
                         : op == ast::ChainOp::Div ? "div"
                                                   : "rem";
  mlir::Type type = isa<DurationType>(a) ? a : b;
  return CalculateOp::create(builder, loc, type, name, left, right);
}

Value BodyLowering::chain(const ast::ChainExpr &expr) {
  ast::ChainOp op = expr.rest.front().op;
  if (op == ast::ChainOp::And || op == ast::ChainOp::Or) {
    llvm::SmallVector<const ast::Expr *> operands = {expr.first};
    for (const ast::ChainExpr::Link &link : expr.rest)
      operands.push_back(link.operand);
    return logic(operands, op == ast::ChainOp::And);
  }
  // Lists meet: `[]` takes the elements of its neighbours.
  Type own = typeOf(expr);
  auto operand = [&](const ast::Expr &source) {
    Type type = typeOf(source);
    if (!own->is(Kind::List))
      return exprPlain(source, nullptr);
    Value value = exprPlain(source, own);
    return convert(value,
                   ListType::get(builder.getContext(), this->type(own->element),
                                 type->max.value_or(-1)));
  };
  Value value = operand(*expr.first);
  for (const ast::ChainExpr::Link &link : expr.rest) {
    Value right = operand(*link.operand);
    loc = module.locations.get(
        llvm::SMRange(expr.range.Start, link.operand->range.End));
    value = arithmetic(link.op, value, right);
  }
  return value;
}

static llvm::StringRef predicateName(ast::CompareOp op) {
  switch (op) {
  case ast::CompareOp::Eq:
    return "eq";
  case ast::CompareOp::Ne:
    return "ne";
  case ast::CompareOp::Lt:
    return "lt";
  case ast::CompareOp::Le:
    return "le";
  case ast::CompareOp::Gt:
    return "gt";
  case ast::CompareOp::Ge:
    return "ge";
  }
  return "";
}

Value BodyLowering::compare(const ast::CompareExpr &expr, Value *left,
                            Value *right) {
  Type both = info(expr).sides;
  Value a = exprAs(*expr.lhs, both), b = exprAs(*expr.rhs, both);
  if (left) {
    *left = a;
    *right = b;
  }
  return CompareValuesOp::create(builder, loc, builder.getI1Type(),
                                 predicateName(expr.op), a, b);
}

Value BodyLowering::unary(const ast::UnaryExpr &expr) {
  if (const auto *literal = dyn_cast<ast::IntLit>(expr.operand))
    if (expr.op == '-')
      return integer(int64_t(0 - literal->value));
  Value value = this->expr(*expr.operand);
  if (expr.op == '!')
    return arith::XOrIOp::create(builder, loc, value, boolean(true));
  if (value.getType().isF64())
    return arith::NegFOp::create(builder, loc, value);
  Value zero = isa<DurationType>(value.getType()) ? duration(0) : integer(0);
  return CalculateOp::create(builder, loc, value.getType(), "sub", zero, value);
}

//===----------------------------------------------------------------------===//
// match
//===----------------------------------------------------------------------===//

Value BodyLowering::patternHolds(const ast::Pattern &pattern, Value subject,
                                 Type subjectType) {
  switch (pattern.pattern) {
  case ast::Pattern::None:
    return IsNoneOp::create(builder, loc, builder.getI1Type(), subject);
  case ast::Pattern::Ok:
  case ast::Pattern::Error: {
    Value ok =
        OutcomeOp::create(builder, loc, builder.getI1Type(), "ok", subject);
    if (pattern.pattern == ast::Pattern::Ok)
      return ok;
    return arith::XOrIOp::create(builder, loc, ok, boolean(true));
  }
  case ast::Pattern::Literal: {
    Value literal =
        convert(exprPlain(*pattern.literal, nullptr), subject.getType());
    return CompareValuesOp::create(builder, loc, builder.getI1Type(), "eq",
                                   subject, literal);
  }
  case ast::Pattern::Name: {
    Type value =
        subjectType->is(Kind::Option) ? subjectType->element : subjectType;
    Value literal = LiteralOp::create(
        builder, loc, type(value),
        builder.getStringAttr(pattern.member ? pattern.member.text
                                             : pattern.name.text));
    return CompareValuesOp::create(builder, loc, builder.getI1Type(), "eq",
                                   subject,
                                   convert(literal, subject.getType()));
  }
  case ast::Pattern::Else:
    break;
  }
  llvm_unreachable("a pattern with a condition");
}

/// A chain of `agt.if`s. The last arm needs no condition: the arms cover the
/// subject.
bool BodyLowering::matchArms(
    Value subject, Type subjectType, const Local *local,
    llvm::ArrayRef<ast::MatchArm *> arms, TypeRange types,
    llvm::function_ref<bool(const ast::MatchArm &)> arm, Value *result) {
  const ast::MatchArm &first = *arms.front();
  auto lowerArm = [&] {
    if (const Local *narrowed = program.declared.lookup(&first))
      values[narrowed] = UnwrapOp::create(builder, loc, type(narrowed->type),
                                          load(narrowed->narrowed));
    return arm(first);
  };
  if (arms.size() == 1)
    return lowerArm();
  loc = module.locations.get(first.pattern->range);
  Value holds = patternHolds(*first.pattern, subject, subjectType);
  auto op = IfOp::create(builder, loc, types, holds);
  bool then = region(op.getThen(), lowerArm);
  bool rest = region(op.getOtherwise(), [&] {
    Value inner;
    bool goesOn = matchArms(subject, subjectType, local, arms.drop_front(),
                            types, arm, result ? &inner : nullptr);
    // The last arm has ended the block itself.
    if (inner && goesOn) {
      ResultOp::create(builder, loc, inner);
      return false;
    }
    return goesOn;
  });
  if (result)
    *result = op.getResult(0);
  return then || rest || result;
}

Value BodyLowering::matchExpr(const ast::MatchExpr &expr) {
  Type own = typeOf(expr);
  Value subject = this->expr(*expr.subject);
  Value result;
  auto arm = [&](const ast::MatchArm &arm) {
    if (!stmts(arm.body->stmts))
      return false;
    Value value = exprAs(*arm.value, own);
    ResultOp::create(builder, loc, value);
    return false;
  };
  Type subjectType = typeOf(*expr.subject);
  // One arm alone is all there is.
  if (expr.arms.size() == 1) {
    auto op = IfOp::create(builder, loc, TypeRange{type(own)}, boolean(true));
    region(op.getThen(), [&] { return arm(*expr.arms.front()); });
    region(op.getOtherwise(), [&] {
      FailOp::create(builder, loc, text("no pattern matches"));
      return false;
    });
    return op.getResult(0);
  }
  matchArms(subject, subjectType, info(*expr.subject).local, expr.arms,
            TypeRange{type(own)}, arm, &result);
  return result;
}
