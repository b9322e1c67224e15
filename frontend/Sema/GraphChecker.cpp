// Statements are checked in the order in which they run. A loop's body is
// checked once for each turn, so that its variable is a number; after a turn
// with an error the others are left out.
#include "frontend/Sema/GraphChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace agt;
using namespace agt::sema;
using llvm::cast;
using llvm::dyn_cast;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

void GraphChecker::declareParams() {
  for (const auto &[name, source] : signature.sources)
    graph.sources[name] = source;
  for (unsigned i = 0; i < signature.params.size(); ++i) {
    const SignatureItem &param = signature.params[i];
    // Values of parameters have the parameters' numbers, whatever is wrong.
    ValueId id = builder.addValue(param.type);
    Local local;
    local.kind = Local::Param;
    local.range = param.range;
    if (param.valid)
      local.value = param.cache
                        ? Value::ofCache(param.type, id, param.cache->model)
                        : Value::ofTensor(param.type, id);
    scope.declare(param.name, std::move(local));
  }
  for (unsigned i = 0; i < signature.params.size(); ++i)
    if (signature.params[i].valid && !signature.params[i].cache)
      requireDims(i);
}

/// Checks what the array given for a parameter has in every dim that is neither
/// a number nor the one where its name is read.
void GraphChecker::requireDims(unsigned index) {
  const SignatureItem &param = signature.params[index];
  for (unsigned i = 0; i < param.type.rank(); ++i) {
    Dim dim = param.type.shape[i];
    if (dim->constant())
      continue;
    std::string message =
        "dim " + dim->str() + " of '" + param.name.str() + "' is {1}, ";
    if (const DimAtom *name = dim->asName()) {
      const DimSource &source = signature.sources.find(name->name)->second;
      if (source.param == index && source.dim == i)
        continue;
      message += source.param == index
                     ? "but an earlier dim of it is {0}"
                     : "but '" + signature.params[source.param].name.str() +
                           "' gives it {0}";
    } else {
      message += "expected {0}";
    }
    std::string actual = "'" + param.name.str() + "' " + std::to_string(i);
    graph.sources[actual] = DimSource{index, i, param.dimRanges[i]};
    builder.requireEqual(dim, checker.dims.name(actual), param.dimRanges[i],
                         message);
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

CheckedGraph GraphChecker::check() {
  checkMeshSize();
  declareParams();
  const ast::Block &body = *signature.decl->body;
  checkBlock(body);
  if (!returns && !mayReturn)
    diags.error(body.closeRange,
                "graph '" + signature.decl->name.text + "' needs a 'return'");
  return std::move(graph);
}

void GraphChecker::checkBlock(const ast::Block &block) {
  for (const ast::Stmt *stmt : block.stmts) {
    if (returns) {
      diags.error(stmt->range, "nothing can follow 'return'");
      return;
    }
    checkStmt(*stmt);
  }
}

/// Statements that may stand where a graph would return. They are errors
/// themselves, and a missing `return` would be the same fault.
static bool mayEndBody(ast::NodeKind kind) {
  switch (kind) {
  case ast::NodeKind::IfStmt:
  case ast::NodeKind::MatchStmt:
  case ast::NodeKind::ForStmt:
  case ast::NodeKind::WhileStmt:
  case ast::NodeKind::LoopStmt:
  case ast::NodeKind::TryStmt:
  case ast::NodeKind::YieldStmt:
  case ast::NodeKind::FailStmt:
  case ast::NodeKind::GotoStmt:
    return true;
  default:
    return false;
  }
}

static llvm::StringRef statementName(ast::NodeKind kind) {
  switch (kind) {
  case ast::NodeKind::IfStmt:
    return "'if'";
  case ast::NodeKind::MatchStmt:
    return "'match'";
  case ast::NodeKind::ForStmt:
    return "'for'";
  case ast::NodeKind::WhileStmt:
    return "'while'";
  case ast::NodeKind::LoopStmt:
    return "'loop'";
  case ast::NodeKind::TryStmt:
    return "'try'";
  case ast::NodeKind::YieldStmt:
    return "'yield'";
  case ast::NodeKind::FailStmt:
    return "'fail'";
  case ast::NodeKind::AssertStmt:
    return "'assert'";
  case ast::NodeKind::GotoStmt:
    return "'goto'";
  case ast::NodeKind::SleepStmt:
    return "'sleep'";
  case ast::NodeKind::EmitStmt:
    return "'emit'";
  case ast::NodeKind::MockStmt:
    return "'mock'";
  default:
    return "this statement";
  }
}

void GraphChecker::checkStmt(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::NodeKind::LetStmt:
    return checkLet(cast<ast::LetStmt>(stmt));
  case ast::NodeKind::VarStmt:
    return checkVar(cast<ast::VarStmt>(stmt));
  case ast::NodeKind::AssignStmt:
    return checkAssign(cast<ast::AssignStmt>(stmt));
  case ast::NodeKind::RepeatStmt:
    return checkRepeat(cast<ast::RepeatStmt>(stmt));
  case ast::NodeKind::ReturnStmt:
    return checkReturn(cast<ast::ReturnStmt>(stmt));
  case ast::NodeKind::ShardStmt:
    return checkShard(cast<ast::ShardStmt>(stmt));
  case ast::NodeKind::ExprStmt:
    exprs.check(*cast<ast::ExprStmt>(stmt).expr);
    return;
  default:
    diags.error(stmt.range,
                statementName(stmt.kind) + " cannot be used in a graph");
    mayReturn |= mayEndBody(stmt.kind);
  }
}

//===----------------------------------------------------------------------===//
// let, var, assignment
//===----------------------------------------------------------------------===//

void GraphChecker::declare(const ast::Ident &name, Local::Kind kind,
                           Value value) {
  if (const Local *other = scope.findInBlock(name.text)) {
    diags.error(name.range, "'" + name.text + "' is already declared")
        .note(other->range, "declared here");
    return;
  }
  if (const Local *outer = scope.find(name.text)) {
    if (outer->carriedDepth == scope.depth() && outer->depth < scope.depth()) {
      diags
          .error(name.range, "'" + name.text +
                                 "' is carried by this 'repeat'; assign it "
                                 "without 'let' or 'var'")
          .note(outer->range, "declared here");
      return;
    }
  }
  Local local;
  local.kind = kind;
  local.value = std::move(value);
  local.range = name.range;
  scope.declare(name.text, std::move(local));
}

Value GraphChecker::annotated(const Operand &operand, const ast::TypeRef *type,
                              const ast::Ident &name) {
  const Value &value = operand.value;
  if (!type)
    return value;
  if (type->name.text == "tensor" && type->options == 0) {
    std::optional<TensorType> expected = checker.tensorType(
        *type, [&](const ast::Expr &expr) { return exprs.checkSize(expr); });
    if (!expected || value.isPoison())
      return Value::poison();
    return exprs.convert(operand, *expected, ("'" + name.text + "'").str(),
                         type->range, "the type is declared here");
  }
  unsigned before = diags.errorCount();
  checker.checkType(*type);
  if (value.isPoison() || diags.errorCount() != before)
    return Value::poison();
  llvm::StringRef declared = type->name.text;
  bool matches = type->options == 0 &&
                 ((declared == "int" && value.isInt()) ||
                  (declared == "float" && value.isNumber()) ||
                  (declared == "bool" && value.kind == Value::Bool) ||
                  (declared == "string" && value.kind == Value::String) ||
                  (declared == "duration" && value.kind == Value::Duration));
  if (!matches)
    return exprs.error(operand.range, "'" + name.text + "': expected " +
                                          Checker::typeText(*type) + ", got " +
                                          describe(value));
  if (declared != "float" || value.isFloat())
    return value;
  if (std::optional<double> number = value.constantNumber())
    return Value::ofFloat(*number);
  return Value::ofNumber(builder.asNumber(value, operand.range));
}

void GraphChecker::takeApart(const ast::LetStmt &stmt, const Value &value) {
  bool fits =
      value.kind == Value::Tuple && value.elements.size() == stmt.names.size();
  if (stmt.names.size() == 1 && value.kind != Value::Tuple) {
    declare(stmt.names[0], Local::Let, value);
    return;
  }
  if (!fits && !value.isPoison())
    diags.error(stmt.value->range,
                "expected " + llvm::Twine(stmt.names.size()) + " values, got " +
                    (value.kind == Value::Tuple ? describe(value)
                                                : "one, " + describe(value)));
  for (size_t i = 0; i < stmt.names.size(); ++i)
    declare(stmt.names[i], Local::Let,
            fits ? value.elements[i] : Value::poison());
}

void GraphChecker::checkLet(const ast::LetStmt &stmt) {
  if (stmt.was)
    diags.error(stmt.was.range, "'was' keeps the identity of a step; a graph "
                                "has no steps");
  Operand operand = exprs.checkOperand(*stmt.value);
  if (stmt.tuple) {
    if (stmt.type)
      diags.error(stmt.type->range,
                  "several names cannot share the type of one");
    takeApart(stmt, operand.value);
    return;
  }
  if (operand.value.kind == Value::Tuple) {
    diags.error(operand.range, "got " + describe(operand.value) +
                                   "; take them apart, as in let (a, b) = ...");
    operand.value = Value::poison();
  }
  declare(stmt.names[0], Local::Let,
          annotated(operand, stmt.type, stmt.names[0]));
}

void GraphChecker::checkVar(const ast::VarStmt &stmt) {
  Operand operand = exprs.checkOperand(*stmt.value);
  if (operand.value.kind == Value::Tuple) {
    diags.error(operand.range, "got " + describe(operand.value) +
                                   "; take them apart, as in let (a, b) = ...");
    operand.value = Value::poison();
  }
  declare(stmt.name, Local::Var, annotated(operand, stmt.type, stmt.name));
}

Local *GraphChecker::findLocal(const ast::Ident &name) {
  if (Local *local = scope.find(name.text))
    return local;
  std::vector<llvm::StringRef> candidates;
  if (checker.suggests())
    candidates = scope.names();
  llvm::sort(candidates);
  bool dim = signature.env.contains(name.text);
  diags.error(name.range,
              dim ? "'" + name.text + "' is a dim and cannot be assigned"
                  : "unknown name '" + name.text + "'" +
                        didYouMean(name.text, candidates));
  return nullptr;
}

/// A name that is assigned keeps its type.
Value GraphChecker::unchanged(const Operand &operand, const Local &local,
                              const ast::Ident &name) {
  const Value &old = local.value, &value = operand.value;
  if (old.isPoison() || value.isPoison())
    return Value::poison();
  if (old.isTensor())
    return exprs.convert(operand, old.tensor, ("'" + name.text + "'").str(),
                         local.range, "its type comes from here");
  if (old.kind == value.kind && old.decl == value.decl &&
      value.kind != Value::Tuple)
    return value;
  if (old.isFloat() && value.isConstant() && value.isInt())
    return Value::ofFloat(*value.constantNumber());
  diags
      .error(operand.range, "'" + name.text + "': expected " + describe(old) +
                                ", got " + describe(value))
      .note(local.range, "its type comes from here");
  return Value::poison();
}

void GraphChecker::checkAssign(const ast::AssignStmt &stmt) {
  Operand operand = exprs.checkOperand(*stmt.value);
  Local *local = findLocal(stmt.name);
  if (!local)
    return;
  auto refuse = [&](const llvm::Twine &message) {
    diags.error(stmt.name.range, "'" + stmt.name.text + "' " + message)
        .note(local->range, "declared here");
  };
  if (local->kind == Local::LoopVariable)
    return refuse("is the variable of a 'repeat' and cannot be assigned");
  if (local->carriedDepth != scope.depth())
    return refuse("is assigned in a 'repeat' that does not carry it");
  if (local->kind != Local::Var && local->depth == scope.depth())
    return refuse(local->kind == Local::Param
                      ? "is a parameter and cannot be assigned"
                      : "is declared with 'let'; use 'var' to assign it");
  // After an error the name keeps the type that it is declared with.
  Value value = unchanged(operand, *local, stmt.name);
  if (!value.isPoison())
    local->value = std::move(value);
}

//===----------------------------------------------------------------------===//
// repeat
//===----------------------------------------------------------------------===//

/// Loops are unrolled here, so there is a limit as for `maxOps`.
static constexpr int64_t maxIterations = 1 << 16;

std::optional<std::pair<int64_t, int64_t>>
GraphChecker::bounds(const ast::RepeatStmt &stmt) {
  const auto *range = dyn_cast<ast::RangeExpr>(stmt.bounds);
  if (!range) {
    diags.error(stmt.bounds->range, "expected a range, such as 0..8");
    return std::nullopt;
  }
  std::optional<int64_t> from =
      exprs.checkConstantInt(*range->from, "a bound of 'repeat'");
  std::optional<int64_t> to =
      exprs.checkConstantInt(*range->to, "a bound of 'repeat'");
  if (!from || !to)
    return std::nullopt;
  return std::pair(*from, *to);
}

bool GraphChecker::carry(const ast::RepeatStmt &stmt,
                         std::vector<Local *> &carried) {
  bool ok = true;
  llvm::StringSet<> seen;
  for (const ast::Ident &name : stmt.carrying) {
    Local *local = findLocal(name);
    ok &= local != nullptr;
    if (!local)
      continue;
    if (!seen.insert(name.text).second) {
      diags.error(name.range, "'" + name.text + "' is carried twice");
      ok = false;
      continue;
    }
    if (local->kind == Local::LoopVariable ||
        local->carriedDepth != scope.depth()) {
      diags
          .error(name.range,
                 "'" + name.text + "' " +
                     (local->kind == Local::LoopVariable
                          ? "is the variable of a 'repeat' and cannot be "
                            "carried"
                          : "is not carried by the 'repeat' around this one"))
          .note(local->range, "declared here");
      ok = false;
      continue;
    }
    carried.push_back(local);
  }
  return ok;
}

void GraphChecker::iteration(const ast::RepeatStmt &stmt, Value index) {
  Local variable;
  variable.kind = Local::LoopVariable;
  variable.value = std::move(index);
  variable.range = stmt.variable.range;
  scope.push();
  scope.declare(stmt.variable.text, std::move(variable));
  for (const ast::Stmt *inner : stmt.body->stmts) {
    if (!llvm::isa<ast::ReturnStmt>(inner)) {
      checkStmt(*inner);
      continue;
    }
    diags.error(inner->range, "'return' cannot stand in a 'repeat'");
    mayReturn = true;
  }
  scope.pop();
}

void GraphChecker::iterate(const ast::RepeatStmt &stmt, int64_t from,
                           int64_t to) {
  unsigned faults = checker.faults();
  for (int64_t i = from; i < to && !tooLong(stmt); ++i) {
    iteration(stmt, Value::ofInt(checker.dims.constant(i)));
    // The next ones would say the same again.
    if (checker.faults() != faults)
      return;
  }
}

/// Reports, once, that the loops of the graph cannot be unrolled.
bool GraphChecker::tooLong(const ast::RepeatStmt &stmt) {
  bool often = ++iterations > maxIterations;
  if (!often && graph.insts.size() <= maxOps)
    return false;
  if (!reportedTooLong)
    diags.error(stmt.bounds->range,
                "the loops of graph '" + signature.decl->name.text +
                    "' run more than " +
                    (often ? llvm::Twine(maxIterations) + " times"
                           : llvm::Twine(maxOps) + " operations"));
  reportedTooLong = true;
  return true;
}

/// A body that never runs, or how often is not known, is checked once all the
/// same, and what it computes is thrown away.
void GraphChecker::checkUnrun(const ast::RepeatStmt &stmt, Value index) {
  GraphBuilder::Checkpoint point = builder.checkpoint();
  iteration(stmt, std::move(index));
  builder.rollback(point);
}

void GraphChecker::checkRepeat(const ast::RepeatStmt &stmt) {
  std::optional<std::pair<int64_t, int64_t>> range = bounds(stmt);
  std::vector<Local *> carried;
  if (!carry(stmt, carried))
    return;
  std::vector<Value> before;
  for (Local *local : carried) {
    before.push_back(local->value);
    local->carriedDepth = scope.depth() + 1;
  }
  bool runs = range && range->first < range->second && !reportedTooLong;
  if (runs)
    iterate(stmt, range->first, range->second);
  else
    checkUnrun(stmt, range ? Value::ofInt(checker.dims.constant(range->first))
                           : Value::poison());
  for (auto [local, value] : llvm::zip(carried, before)) {
    local->carriedDepth = scope.depth();
    if (!runs && !local->value.isPoison())
      local->value = value;
  }
}

//===----------------------------------------------------------------------===//
// return
//===----------------------------------------------------------------------===//

std::string GraphChecker::resultName(unsigned index) const {
  llvm::StringRef graphName = signature.decl->name.text;
  llvm::StringRef name = signature.results[index].name;
  if (!name.empty())
    return ("result '" + name + "' of '" + graphName + "'").str();
  if (signature.results.size() == 1)
    return ("the result of '" + graphName + "'").str();
  return ("result " + llvm::Twine(index + 1) + " of '" + graphName + "'").str();
}

std::vector<Operand> GraphChecker::returned(const ast::ReturnStmt &stmt,
                                            const Value &value) {
  if (value.kind != Value::Tuple)
    return {{value, stmt.value->range}};
  const auto *tuple = dyn_cast<ast::TupleExpr>(stmt.value);
  std::vector<Operand> operands;
  for (size_t i = 0; i < value.elements.size(); ++i)
    operands.push_back({value.elements[i],
                        tuple ? tuple->elements[i]->range : stmt.value->range});
  return operands;
}

void GraphChecker::checkReturn(const ast::ReturnStmt &stmt) {
  returns = true;
  Value value = exprs.check(*stmt.value);
  if (value.isPoison())
    return;
  std::vector<Operand> operands = returned(stmt, value);
  size_t expected = signature.results.size();
  if (operands.size() != expected) {
    diags
        .error(stmt.range, "expected " + llvm::Twine(expected) +
                               (expected == 1 ? " result" : " results") +
                               ", got " + llvm::Twine(operands.size()))
        .note(signature.decl->name.range,
              "'" + signature.decl->name.text + "' is declared here");
    return;
  }
  Inst inst(Op::Return, stmt.range);
  for (size_t i = 0; i < expected; ++i) {
    const SignatureItem &item = signature.results[i];
    if (!item.valid)
      return;
    Value converted = exprs.convert(operands[i], item.type, resultName(i),
                                    item.range, "declared here");
    inst.operands.push_back(converted.id);
  }
  builder.append(std::move(inst));
}
