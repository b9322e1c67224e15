//===- DataChecks.cpp - What the elements of inputs have to be ------------===//
//
// Offsets of packed sequences and scales of 8-bit blocks that make no sense are
// refused where a graph is given them, with the words of a compiled program
// (runtime/Plan/DataChecks.cpp). What the graph computes is by its own kernels.
//
//===----------------------------------------------------------------------===//

#include "reference/Checks.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;
using llvm::Error;

/// `name[2, 0]`
static std::string elementText(const Datum &input, int64_t offset) {
  ArrayRef<int64_t> shape = input.tensor->shape;
  std::vector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = offset % shape[i];
    offset /= shape[i];
  }
  return input.input + formatShape(index);
}

static Error checkOffsets(Operation *op, const Datum &offsets, int64_t tokens) {
  ArrayRef<int64_t> values = offsets.tensor->ints;
  auto refuse = [&](const std::string &what, const std::string &got) {
    return failAt(op, "expected offsets in '" + offsets.input + "' that " +
                          what + ", got " + got);
  };
  auto shown = [&](size_t i) {
    return elementText(offsets, i) + " = " + std::to_string(values[i]);
  };
  if (values.empty())
    return refuse("start at 0", "none");
  if (values[0] != 0)
    return refuse("start at 0", shown(0));
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1])
      return refuse("do not decrease", shown(i) + " behind " + shown(i - 1));
    if (values[i] > tokens)
      return refuse("end within the " + std::to_string(tokens) +
                        " tokens there are",
                    shown(i));
  }
  return Error::success();
}

/// The first element of a block that is not 0, or -1.
static int64_t firstOther(const Tensor &values, int64_t scale, int64_t blocks,
                          int64_t block, bool headsFirst) {
  ArrayRef<int64_t> shape = values.shape;
  size_t rank = shape.size();
  int64_t dim = shape.back(), tokens = shape[rank - (headsFirst ? 2 : 3)],
          heads = shape[rank - (headsFirst ? 3 : 2)];
  int64_t number = scale % blocks, head = scale / blocks % heads,
          batch = scale / blocks / heads;
  int64_t last = std::min(tokens, (number + 1) * block);
  for (int64_t t = number * block; t < last; ++t) {
    int64_t row = headsFirst ? (batch * heads + head) * tokens + t
                             : (batch * tokens + t) * heads + head;
    for (int64_t i = row * dim; i < (row + 1) * dim; ++i)
      if (values.number(i) != 0)
        return i;
  }
  return -1;
}

static Error checkScales(Operation *op, const Datum &scales,
                         const Datum &values, int64_t block, bool headsFirst) {
  ArrayRef<double> numbers = scales.tensor->reals;
  for (auto [i, scale] : llvm::enumerate(numbers))
    if (!std::isfinite(scale))
      return failAt(op, "expected finite scales in '" + scales.input +
                            "', got " + elementText(scales, i) + " = " +
                            (std::isnan(scale) ? "nan"
                             : scale < 0       ? "-inf"
                                               : "inf"));
  for (auto [i, scale] : llvm::enumerate(numbers)) {
    int64_t other =
        scale == 0 ? firstOther(*values.tensor, i, scales.tensor->shape.back(),
                                block, headsFirst)
                   : -1;
    if (other >= 0)
      return failAt(op, "expected scales in '" + scales.input +
                            "' that are not 0 where values are not, got " +
                            elementText(scales, i) + " = 0 for " +
                            elementText(values, other));
  }
  return Error::success();
}

Error agt::reference::checkData(Operation *operation,
                                ArrayRef<Datum> operands) {
  auto op = dyn_cast<AttentionOp>(operation);
  if (!op)
    return Error::success();
  // Null where there is no such operand.
  auto datum = [&](Value value) -> const Datum * {
    for (auto [operand, datum] : llvm::zip_equal(op->getOperands(), operands))
      if (operand == value)
        return &datum;
    return nullptr;
  };
  auto isInput = [](const Datum *datum) {
    return datum && !datum->input.empty();
  };
  bool headsFirst = op.getLayout() == Layout::HSD;
  for (auto [offsets, rows] : {std::pair(op.getQCu(), op.getQuery()),
                               std::pair(op.getKvCu(), op.getKey())}) {
    ArrayRef<int64_t> shape = datum(rows)->tensor->shape;
    int64_t tokens = shape[shape.size() - (headsFirst ? 2 : 3)];
    if (const Datum *given = datum(offsets); isInput(given))
      if (Error error = checkOffsets(op, *given, tokens))
        return error;
  }
  for (auto [scales, values, block] :
       {std::tuple(op.getKScale(), op.getKey(), op.getKBlock()),
        std::tuple(op.getVScale(), op.getValue(), op.getVBlock())}) {
    const Datum *given = datum(scales), *of = datum(values);
    if (isInput(given) && isInput(of))
      if (Error error = checkScales(op, *given, *of, *block, headsFirst))
        return error;
  }
  return Error::success();
}
