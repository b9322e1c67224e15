//===- TestSupport.h - Runs IR text through the oracle ----------*- C++ -*-===//

#ifndef AGT_UNITTESTS_REFERENCE_TESTSUPPORT_H
#define AGT_UNITTESTS_REFERENCE_TESTSUPPORT_H

#include "reference/Interpreter.h"

#include "gtest/gtest.h"

namespace agt::reference {

/// What a run of the first graph of a module gives.
struct Outcome {
  std::vector<Tensor> results;
  std::string error; // empty where the run succeeded
  RunInfo info;
};

/// Parses `text` and runs its first graph.
Outcome runText(llvm::StringRef text, llvm::ArrayRef<Tensor> inputs);

/// Runs a graph with one result and gives its elements.
std::vector<double> valuesOf(llvm::StringRef text,
                             llvm::ArrayRef<Tensor> inputs);

/// f32 tensors and i32 tensors, short to write.
Tensor f32(llvm::ArrayRef<int64_t> shape, std::vector<double> values);
Tensor i32(llvm::ArrayRef<int64_t> shape, std::vector<int64_t> values);
Tensor bools(llvm::ArrayRef<int64_t> shape, std::vector<int64_t> values);

/// Numbers in -1..1 that are the same on every machine, exact in f32.
Tensor noise(llvm::ArrayRef<int64_t> shape, unsigned seed);

void expectNear(llvm::ArrayRef<double> got, llvm::ArrayRef<double> want,
                double tolerance);

} // namespace agt::reference

#endif // AGT_UNITTESTS_REFERENCE_TESTSUPPORT_H
