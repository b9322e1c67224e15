//===- TestSupport.cpp - Runs IR text through the oracle ------------------===//

#include "unittests/Reference/TestSupport.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <random>

using namespace agt::reference;
using llvm::ArrayRef;

Outcome agt::reference::runText(llvm::StringRef text, ArrayRef<Tensor> inputs) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<AgtDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&context), "test.mlir");
  Outcome outcome;
  if (!module) {
    outcome.error = "the module does not parse";
    return outcome;
  }
  auto graph = *module->getOps<GraphOp>().begin();
  auto results = run(graph, inputs.vec(), &outcome.info);
  if (results)
    outcome.results = std::move(*results);
  else
    outcome.error = llvm::toString(results.takeError());
  return outcome;
}

std::vector<double> agt::reference::valuesOf(llvm::StringRef text,
                                             ArrayRef<Tensor> inputs) {
  Outcome outcome = runText(text, inputs);
  EXPECT_EQ(outcome.error, "");
  std::vector<double> values;
  if (!outcome.results.empty())
    for (int64_t i = 0; i < outcome.results[0].size(); ++i)
      values.push_back(outcome.results[0].number(i));
  return values;
}

Tensor agt::reference::f32(ArrayRef<int64_t> shape,
                           std::vector<double> values) {
  return Tensor::floats(Element::F32, shape, std::move(values));
}

Tensor agt::reference::i32(ArrayRef<int64_t> shape,
                           std::vector<int64_t> values) {
  return Tensor::integers(Element::I32, shape, std::move(values));
}

Tensor agt::reference::bools(ArrayRef<int64_t> shape,
                             std::vector<int64_t> values) {
  return Tensor::integers(Element::Bool, shape, std::move(values));
}

Tensor agt::reference::noise(ArrayRef<int64_t> shape, unsigned seed) {
  std::mt19937 bits(seed);
  Tensor result(Element::F32, shape);
  for (double &x : result.reals)
    x = static_cast<int32_t>(bits()) / 256 * 0x1p-23;
  return result;
}

void agt::reference::expectNear(ArrayRef<double> got, ArrayRef<double> want,
                                double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(distance(got[i], want[i]), tolerance)
        << "at " << i << ": " << got[i] << " instead of " << want[i];
}
