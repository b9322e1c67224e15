//===- Tensor.h - Tensors of the float64 oracle -----------------*- C++ -*-===//
//
// A tensor holds the values that the language defines, and for each element a
// bound: how far a correct device may be from it.
//
//   - f32 elements are kept in float64 and not rounded: the oracle stands for
//     the exact value. f16, bf16 and f8 are rounded where the language rounds,
//     once a function, since what follows depends on it.
//   - integers and bools are exact, 64 bits wide here, wrapped to their width.
//   - bounds follow attention.md section 1: 4 units in the last place of f32
//     for elementary functions, 4 * 2^-24 * sqrt(n) * (sum of magnitudes) for
//     sums and products, attention's own formula; plus what the bounds of the
//     operands become through the function, plus a unit in the last place of a
//     narrow result. Inputs have 0. Where an error may change a decision (a
//     comparison, an index) the bound is infinite: any value is right.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_REFERENCE_TENSOR_H
#define AGT_REFERENCE_TENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Type;
} // namespace mlir

namespace agt::reference {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

enum class Element { F32, F16, BF16, F8E4M3, I8, I32, I64, Bool };

/// The element type of an agt tensor type or the type of its elements.
Element elementOf(mlir::Type type);
/// The language's name: `f8e4m3`, `bool`, ...
llvm::StringRef nameOf(Element element);
bool isFloat(Element element);

/// To nearest, ties to even; f8e4m3 saturates; f32 stays as it is.
double roundTo(Element element, double value);
/// One unit in the last place at `value`, at least that of the smallest
/// normal number (devices may flush what lies below).
double unitInLastPlace(Element element, double value);
/// Keeps the low bits of an integer type.
int64_t wrapTo(Element element, int64_t value);
/// Truncated, saturated, NaN to 0; bool: not equal to 0.
int64_t convertToInteger(Element element, double value);
int64_t saturateTo(Element element, int64_t value);

/// |a - b| where equal infinities and two NaNs are no distance apart.
double distance(double a, double b);

struct Tensor {
  Tensor() = default;
  Tensor(Element element, llvm::ArrayRef<int64_t> shape);

  /// Floats, checked to be as many as the shape says.
  static Tensor floats(Element element, llvm::ArrayRef<int64_t> shape,
                       std::vector<double> values);
  static Tensor integers(Element element, llvm::ArrayRef<int64_t> shape,
                         std::vector<int64_t> values);

  int64_t rank() const { return shape.size(); }
  int64_t size() const;
  bool isFloat() const { return reference::isFloat(element); }
  bool isExact() const { return bounds.empty(); }

  /// An element as a number, whatever its type.
  double number(int64_t i) const {
    return isFloat() ? reals[i] : double(ints[i]);
  }
  double bound(int64_t i) const { return bounds.empty() ? 0 : bounds[i]; }

  /// Stores a float, rounded to the element type; `bound` is how far the f32
  /// value of a device may be from it.
  void setFloat(int64_t i, double value, double bound);
  /// Stores an integer, wrapped to the element type.
  void setInteger(int64_t i, int64_t value, double bound = 0);
  void setBound(int64_t i, double bound);
  /// Copies an element of the same type with its bound.
  void copy(int64_t i, const Tensor &from, int64_t j);

  Element element = Element::F32;
  std::vector<int64_t> shape;
  std::vector<double> reals;  // of float types
  std::vector<int64_t> ints;  // of the others
  std::vector<double> bounds; // empty: all 0
};

/// `[8, 4, 16]`
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// Strides of C order.
std::vector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape);
/// Strides with which a tensor of `shape` is read at indices of `target`, to
/// which it broadcasts: 0 where it is stretched.
std::vector<int64_t> broadcastStrides(llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<int64_t> target);
/// NumPy's broadcasting of two shapes that agree.
std::vector<int64_t> broadcast(llvm::ArrayRef<int64_t> a,
                               llvm::ArrayRef<int64_t> b);
inline int64_t offsetOf(llvm::ArrayRef<int64_t> index,
                        llvm::ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i)
    offset += index[i] * strides[i];
  return offset;
}
/// Calls `visit` with every index of `shape` in C order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The first element of `got` that is farther from `want` than its bound
/// allows, as a sentence; nothing where all are within.
std::optional<std::string> compare(const Tensor &got, const Tensor &want);

} // namespace agt::reference

#endif // AGT_REFERENCE_TENSOR_H
