// Calls in expressions: which function a name means, and calls of graphs, whose
// dims are instantiated with those of the arguments.
#include "frontend/Sema/Builtins.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using llvm::dyn_cast;

Value ExprChecker::unknownFunction(const ast::Ident &name) {
  std::vector<llvm::StringRef> candidates = builtinNames();
  llvm::append_range(candidates, checker.namesOf<ast::GraphDecl>());
  return error(name.range, "unknown function '" + name.text + "'" +
                               didYouMean(name.text, candidates));
}

// A graph may have the name of a built-in function: inside itself the name
// means the function, elsewhere it would be unclear.
Value ExprChecker::checkCall(const ast::CallExpr &expr, bool onSingle) {
  const auto *callee = dyn_cast<ast::NameRef>(expr.callee);
  if (!callee)
    return error(expr.callee->range, "only a name can be called");
  const ast::Ident &name = callee->name;
  const Builtin *builtin = findBuiltin(name.text);
  const ast::Decl *decl = checker.find(name.text);
  const auto *called = llvm::dyn_cast_or_null<ast::GraphDecl>(decl);
  if (builtin && called && graph && called != signature->decl) {
    diags
        .error(name.range, "'" + name.text +
                               "' is a graph of this file and a built-in "
                               "function; rename the graph")
        .note(called->name.range, "the graph is declared here");
    return Value::poison();
  }
  if (builtin && onSingle)
    return error(expr.range, "'on single' follows the call of a graph");
  if (builtin)
    return checkBuiltinCall(*builtin, expr);
  if (called && graph)
    return checkGraphCall(*called, expr, onSingle);
  if (decl)
    return error(name.range, "'" + name.text + "' is " + kindOf(*decl) +
                                 " and cannot be called in a " +
                                 (graph ? "graph" : "const"));
  if (scope && scope->find(name.text))
    return error(name.range, "'" + name.text + "' is a value, not a function");
  return unknownFunction(name);
}

Value ExprChecker::refuse(llvm::SMRange range, llvm::StringRef construct) {
  checker.refuseLater(signature ? signature->decl : nullptr, range, construct);
  return Value::poison();
}

Value ExprChecker::checkBuiltinCall(const Builtin &builtin,
                                    const ast::CallExpr &expr) {
  if (!graph && !builtin.scalar)
    return error(expr.range,
                 "'" + builtin.name + "' can be called in graphs only");
  CallArgs args(*this, builtin, expr);
  return args.bind() ? builtin.check(args) : Value::poison();
}

//===----------------------------------------------------------------------===//
// Calls of graphs
//===----------------------------------------------------------------------===//

namespace {

/// One call: names of the callee's dims become dims of the caller.
class GraphCall {
public:
  GraphCall(ExprChecker &checker, const GraphSignature &callee,
            const CallArgs &args)
      : checker(checker), callee(callee), args(args) {}

  bool bindNames();
  bool checkArguments(Inst &inst);
  std::optional<std::vector<TensorType>> results(llvm::SMRange range);

private:
  std::optional<TensorType> instantiate(const TensorType &type,
                                        llvm::SMRange range);
  std::string what(unsigned param) const {
    return "argument '" + callee.params[param].name.str() + "' of '" +
           callee.decl->name.text.str() + "'";
  }

  ExprChecker &checker;
  const GraphSignature &callee;
  const CallArgs &args;
  llvm::StringMap<Dim> names;
};

} // namespace

bool GraphCall::bindNames() {
  for (const auto &[name, source] : callee.sources) {
    const SignatureItem &param = callee.params[source.param];
    const Value &value = args[source.param];
    if (!value.isTensor() || value.tensor.rank() != param.type.rank()) {
      checker.diags
          .error(args.range(source.param), what(source.param) + ": expected " +
                                               param.type.str() + ", got " +
                                               describe(value))
          .note(param.range, "declared here");
      return false;
    }
    names[name] = value.tensor.shape[source.dim];
  }
  return true;
}

std::optional<TensorType> GraphCall::instantiate(const TensorType &type,
                                                 llvm::SMRange range) {
  TensorType result{type.dtype, {}};
  for (Dim dim : type.shape) {
    Dim instance = checker.dims.substitute(
        dim, [&](llvm::StringRef name) { return names.lookup(name); });
    if (!instance || instance->constant().value_or(0) < 0) {
      checker.error(range, instance ? "dim " + dim->str() + " of '" +
                                          callee.decl->name.text.str() +
                                          "' would be " + instance->str()
                                    : checker.dims.problem().str());
      return std::nullopt;
    }
    result.shape.push_back(instance);
  }
  if (!checker.checker.checkSize(result, range))
    return std::nullopt;
  return result;
}

bool GraphCall::checkArguments(Inst &inst) {
  bool ok = true;
  for (unsigned i = 0; i < callee.params.size(); ++i) {
    const SignatureItem &param = callee.params[i];
    std::optional<TensorType> expected = instantiate(param.type, args.range(i));
    if (!expected)
      return false;
    Value value = checker.convert(args.operand(i), *expected, what(i),
                                  param.range, "declared here");
    ok &= !value.isPoison();
    inst.operands.push_back(value.id);
  }
  return ok;
}

std::optional<std::vector<TensorType>> GraphCall::results(llvm::SMRange range) {
  std::vector<TensorType> types;
  for (const SignatureItem &item : callee.results) {
    std::optional<TensorType> type = instantiate(item.type, range);
    if (!type)
      return std::nullopt;
    types.push_back(std::move(*type));
  }
  return types;
}

Value ExprChecker::checkGraphCall(const ast::GraphDecl &decl,
                                  const ast::CallExpr &expr, bool onSingle) {
  const GraphSignature &callee = checker.signature(decl);
  checker.noteCall(*signature->decl, decl, expr.callee->range);
  std::vector<Param> params;
  const ast::Ident &mesh = decl.mesh;
  const ast::Ident &own = signature->decl->mesh;
  if (mesh && (onSingle ? bool(own) : mesh.text != own.text))
    return refuse(expr.range,
                  ("call of a graph on mesh '" + mesh.text + "'").str());
  for (const SignatureItem &item : callee.params) {
    if (item.cache)
      return refuse(expr.range, "call of a graph with a cache");
    params.push_back(Param{item.name, ParamKind::Element});
  }
  Builtin asBuiltin{decl.name.text, params, nullptr};
  CallArgs args(*this, asBuiltin, expr);
  bool bound = args.bind();
  if (!bound || !callee.valid)
    return Value::poison();
  GraphCall call(*this, callee, args);
  Inst inst(Op::Call, expr.range);
  inst.text = decl.name.text.str();
  inst.flag = onSingle;
  if (!call.bindNames() || !call.checkArguments(inst))
    return Value::poison();
  std::optional<std::vector<TensorType>> results = call.results(expr.range);
  if (!results)
    return Value::poison();
  Value value = graph->emitTuple(std::move(inst), *results);
  return value.elements.size() == 1 ? value.elements[0] : value;
}
