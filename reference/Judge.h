//===- Judge.h - What a device computed, kernel by kernel -------*- C++ -*-===//
//
// Runs a graph whose kernels are formed beside what a device made of each. A
// kernel is evaluated on the values that the device gave to it, so that one
// that is wrong does not blame those behind it.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_REFERENCE_JUDGE_H
#define AGT_REFERENCE_JUDGE_H

#include "reference/Interpreter.h"

#include <functional>

namespace agt::reference {

/// How far a kernel's results are off.
struct Verdict {
  mlir::Operation *op = nullptr;
  /// The largest error over its bound; infinite where what has no error to
  /// have has one.
  double worst = 0;
  /// The first element that is farther off than its bound, as a sentence.
  std::optional<std::string> fault;
};

/// The results of the graph's `agt.kernel` and `agt.attention` ops as the
/// device left them, numbered from 0 in order.
using DeviceValues = std::function<llvm::Expected<Tensor>(
    size_t number, Element element, llvm::ArrayRef<int64_t> shape)>;

/// A verdict for each of those ops. Fails as `run` does, and with what
/// `values` fails with.
llvm::Expected<std::vector<Verdict>>
judge(GraphOp graph, llvm::ArrayRef<Tensor> inputs, const DeviceValues &values);

} // namespace agt::reference

#endif // AGT_REFERENCE_JUDGE_H
