// See ProductKernel.h. Sizes and elements are in the builder of invocations
// (`k`, 32-bit indices), tiles in the one of vectors (`v`, 64 bits): each
// follows the other to where it stands.
#include "codegen/cpu/ProductKernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using agt::kernels::Linear;

namespace agt::cpu {

ProductKernel::ProductKernel(InvocationBuilder &k, kernels::Evaluator &e,
                             const kernels::ProductShape &shape, Value root,
                             const Target &target, ProductTile tile)
    : k(k), e(e), s(shape), root(root), tile(tile),
      shape{target.tileRows, 2, target.lanes}, v(k, k.function()) {}

Pointer ProductKernel::at(int64_t floats, Value index) {
  v.follow(k);
  Pointer base{&v, k.scratch(), v.builder().getF32Type()};
  return base + (v.index(index) + floats);
}

void ProductKernel::place() {
  Value across = e.size(s.n.ceilDiv(tile.columns));
  Value down = e.size(s.m.ceilDiv(tile.rows));
  Value group = k.group();
  Value rest = k.div(group, across);
  firstColumn = k.mul(k.sub(group, k.mul(rest, across)), tile.columns);
  batchNumber = k.div(rest, down);
  firstRow = k.mul(k.sub(rest, k.mul(batchNumber, down)), tile.rows);
  rowCount = k.minS(k.sub(e.size(s.m), firstRow), k.i32(tile.rows));
  columnCount = k.minS(k.sub(e.size(s.n), firstColumn), k.i32(tile.columns));
  if (!s.flat)
    batch = e.indicesOf(e.at(s.batchSizes, Linear{batchNumber}));
}

void ProductKernel::clearSums() {
  v.follow(k);
  v.loop(v.index(0), v.index(tile.rows * tile.columns), shape.lanes,
         [&](Index i) {
           Pointer base{&v, k.scratch(), v.builder().getF32Type()};
           CpuBuilder::Lanes scope(v, shape.lanes);
           v.store(base + (i + tile.sumsAt()), v.f32(0));
         });
}

void ProductKernel::packLeft(Value first, Value count) {
  e.forRange(k.i32(0), rowCount, 1, [&](Value row) {
    e.forRange(k.i32(0), count, 1, [&](Value term) {
      Value x = s.lhsAt(e, batch, k.add(firstRow, row), k.add(first, term));
      Pointer to = at(0, k.add(k.mul(row, tile.terms), term));
      v.store(to, x);
    });
  });
}

// Panels of [term][column]; columns beyond the last are left as they are.
void ProductKernel::packRows(Value first, Value count) {
  int64_t width = shape.width();
  Value panels = k.ceilDiv(columnCount, width);
  e.forRange(k.i32(0), panels, 1, [&](Value panel) {
    Value start = k.mul(panel, width);
    Value inPanel = k.minS(k.sub(columnCount, start), k.i32(width));
    auto copy = [&](Value term, Value column) {
      Value x = s.rhsAt(e, batch, k.add(first, term),
                        k.add(firstColumn, k.add(start, column)));
      Value number =
          k.add(k.mul(k.add(k.mul(panel, tile.terms), term), width), column);
      Pointer to = at(tile.rightAt(), number);
      v.store(to, x);
    };
    // The inner loop is the one whose elements are neighbours in memory.
    if (s.transposed)
      e.forRange(k.i32(0), inPanel, 1, [&](Value column) {
        e.forRange(k.i32(0), count, 1, [&](Value term) { copy(term, column); });
      });
    else
      e.forRange(k.i32(0), count, 1, [&](Value term) {
        e.forRange(k.i32(0), inPanel, 1,
                   [&](Value column) { copy(term, column); });
      });
  });
}

std::optional<DirectTensor> directTensor(Value tensor) {
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  if (auto op = tensor.getDefiningOp<CastOp>(); op && elementOf(op).isF32())
    tensor = op.getInput();
  if (!isa<BlockArgument>(tensor))
    return std::nullopt;
  Type element = elementOf(tensor);
  if (element.isF32())
    return DirectTensor{tensor, AGT_F32};
  if (element.isF16())
    return DirectTensor{tensor, AGT_F16};
  if (element.isBF16())
    return DirectTensor{tensor, AGT_BF16};
  return std::nullopt;
}

unsigned bufferOf(Value tensor) {
  auto argument = cast<BlockArgument>(tensor);
  unsigned number = 0;
  for (BlockArgument other :
       argument.getOwner()->getArguments().take_front(argument.getArgNumber()))
    number += isa<RankedTensorType>(other.getType());
  return number;
}

// A weight [N, K] as it lies in memory: squares of it are transposed in
// registers. Columns beyond the last are the last again.
void ProductKernel::packDirect(Value first, Value count) {
  Value tensor = directTensor(s.rhs)->tensor;
  agt_dtype dtype = directTensor(s.rhs)->dtype;
  int64_t width = shape.width(), lanes = shape.lanes;
  Value length = e.size(s.k), last = k.sub(e.size(s.n), k.i32(1));
  v.follow(k);
  Index terms64 = v.index(count), stride = v.index(length);
  Index lastColumn = v.index(last), begin = v.index(firstColumn);
  Pointer weight{&v, k.bufferAddress(bufferOf(tensor)), v.memoryType(dtype)};
  weight = weight + v.index(first);
  Pointer to{&v, k.scratch(), v.builder().getF32Type()};
  to = to + tile.rightAt();
  v.loop(v.index(0), v.index(columnCount), lanes, [&](Index column) {
    SmallVector<Pointer> from;
    for (int64_t i = 0; i < lanes; ++i)
      from.push_back(weight + min(begin + column + i, lastColumn) * stride);
    Pointer panel =
        to + (column / width * (tile.terms * width) + column % width);
    v.loop(v.index(0), terms64, lanes, [&](Index term) {
      SmallVector<Value> values;
      for (Pointer row : from)
        values.push_back(v.loadF32(row + term, dtype, lanes));
      values = transpose(v, values);
      for (int64_t i = 0; i < lanes; ++i)
        v.store(panel + (term + i) * width, values[i]);
    });
  });
}

void ProductKernel::packRight(Value first, Value count) {
  if (s.transposed && directTensor(s.rhs))
    packDirect(first, count);
  else
    packRows(first, count);
}

void ProductKernel::multiply(Value count) {
  v.follow(k);
  Index depth = v.index(count);
  Pointer base{&v, k.scratch(), v.builder().getF32Type()};
  Pointer left = base, right = base + tile.rightAt(),
          sums = base + tile.sumsAt();
  int64_t width = shape.width(), lanes = shape.lanes;
  v.loop(v.index(0), v.index(rowCount), shape.rows, [&](Index row) {
    v.loop(v.index(0), v.index(columnCount), width, [&](Index column) {
      Pointer panel = right + column * tile.terms;
      SmallVector<Value> products = tileProduct(
          v, shape, depth, left + row * tile.terms, v.index(tile.terms),
          [&](Index t) {
            SmallVector<Value> values;
            for (int64_t c = 0; c < shape.columns; ++c)
              values.push_back(v.load(panel + (t * width + c * lanes), lanes));
            return values;
          });
      Pointer to = sums + (row * tile.columns + column);
      for (int64_t r = 0; r < shape.rows; ++r)
        for (int64_t c = 0; c < shape.columns; ++c) {
          Pointer sum = to + (r * tile.columns + c * lanes);
          v.store(sum,
                  v.fadd(v.load(sum, lanes), products[r * shape.columns + c]));
        }
    });
  });
}

void ProductKernel::storeTile() {
  Value n = e.size(s.n), above = k.mul(batchNumber, e.size(s.m));
  e.forRange(k.i32(0), rowCount, 1, [&](Value r) {
    Value row = k.add(firstRow, r);
    Value start = k.mul(k.add(above, row), n);
    e.forRange(k.i32(0), columnCount, 1, [&](Value c) {
      Value sum = v.load(at(tile.sumsAt(), k.add(k.mul(r, tile.columns), c)));
      Value column = k.add(firstColumn, c);
      Value number = k.add(start, column);
      e.store(0, number,
              s.finished(e, root, batch, row, column, Linear{number}, sum));
    });
  });
}

void ProductKernel::addProducts(Value first, Value count) {
  packRight(first, count);
  multiply(count);
}

void ProductKernel::build() {
  place();
  clearSums();
  Value end = e.size(s.k);
  e.forRange(k.i32(0), end, tile.terms, [&](Value first) {
    Value count = k.minS(k.sub(end, first), k.i32(tile.terms));
    packLeft(first, count);
    addProducts(first, count);
  });
  storeTile();
}

} // namespace agt::cpu
