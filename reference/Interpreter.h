//===- Interpreter.h - The float64 oracle of agt graphs ---------*- C++ -*-===//
//
// Runs a graph op by op in float64: slow, readable, what every kernel is
// compared with. Fused IR (`agt.kernel`) and calls are evaluated by their
// bodies, so IR of any stage of the agt dialect gives the same values.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_REFERENCE_INTERPRETER_H
#define AGT_REFERENCE_INTERPRETER_H

#include "dialect/Agt/Agt.h"
#include "reference/Tensor.h"

#include "llvm/Support/Error.h"

namespace agt::reference {

/// What a run found out besides its results.
struct RunInfo {
  /// X of attention.md section 1: the largest `scale * sum_d |q_d k_d|` of a
  /// visible pair in any attention of the graph.
  double largestScore = 0;
};

/// Why a run failed, and at which op.
class RunError : public llvm::ErrorInfo<RunError> {
public:
  RunError(std::string place, std::string message)
      : place(std::move(place)), message(std::move(message)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  static char ID;
  std::string place; // FILE:LINE:COL, or empty
  std::string message;
};

/// Shown the results of each `agt.kernel` and `agt.attention` that stands in
/// the graph itself; may put others in their place, or end the run.
using Observe = llvm::function_ref<llvm::Error(
    mlir::Operation *op, llvm::MutableArrayRef<Tensor> results)>;

/// The results of `graph`, with bounds (see Tensor.h). Fails with a RunError:
/// where inputs do not fit the signature, where an `agt.require` does not
/// hold, where a size breaks a constraint of an op.
llvm::Expected<std::vector<Tensor>> run(GraphOp graph,
                                        std::vector<Tensor> inputs,
                                        RunInfo *info = nullptr,
                                        Observe observe = nullptr);

} // namespace agt::reference

#endif // AGT_REFERENCE_INTERPRETER_H
