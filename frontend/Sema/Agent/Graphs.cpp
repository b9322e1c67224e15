// Graphs in tests: calls of them, the tensors that they are given, and what is
// expected of their results. Element types and ranks are checked here, and
// sizes where they are numbers; what is left shows when the test runs.
#include "frontend/Sema/Agent/BodyChecker.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;
using llvm::dyn_cast;

static const Type *typeOf(TypeTable &types, const TensorType &tensor) {
  std::vector<int64_t> shape;
  for (Dim dim : tensor.shape)
    shape.push_back(dim->constant().value_or(-1));
  return types.tensor(tensor.dtype, std::move(shape));
}

const Type *BodyChecker::checkOnMesh(const ast::OnMeshExpr &expr) {
  const auto *call = dyn_cast<ast::CallExpr>(expr.base);
  const auto *callee = call ? dyn_cast<ast::NameRef>(call->callee) : nullptr;
  if (!callee || !checker.findAs<ast::GraphDecl>(callee->name.text))
    return error(expr.range, "'on' follows the call of a graph");
  if (expr.mesh.text != "single") {
    check(*call);
    return error(expr.mesh.range, "a call can be put 'on single' only, got "
                                  "'on " +
                                      expr.mesh.text + "'");
  }
  info(*call).onSingle = true;
  return check(*call);
}

const Type *BodyChecker::checkGraphCall(const ast::CallExpr &expr,
                                        const ast::GraphDecl &decl) {
  const GraphSignature &callee = checker.signature(decl);
  info(expr).callee = Callee::Graph;
  context.noteUse(owner, decl, expr.callee->range);
  bool caches = llvm::any_of(callee.params, [](const SignatureItem &item) {
    return item.cache.has_value();
  });
  if (!callee.valid || caches) {
    for (const ast::Arg &arg : expr.args)
      check(*arg.value);
    if (callee.valid)
      checker.refuseLater(&owner, expr.range, "call of a graph with a cache");
    return types.error();
  }
  std::vector<Param> params;
  for (const SignatureItem &item : callee.params)
    params.push_back({item.name, typeOf(types, item.type), item.range});
  checkArgs(expr, decl.name.text, params, decl.name.range);
  std::vector<const Type *> results;
  for (const SignatureItem &item : callee.results)
    results.push_back(typeOf(types, item.type));
  return results.size() == 1 ? results.front()
                             : types.tuple(std::move(results));
}

/// `randn([8, n], seed = 1)`: how many sizes there are is known here.
const Type *BodyChecker::checkRandn(const ast::CallExpr &expr) {
  info(expr).callee = Callee::Library;
  llvm::SmallVector<const ast::Expr *, 2> args;
  if (!bind(expr, "randn", 1, {"seed"}, args))
    return types.error();
  if (args[1])
    checkAs(*args[1], types.integer(), "as the seed of 'randn'");
  const auto *sizes = dyn_cast<ast::ListExpr>(args[0]);
  if (!sizes) {
    check(*args[0]);
    return error(args[0]->range,
                 "'randn' takes a list of sizes, such as [8, 64]");
  }
  std::vector<int64_t> shape;
  for (const ast::Expr *size : sizes->elements)
    shape.push_back(checkCount(*size, 0, "a size of 'randn'").value_or(-1));
  return types.tensor(DType::F32, std::move(shape));
}

const Type *BodyChecker::checkExpectClose(const ast::CallExpr &expr) {
  info(expr).callee = Callee::Library;
  llvm::SmallVector<const ast::Expr *, 4> args;
  if (!bind(expr, "expect_close", 2, {"atol", "rtol"}, args))
    return types.boolean();
  for (const ast::Expr *bound : llvm::drop_begin(args, 2))
    if (bound)
      checkAs(*bound, types.floating(), "as a bound of 'expect_close'");
  const Type *sides[2];
  for (auto [i, side] : llvm::enumerate(sides)) {
    side = check(*args[i]);
    if (side->isError() || side->is(Type::Tensor))
      continue;
    diags.error(args[i]->range,
                "'expect_close' compares tensors, got '" + side->str() + "'");
    side = types.error();
  }
  if (sides[0]->isError() || sides[1]->isError())
    return types.boolean();
  const Type *asFirst = types.tensor(sides[0]->dtype, sides[1]->shape);
  if (!sameValues(sides[0], asFirst))
    diags.error(expr.range, "the two have different shapes: '" +
                                sides[0]->str() + "' and '" + sides[1]->str() +
                                "'");
  return types.boolean();
}
