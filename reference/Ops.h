//===- Ops.h - Evaluation of ops by kind ------------------------*- C++ -*-===//
//
// What the parts of the interpreter share. Each kind of op has a function that
// gives the results of an op from its operands, or nothing if the op is of
// another kind.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_REFERENCE_OPS_H
#define AGT_REFERENCE_OPS_H

#include "dialect/Agt/Agt.h"
#include "reference/Tensor.h"

#include <memory>

namespace agt::reference {

/// What an SSA value holds: a tensor, an f64, or an index or integer.
struct Datum {
  Datum() = default;
  Datum(Tensor value) : tensor(std::make_shared<Tensor>(std::move(value))) {}
  static Datum ofInteger(int64_t value) {
    Datum datum;
    datum.integer = value;
    return datum;
  }
  static Datum ofReal(double value) {
    Datum datum;
    datum.real = value;
    return datum;
  }

  std::shared_ptr<const Tensor> tensor;
  int64_t integer = 0;
  double real = 0;
  std::string input; // the name of the parameter that it is, or empty
};

using Data = llvm::SmallVector<Datum, 2>;

/// Calls that may be inside each other.
constexpr unsigned kDeepestCalls = 256;

/// What the values of a block are.
class Environment {
public:
  Datum &operator[](mlir::Value value) { return data[value]; }
  const Datum &at(mlir::Value value) const { return data.at(value); }
  Data lookup(mlir::ValueRange values) const {
    Data found;
    for (mlir::Value value : values)
      found.push_back(at(value));
    return found;
  }

private:
  llvm::DenseMap<mlir::Value, Datum> data;
};

/// A value and how far a device may be from it.
struct Estimate {
  double value = 0;
  double bound = 0;
};

/// Of f32. A device may take for 0 what is smaller.
constexpr double kSmallestNormal = 0x1p-126;

/// 2^-24, half a unit in the last place of 1 in f32.
constexpr double kHalfUnit = 0x1p-24;

/// 4 units in the last place of f32: what an elementary function may be off.
inline double elementaryBound(double value) {
  return 4 * unitInLastPlace(Element::F32, value);
}

/// What a sum of n terms may be off: by rounding; by subnormal products and
/// sums taken for 0; without limit where part of it may be infinite.
double sumBound(int64_t n, double magnitudes);
/// By rounding alone.
double roundingBound(int64_t n, double magnitudes);

/// How far an element is from 0 if a device may read it as that, or 0.
double flushed(const Tensor &tensor, int64_t i);
/// Widens the bounds of operands by that, where `op` computes with them.
void allowFlush(mlir::Operation *op, llvm::MutableArrayRef<Datum> operands);

/// The largest change of `f` when its arguments move by their bounds.
double propagate(llvm::function_ref<double(double)> f, Estimate x);
double propagate(llvm::function_ref<double(double, double)> f, Estimate x,
                 Estimate y);

/// arith, math, tensor: numbers and sizes.
std::optional<Data> evaluateScalar(mlir::Operation *op,
                                   llvm::ArrayRef<Datum> operands);
std::optional<Data> evaluateElementwise(mlir::Operation *op,
                                        llvm::ArrayRef<Datum> operands);
std::optional<Data> evaluateShape(mlir::Operation *op,
                                  llvm::ArrayRef<Datum> operands);
std::optional<Data> evaluateReduction(mlir::Operation *op,
                                      llvm::ArrayRef<Datum> operands);
std::optional<Data> evaluateNorm(mlir::Operation *op,
                                 llvm::ArrayRef<Datum> operands);
std::optional<Data> evaluateRotation(mlir::Operation *op,
                                     llvm::ArrayRef<Datum> operands);
std::optional<Data> evaluateQuantization(mlir::Operation *op,
                                         llvm::ArrayRef<Datum> operands);
std::optional<Data> evaluateBlocks(mlir::Operation *op,
                                   llvm::ArrayRef<Datum> operands);
/// Raises `largestScore` to the largest `scale * sum |q_d k_d|` met.
std::optional<Data> evaluateAttention(mlir::Operation *op,
                                      llvm::ArrayRef<Datum> operands,
                                      double &largestScore);

} // namespace agt::reference

#endif // AGT_REFERENCE_OPS_H
