//===- ShapeOps.cpp - Functions that move elements ------------------------===//
//
// Elements are copied with their bounds; nothing is computed.
//
//===----------------------------------------------------------------------===//

#include "reference/Ops.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace agt;
using namespace agt::reference;
using llvm::ArrayRef;

using Results = std::optional<Data>;

/// A tensor of `shape` whose element at an index is that of `input` at the
/// offset `source` gives.
static Tensor gather(const Tensor &input, ArrayRef<int64_t> shape,
                     llvm::function_ref<int64_t(ArrayRef<int64_t>)> source) {
  Tensor result(input.element, shape);
  int64_t i = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    result.copy(i++, input, source(index));
  });
  return result;
}

static Tensor reshape(ReshapeOp op, ArrayRef<Datum> operands) {
  Tensor result = *operands.front().tensor;
  auto type = cast<RankedTensorType>(op.getType());
  result.shape = type.getShape();
  size_t next = 1;
  for (int64_t &dim : result.shape)
    if (ShapedType::isDynamic(dim))
      dim = operands[next++].integer;
  return result;
}

static Tensor transpose(TransposeOp op, const Tensor &input) {
  std::vector<int64_t> own = stridesOf(input.shape), strides, shape;
  for (int64_t from : op.getPermutation()) {
    shape.push_back(input.shape[from]);
    strides.push_back(own[from]);
  }
  return gather(input, shape, [&](ArrayRef<int64_t> index) {
    return offsetOf(index, strides);
  });
}

static Tensor slice(SliceOp op, const Tensor &input, int64_t start,
                    int64_t stop) {
  std::vector<int64_t> strides = stridesOf(input.shape), shape = input.shape;
  int64_t axis = op.getAxis();
  shape[axis] = stop - start;
  int64_t skipped = start * strides[axis];
  return gather(input, shape, [&](ArrayRef<int64_t> index) {
    return skipped + offsetOf(index, strides);
  });
}

static Tensor concat(ConcatOp op, ArrayRef<Datum> operands) {
  int64_t axis = op.getAxis();
  std::vector<int64_t> shape = operands.front().tensor->shape;
  shape[axis] = 0;
  for (const Datum &operand : operands)
    shape[axis] += operand.tensor->shape[axis];
  Tensor result(operands.front().tensor->element, shape);
  std::vector<int64_t> strides = stridesOf(shape);
  int64_t start = 0;
  for (const Datum &operand : operands) {
    int64_t i = 0;
    forEachIndex(operand.tensor->shape, [&](ArrayRef<int64_t> index) {
      result.copy(start * strides[axis] + offsetOf(index, strides),
                  *operand.tensor, i++);
    });
    start += operand.tensor->shape[axis];
  }
  return result;
}

static Tensor iota(int64_t size) {
  Tensor result(Element::I32, {size});
  for (int64_t i = 0; i < size; ++i)
    result.setInteger(i, i);
  return result;
}

static Tensor embed(const Tensor &table, const Tensor &ids) {
  int64_t rows = table.shape[0], width = table.shape[1];
  std::vector<int64_t> shape = ids.shape;
  shape.push_back(width);
  Tensor result(table.element, shape);
  for (int64_t i = 0; i < ids.size(); ++i)
    for (int64_t d = 0; d < width; ++d) {
      int64_t id = ids.ints[i], to = i * width + d;
      if (id >= 0 && id < rows)
        result.copy(to, table, id * width + d);
      else if (result.isFloat())
        result.setFloat(to, kNaN, 0);
      else
        result.setInteger(to, 0);
      // A row that is not sure to be this one.
      if (ids.bound(i) == 0)
        continue;
      if (result.isFloat())
        result.setFloat(to, result.reals[to], kInfinity);
      else
        result.setInteger(to, result.ints[to], kInfinity);
    }
  return result;
}

/// `rows` [heads, tokens, dim] at their slots of `cache` [heads, places, dim].
static Tensor cacheAppend(const Tensor &cache, const Tensor &rows,
                          const Tensor &slots) {
  Tensor result = cache;
  int64_t places = cache.shape[1], dim = cache.shape[2];
  int64_t i = 0;
  forEachIndex(rows.shape, [&](ArrayRef<int64_t> index) {
    int64_t slot = slots.ints[index[1]];
    if (slot >= 0 && slot < places)
      result.copy((index[0] * places + slot) * dim + index[2], rows, i);
    ++i;
  });
  return result;
}

Results agt::reference::evaluateShape(Operation *op, ArrayRef<Datum> operands) {
  auto tensor = [&](unsigned i) -> const Tensor & {
    return *operands[i].tensor;
  };
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](ReshapeOp reshapeOp) {
        return Data{reshape(reshapeOp, operands)};
      })
      .Case([&](TransposeOp transposeOp) {
        return Data{transpose(transposeOp, tensor(0))};
      })
      .Case([&](SliceOp sliceOp) {
        return Data{slice(sliceOp, tensor(0), operands[1].integer,
                          operands[2].integer)};
      })
      .Case([&](ConcatOp concatOp) { return Data{concat(concatOp, operands)}; })
      .Case([&](ShardOp) { return Data{tensor(0)}; }) // where, not what
      .Case([&](IotaOp) { return Data{iota(operands[0].integer)}; })
      .Case([&](EmbedOp) { return Data{embed(tensor(0), tensor(1))}; })
      .Case([&](CacheAppendOp) {
        return Data{cacheAppend(tensor(0), tensor(1), tensor(2))};
      })
      .Default([](Operation *) { return Results(); });
}
