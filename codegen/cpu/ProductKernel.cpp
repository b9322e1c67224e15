// See ProductKernel.h. Sizes and elements are in the builder of invocations
// (`k`, 32-bit indices), tiles in the one of vectors (`v`, 64 bits): each
// follows the other to where it stands.
#include "codegen/cpu/ProductKernel.h"

#include "codegen/cpu/BlockParts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using agt::kernels::Linear;

namespace agt::cpu {

ProductKernel::ProductKernel(InvocationBuilder &k, kernels::Evaluator &e,
                             const kernels::ProductShape &shape, Value root,
                             const Target &target, ProductTile tile, bool pairs)
    : k(k), e(e), s(shape), root(root), tile(tile),
      shape{target.tileRows, 2, target.lanes}, pairs(pairs),
      v(k, k.function()) {}

UnpackBlocksOp blocksOf(Value tensor) {
  auto unpack = tensor.getDefiningOp<UnpackBlocksOp>();
  return unpack && isa<BlockArgument>(unpack.getBytes()) ? unpack
                                                         : UnpackBlocksOp();
}

ProductTile ProductKernel::packed(const kernels::ProductShape &shape) {
  UnpackBlocksOp unpack = blocksOf(shape.rhs);
  int64_t terms = unpack ? layoutOf(unpack.getFormat()).numbers : 0;
  return {294, 128, std::max<int64_t>(terms, 128), true};
}

bool hasPairs(const kernels::ProductShape &shape) {
  auto isBf16 = [](Value tensor) {
    auto direct = directTensor(tensor);
    return direct && direct->dtype == AGT_BF16;
  };
  auto terms = dyn_cast<AffineConstantExpr>(shape.k);
  return shape.transposed && shape.flat && isBf16(shape.lhs) &&
         isBf16(shape.rhs) && terms && terms.getValue() % 2 == 0;
}

Pointer ProductKernel::scratch(int64_t floats) {
  return Pointer{&v, k.scratch(), v.builder().getF32Type()} + floats;
}

Pointer ProductKernel::at(int64_t floats, Value index) {
  v.follow(k);
  return scratch(floats) + v.index(index);
}

void ProductKernel::place() {
  Value across = e.size(s.n.ceilDiv(tile.columns));
  Value down = e.size(s.m.ceilDiv(tile.rows));
  Value group = k.group();
  Value rest = k.div(group, across);
  firstColumn = k.mul(k.sub(group, k.mul(rest, across)), tile.columns);
  batchNumber = k.div(rest, down);
  // Tiles are as many as they must be, and of one size.
  Value rows = k.i32(tile.rows);
  if (tile.panels) {
    Value share = k.div(k.add(e.size(s.m), k.sub(down, k.i32(1))), down);
    rows = k.mul(k.ceilDiv(share, shape.rows), shape.rows);
  }
  firstRow = k.mul(k.sub(rest, k.mul(batchNumber, down)), rows);
  rowCount = k.minS(k.sub(e.size(s.m), firstRow), rows);
  columnCount = k.minS(k.sub(e.size(s.n), firstColumn), k.i32(tile.columns));
  if (!s.flat)
    batch = e.indicesOf(e.at(s.batchSizes, Linear{batchNumber}));
}

void ProductKernel::clearSums() {
  v.follow(k);
  // Those of whole tiles in registers.
  Index rows =
      min(ceilDiv(v.index(rowCount), shape.rows) * shape.rows, tile.rows);
  v.loop(v.index(0), rows * tile.columns, shape.lanes, [&](Index i) {
    CpuBuilder::Lanes scope(v, shape.lanes);
    v.store(scratch(tile.sumsAt()) + i, v.f32(0));
  });
}

void ProductKernel::packLeft(Value first, Value count) {
  if (std::optional<DirectTensor> direct = directTensor(s.lhs);
      direct && s.flat) {
    agt_dtype dtype = pairs ? AGT_F32 : direct->dtype;
    Value length = e.size(s.k);
    v.follow(k);
    Index stride = v.index(length) / termsOfElement();
    Pointer from{&v, k.bufferAddress(bufferOf(direct->tensor)),
                 v.memoryType(dtype)};
    from = from + (v.index(firstRow) * stride + v.index(first));
    Pointer to = scratch(0);
    return v.loop(v.index(0), v.index(rowCount), 1, [&](Index row) {
      v.loop(v.index(0), v.index(count), shape.lanes, [&](Index term) {
        v.store(to + (row * tile.terms + term),
                v.loadF32(from + (row * stride + term), dtype, shape.lanes));
      });
    });
  }
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

Pointer ProductKernel::Weight::row(Index column) const {
  return begin + min(firstColumn + column, lastColumn) * stride;
}

ProductKernel::Weight ProductKernel::weightFrom(Value first) {
  UnpackBlocksOp unpack = blocksOf(s.rhs);
  BlockLayout layout{termsOfElement(), 1};
  Type element = v.builder().getI8Type();
  Value tensor;
  if (unpack) {
    layout = layoutOf(unpack.getFormat());
    tensor = unpack.getBytes();
  } else {
    DirectTensor direct = *directTensor(s.rhs);
    tensor = direct.tensor;
    element = v.memoryType(pairs ? AGT_F32 : direct.dtype);
  }
  Value length = e.size(s.k), last = k.sub(e.size(s.n), k.i32(1));
  v.follow(k);
  auto elements = [&](Index terms) {
    return terms / layout.numbers * layout.bytes;
  };
  Pointer begin{&v, k.bufferAddress(bufferOf(tensor)), element};
  return {begin + elements(v.index(first) * termsOfElement()),
          elements(v.index(length)), v.index(firstColumn), v.index(last)};
}

void ProductKernel::packDirect(Value first, Value count) {
  agt_dtype dtype = pairs ? AGT_F32 : directTensor(s.rhs)->dtype;
  Weight weight = weightFrom(first);
  v.loop(v.index(0), v.index(columnCount), shape.lanes, [&](Index column) {
    SmallVector<Pointer> from;
    for (int64_t i = 0; i < shape.lanes; ++i)
      from.push_back(weight.row(column + i));
    packPanel(from, dtype, column, v.index(count));
  });
}

// Quantised blocks: the columns are decoded to scratch first.
void ProductKernel::packBlocks(Value first, Value count) {
  UnpackBlocksOp unpack = blocksOf(s.rhs);
  BlockLayout layout = layoutOf(unpack.getFormat());
  Weight weight = weightFrom(first);
  Index terms = v.index(count);
  Pointer decoded = scratch(tile.decodedAt());
  v.loop(v.index(0), v.index(columnCount), shape.lanes, [&](Index column) {
    v.loop(v.index(0), v.index(shape.lanes), 1, [&](Index i) {
      Pointer row = weight.row(column + i), to = decoded + i * tile.terms;
      v.loop(v.index(0), terms / layout.numbers, 1, [&](Index block) {
        for (const BlockPart &part :
             partsOfBlock(v, unpack.getFormat(), row + block * layout.bytes,
                          shape.lanes))
          v.store(to + (block * layout.numbers + part.at),
                  part.numbers(v, shape.lanes));
      });
    });
    SmallVector<Pointer> from;
    for (int64_t i = 0; i < shape.lanes; ++i)
      from.push_back(decoded + i * tile.terms);
    packPanel(from, AGT_F32, column, terms);
  });
}

// Squares are transposed in registers.
void ProductKernel::packPanel(ArrayRef<Pointer> columns, agt_dtype dtype,
                              Index column, Index count) {
  int64_t width = shape.width();
  Pointer panel = scratch(tile.rightAt()) +
                  (column / width * (tile.terms * width) + column % width);
  v.loop(v.index(0), count, shape.lanes, [&](Index term) {
    SmallVector<Value> values;
    for (Pointer from : columns)
      values.push_back(v.loadF32(from + term, dtype, shape.lanes));
    values = transpose(v, values);
    for (int64_t i = 0; i < shape.lanes; ++i)
      v.store(panel + (term + i) * width, values[i]);
  });
}

void ProductKernel::packRight(Value first, Value count) {
  if (s.transposed && directTensor(s.rhs))
    packDirect(first, count);
  else if (s.transposed && blocksOf(s.rhs))
    packBlocks(first, count);
  else
    packRows(first, count);
}

void ProductKernel::multiply(Value count) {
  v.follow(k);
  Index depth = v.index(count);
  Pointer left = scratch(0), right = scratch(tile.rightAt()),
          sums = scratch(tile.sumsAt());
  int64_t width = shape.width(), lanes = shape.lanes;
  // A panel stays in the nearest cache while the rows go by.
  v.loop(v.index(0), v.index(columnCount), width, [&](Index column) {
    Pointer panel = right + column * tile.terms;
    v.loop(v.index(0), v.index(rowCount), shape.rows, [&](Index row) {
      SmallVector<Value> products = tileProduct(
          v, shape, depth, left + row * tile.terms, v.index(tile.terms),
          [&](Index t) {
            SmallVector<Value> values;
            for (int64_t c = 0; c < shape.columns; ++c)
              values.push_back(v.load(panel + (t * width + c * lanes), lanes));
            return values;
          },
          pairs);
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
  Value end = k.div(e.size(s.k), termsOfElement());
  e.forRange(k.i32(0), end, tile.terms, [&](Value first) {
    Value count = k.minS(k.sub(end, first), k.i32(tile.terms));
    packLeft(first, count);
    addProducts(first, count);
  });
  storeTile();
}

} // namespace agt::cpu
