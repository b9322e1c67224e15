//===- Tensor.cpp - Tensors of the float64 oracle -------------------------===//

#include "reference/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <numeric>

using namespace agt::reference;
using llvm::ArrayRef;

namespace {
/// What tells a float type from another.
struct FloatFormat {
  int mantissaBits;   // without the leading one
  int smallestNormal; // exponent
  double largest;     // finite
};
} // namespace

static FloatFormat formatOf(Element element) {
  switch (element) {
  case Element::F16:
    return {10, -14, 65504.0};
  case Element::BF16:
    return {7, -126, 0x1.FEp127};
  case Element::F8E4M3:
    return {3, -6, 448.0};
  default:
    return {23, -126, 0x1.FFFFFEp127};
  }
}

Element agt::reference::elementOf(mlir::Type type) {
  type = mlir::getElementTypeOrSelf(type);
  if (type.isF32())
    return Element::F32;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return Element::F8E4M3;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return Element::Bool;
  case 8:
    return Element::I8;
  case 32:
    return Element::I32;
  default:
    return Element::I64;
  }
}

llvm::StringRef agt::reference::nameOf(Element element) {
  constexpr llvm::StringLiteral names[] = {"f32", "f16", "bf16", "f8e4m3",
                                           "i8",  "i32", "i64",  "bool"};
  return names[static_cast<int>(element)];
}

bool agt::reference::isFloat(Element element) {
  return element <= Element::F8E4M3;
}

double agt::reference::roundTo(Element element, double value) {
  if (element == Element::F32 || std::isnan(value))
    return value;
  FloatFormat format = formatOf(element);
  if (element == Element::F8E4M3)
    value = std::clamp(value, -format.largest, format.largest);
  if (value == 0 || std::isinf(value))
    return value;
  // In units of the last place an integer remains to be rounded; nearbyint
  // rounds ties to even.
  int exponent = std::max(std::ilogb(value), format.smallestNormal);
  int shift = exponent - format.mantissaBits;
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -shift)), shift);
  bool overflows = std::abs(rounded) > format.largest;
  return overflows ? std::copysign(kInfinity, value) : rounded;
}

double agt::reference::unitInLastPlace(Element element, double value) {
  FloatFormat format = formatOf(element);
  if (!std::isfinite(value))
    return 0;
  if (std::abs(value) > format.largest)
    return element == Element::F8E4M3 ? 32 : kInfinity;
  double least = std::ldexp(1.0, format.smallestNormal);
  if (std::abs(value) < least)
    return element == Element::F32 ? least
                                   : std::ldexp(least, -format.mantissaBits);
  return std::ldexp(1.0, std::ilogb(value) - format.mantissaBits);
}

/// The range of an integer type.
static std::pair<int64_t, int64_t> rangeOf(Element element) {
  switch (element) {
  case Element::I8:
    return {-128, 127};
  case Element::I32:
    return {INT32_MIN, INT32_MAX};
  case Element::Bool:
    return {0, 1};
  default:
    return {INT64_MIN, INT64_MAX};
  }
}

int64_t agt::reference::wrapTo(Element element, int64_t value) {
  switch (element) {
  case Element::I8:
    return static_cast<int8_t>(value);
  case Element::I32:
    return static_cast<int32_t>(value);
  case Element::Bool:
    return value & 1;
  default:
    return value;
  }
}

int64_t agt::reference::saturateTo(Element element, int64_t value) {
  if (element == Element::Bool)
    return value != 0;
  auto [least, most] = rangeOf(element);
  return std::clamp(value, least, most);
}

int64_t agt::reference::convertToInteger(Element element, double value) {
  if (element == Element::Bool)
    return value != 0; // NaN is not equal to 0
  if (std::isnan(value))
    return 0;
  auto [least, most] = rangeOf(element);
  if (value <= static_cast<double>(least))
    return least;
  if (value >= static_cast<double>(most))
    return most;
  return static_cast<int64_t>(value);
}

double agt::reference::distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  double result = std::abs(a - b);
  return std::isnan(result) ? kInfinity : result;
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

/// Throws what a container does that cannot hold so many.
static int64_t product(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  if (llvm::is_contained(shape, 0))
    return 0;
  for (int64_t size : shape)
    if (llvm::MulOverflow(count, size, count))
      throw std::length_error("too many elements");
  return count;
}

Tensor::Tensor(Element element, ArrayRef<int64_t> shape)
    : element(element), shape(shape.begin(), shape.end()) {
  if (isFloat())
    reals.resize(product(shape));
  else
    ints.resize(product(shape));
}

Tensor Tensor::floats(Element element, ArrayRef<int64_t> shape,
                      std::vector<double> values) {
  Tensor result(element, shape);
  assert(result.isFloat() && result.reals.size() == values.size());
  result.reals = std::move(values);
  return result;
}

Tensor Tensor::integers(Element element, ArrayRef<int64_t> shape,
                        std::vector<int64_t> values) {
  Tensor result(element, shape);
  assert(!result.isFloat() && result.ints.size() == values.size());
  result.ints = std::move(values);
  return result;
}

int64_t Tensor::size() const { return isFloat() ? reals.size() : ints.size(); }

void Tensor::setBound(int64_t i, double bound) {
  if (std::isnan(bound))
    bound = kInfinity;
  if (bound == 0 && bounds.empty())
    return;
  if (bounds.empty())
    bounds.resize(size());
  bounds[i] = bound;
}

void Tensor::setFloat(int64_t i, double value, double bound) {
  double rounded = roundTo(element, value);
  if (element != Element::F32 && (bound != 0 || rounded != value))
    bound += unitInLastPlace(element, value);
  // What a device may round to infinity.
  if (bound != 0 && element != Element::F8E4M3 && std::isfinite(value) &&
      std::abs(value) + bound > formatOf(element).largest)
    bound = kInfinity;
  reals[i] = rounded;
  setBound(i, bound);
}

void Tensor::setInteger(int64_t i, int64_t value, double bound) {
  ints[i] = wrapTo(element, value);
  setBound(i, bound);
}

void Tensor::copy(int64_t i, const Tensor &from, int64_t j) {
  if (isFloat())
    reals[i] = from.reals[j];
  else
    ints[i] = from.ints[j];
  setBound(i, from.bound(j));
}

//===----------------------------------------------------------------------===//
// Shapes and indices
//===----------------------------------------------------------------------===//

std::string agt::reference::formatShape(ArrayRef<int64_t> shape) {
  return llvm::formatv("[{0:$[, ]}]",
                       llvm::make_range(shape.begin(), shape.end()));
}

std::vector<int64_t> agt::reference::stridesOf(ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

std::vector<int64_t>
agt::reference::broadcastStrides(ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> target) {
  std::vector<int64_t> own = stridesOf(shape);
  std::vector<int64_t> strides(target.size(), 0);
  size_t skipped = target.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i)
    strides[skipped + i] = shape[i] == 1 ? 0 : own[i];
  return strides;
}

std::vector<int64_t> agt::reference::broadcast(ArrayRef<int64_t> a,
                                               ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  std::vector<int64_t> result(a.begin(), a.end());
  size_t skipped = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i)
    if (result[skipped + i] == 1)
      result[skipped + i] = b[i];
  return result;
}

void agt::reference::forEachIndex(
    ArrayRef<int64_t> shape,
    llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  std::vector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t i = shape.size();
    while (i > 0 && ++index[i - 1] == shape[i - 1])
      index[--i] = 0;
    if (i == 0)
      return;
  }
}

/// Nine digits tell any two floats apart.
static std::string formatNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::optional<std::string> agt::reference::compare(const Tensor &got,
                                                   const Tensor &want) {
  if (got.element != want.element || got.shape != want.shape)
    return llvm::formatv("expected {0} {1}, got {2} {3}", nameOf(want.element),
                         formatShape(want.shape), nameOf(got.element),
                         formatShape(got.shape))
        .str();
  std::optional<std::string> fault;
  int64_t i = 0;
  forEachIndex(want.shape, [&](ArrayRef<int64_t> index) {
    double apart = distance(got.number(i), want.number(i));
    if (!fault && !(apart <= want.bound(i)))
      fault = llvm::formatv("at {0}: expected {1} within {2}, got {3}",
                            formatShape(index), formatNumber(want.number(i)),
                            formatNumber(want.bound(i)),
                            formatNumber(got.number(i)))
                  .str();
    ++i;
  });
  return fault;
}
