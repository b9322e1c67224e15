//===- Judge.cpp - What a device computed, kernel by kernel ---------------===//

#include "reference/Judge.h"

using namespace agt;
using namespace agt::reference;

/// The largest error over its bound.
static double worstOf(const Tensor &got, const Tensor &want) {
  double worst = 0;
  for (int64_t i = 0; i < want.size(); ++i) {
    double apart = distance(got.number(i), want.number(i));
    double bound = want.bound(i);
    if (apart > 0 && bound != kInfinity)
      worst = std::max(worst, bound > 0 ? apart / bound : kInfinity);
  }
  return worst;
}

llvm::Expected<std::vector<Verdict>>
agt::reference::judge(GraphOp graph, llvm::ArrayRef<Tensor> inputs,
                      const DeviceValues &values) {
  std::vector<Verdict> verdicts;
  size_t number = 0;
  auto compareResults =
      [&](mlir::Operation *op,
          llvm::MutableArrayRef<Tensor> results) -> llvm::Error {
    Verdict verdict{op, 0, std::nullopt};
    for (Tensor &want : results) {
      auto got = values(number++, want.element, want.shape);
      if (!got)
        return got.takeError();
      verdict.worst = std::max(verdict.worst, worstOf(*got, want));
      if (!verdict.fault)
        verdict.fault = compare(*got, want);
      want = std::move(*got);
    }
    verdicts.push_back(std::move(verdict));
    return llvm::Error::success();
  };
  auto results = run(graph, inputs.vec(), nullptr, compareResults);
  if (!results)
    return results.takeError();
  return verdicts;
}
