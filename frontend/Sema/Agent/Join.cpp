// Joins: each op takes the list that the one before it gave.
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

/// The fork that a list comes from as it is, or null.
static const ast::ForkExpr *forkBehind(const AgentProgram &program,
                                       const ast::Expr &expr) {
  if (const auto *fork = dyn_cast<ast::ForkExpr>(&expr))
    return fork;
  const Local *local = program.info(expr).local;
  return local && local->kind == Local::Let && local->value
             ? forkBehind(program, *local->value)
             : nullptr;
}

static bool isHandle(const Type *type) {
  return type->is(Type::Handle) ||
         (type->is(Type::Option) && type->element->is(Type::Handle));
}

const Type *BodyChecker::checkReduce(const ast::JoinExpr &expr,
                                     const ast::JoinOp &op, const Type *list) {
  checkCount(*op.value, 2, "'fanin'");
  const ast::ForkExpr *fork = forkBehind(program, *expr.list);
  if (const ast::ForkClause *quorum =
          fork ? fork->clause(ast::ForkClause::PolicyQuorum) : nullptr)
    diags
        .error(op.range, "what 'reduce' gives depends on which branches arrive "
                         "first; reduce what 'all' or 'collect' gives")
        .note(quorum->range, "the fork's policy is here");
  llvm::StringRef name = op.reducer.text;
  const ast::Decl *decl = checker.find(name);
  const Type *plain = types.list(list->element);
  llvm::ArrayRef<Param> params;
  const Type *result = nullptr;
  if (const auto *fn = llvm::dyn_cast_or_null<ast::FnDecl>(decl)) {
    params = program.fnOf.lookup(fn)->params;
    result = program.fnOf.lookup(fn)->result;
  } else if (const auto *tool = llvm::dyn_cast_or_null<ast::ToolDecl>(decl)) {
    if (!context.tool(*tool))
      return list; // refused where it is declared
    params = context.tool(*tool)->params;
    result = context.tool(*tool)->result;
  } else if (llvm::isa_and_nonnull<ast::LlmDecl>(decl)) {
    if (!hasSchema(list))
      return error(op.reducer.range,
                   "a model cannot answer with a '" + plain->str() + "'");
  } else if (decl) {
    return error(op.reducer.range, "'" + name + "' is " + kindOf(*decl) +
                                       "; a reducer is an llm, a tool or a fn");
  } else {
    std::vector<llvm::StringRef> names = checker.namesOf<ast::LlmDecl>();
    llvm::append_range(names, checker.namesOf<ast::ToolDecl>());
    llvm::append_range(names, checker.namesOf<ast::FnDecl>());
    return error(op.reducer.range,
                 "unknown reducer '" + name + "'" + didYouMean(name, names));
  }
  context.noteUse(owner, *decl, op.reducer.range);
  if (!result)
    return plain;
  bool fits = params.size() == 1 && sameValues(plain, params[0].type) &&
              sameValues(result, plain);
  if (!fits && !result->isError())
    diags
        .error(op.reducer.range, "'" + name + "' must take '" + plain->str() +
                                     "' and give it, to reduce with it")
        .note(decl->name.range, "declared here");
  return plain;
}

const Type *BodyChecker::checkJoinOp(const ast::JoinExpr &expr,
                                     const ast::JoinOp &op, const Type *list) {
  const Type *element = list->element;
  auto field = [&]() -> const RecordField * {
    llvm::StringRef word = ast::spelling(op.kind);
    if (!element->is(Type::Record)) {
      diags.error(op.range, "'" + word + "' names a field, and '" +
                                element->str() + "' has none");
      return nullptr;
    }
    const RecordField *found = element->record->find(op.field.text);
    if (!found)
      diags.error(op.field.range,
                  "record '" + element->str() + "' has no field '" +
                      op.field.text + "'" +
                      didYouMean(op.field.text, element->record->names()));
    return found;
  };
  switch (op.kind) {
  case ast::JoinOp::Flatten: {
    if (element->is(Type::List)) {
      std::optional<int64_t> max;
      int64_t total;
      if (list->max && element->max &&
          !llvm::MulOverflow(*list->max, *element->max, total))
        max = total;
      return types.list(element->element, max);
    }
    return error(op.range,
                 "'flatten' takes a list of lists, got '" + list->str() + "'");
  }
  case ast::JoinOp::Dedupe:
    if (const RecordField *found = field())
      if (found->type->is(Type::Context))
        diags.error(op.field.range,
                    "'dedupe' cannot compare '" + found->type->str() + "'");
    return list;
  case ast::JoinOp::Rank:
    if (const RecordField *found = field())
      if (!found->type->isNumber() && !found->type->is(Type::String) &&
          !found->type->is(Type::Duration) && !found->type->isError())
        diags
            .error(op.field.range,
                   "'rank' cannot order '" + found->type->str() + "'")
            .note(found->range, "the field is declared here");
    return list;
  case ast::JoinOp::Take: {
    std::optional<int64_t> count = checkCount(*op.value, 0, "'take'");
    if (!count)
      return list;
    return types.list(element,
                      list->max ? std::min(*list->max, *count) : *count);
  }
  case ast::JoinOp::EvidenceHandles:
    if (!element->is(Type::Record) ||
        llvm::none_of(element->record->fields, [](const RecordField &field) {
          return isHandle(field.type);
        }))
      diags.error(op.range, "'evidence handles' needs a field of type "
                            "'handle', and '" +
                                element->str() + "' has none");
    return list;
  case ast::JoinOp::Reduce:
    return checkReduce(expr, op, list);
  case ast::JoinOp::Budget:
    checkCount(*op.value, 0, "'budget'");
    return list;
  }
  return list;
}

const Type *BodyChecker::checkJoin(const ast::JoinExpr &expr) {
  llvm::SMRange word(expr.loc(),
                     llvm::SMLoc::getFromPointer(expr.loc().getPointer() + 4));
  step(expr, "join", word);
  const ast::LetStmt *outer = std::exchange(let, nullptr);
  const Type *list = check(*expr.list);
  if (!list->isError() && !list->is(Type::List))
    list = error(expr.list->range,
                 "expected a list after 'join', got '" + list->str() + "'");
  // Failures are dropped.
  if (!list->isError() && list->element->is(Type::Result))
    list = types.list(list->element->element, list->max);
  for (const ast::JoinOp &op : expr.ops) {
    if (!list->isError()) {
      list = checkJoinOp(expr, op, list);
      continue;
    }
    if (op.value)
      check(*op.value);
  }
  let = outer;
  return list;
}
