// Kernels of products: matmul and linear.
//
// On CPU drivers a workgroup is one subgroup and owns a tile of rows by
// columns: lanes are columns, lane e loads element e of each row's next chunk,
// and the elements reach the other lanes by broadcast, so that a loaded value
// is used as often as there are rows or columns. No barrier, no shared memory.
// Few rows by a transposed matrix are bound by memory: there lanes are terms of
// the same sums, which reads the matrix as it lies. The last variant asks
// nothing of subgroups and takes few rows: an invocation has one word of
// columns and reads the rows' elements as uniform loads.
//
// Sums start from zero in blocks of 128 terms.
#include "codegen/kernels/KernelVariants.h"
#include "codegen/kernels/ProductShape.h"

#include "dialect/Agt/Shapes.h"

using namespace mlir;

namespace agt::kernels {

static constexpr int64_t kBlock = 128;

namespace {

/// What the lanes of a workgroup are.
enum class Lanes {
  Columns,   // columns, each on its own
  Broadcast, // columns; a subgroup that hands out the rows' elements
  Terms      // terms of the same sums; a subgroup that adds them up
};

struct Tile {
  int64_t rows, columns; // columns of one lane
  int64_t lanes;
  Lanes kind;

  int64_t width() const {
    return kind == Lanes::Terms ? columns : columns * lanes;
  }
};

class ProductKernel {
public:
  ProductKernel(Evaluator &evaluator, const ProductShape &shape, Tile tile,
                Value root)
      : e(evaluator), k(evaluator.builder()), s(shape), tile(tile), root(root) {
  }

  void build();

private:
  void place();
  Value lhsAt(int64_t row, Value index);
  Value rhsAt(Value index, int64_t column);
  void multiply(ArrayRef<Variable> sums);
  void multiplyChunk(ArrayRef<Variable> sums, Value first);
  void multiplyOne(ArrayRef<Variable> sums, Value index);
  void multiplyRange(ArrayRef<Variable> sums, Value first, Value last);
  void accumulate(Values &sums, ArrayRef<Value> rows, ArrayRef<Value> columns);
  void addLanes(ArrayRef<Variable> sums);
  void storeTile(ArrayRef<Variable> sums);
  void storeRow(Value row, ArrayRef<Value> sums);
  Value finished(Value row, Value column, Linear number, Value sum);

  SmallVector<Variable> makeSums();
  Values load(ArrayRef<Variable> variables);
  int64_t perWord() { return ElementTypes::perWord(e.resultElement(0)); }
  bool wholeWords() {
    return s.n.isMultipleOf(perWord()) && tile.columns % perWord() == 0;
  }

  Evaluator &e;
  KernelBuilder &k;
  const ProductShape &s;
  Tile tile;
  Value root;
  Value batchNumber, lane;
  Values batch;             // indices of the leading dims
  Values rows, columns;     // real numbers
  Values rowsIn, columnsIn; // clamped to what exists
};

} // namespace

// ---- where this workgroup stands -------------------------------------------

void ProductKernel::place() {
  Value tilesAcross = e.size(s.n.ceilDiv(tile.width()));
  Value down = e.size(s.m.ceilDiv(tile.rows));
  Value group = k.workgroup();
  Value rest = k.div(group, tilesAcross);
  Value tileColumn = k.sub(group, k.mul(rest, tilesAcross));
  batchNumber = k.div(rest, down);
  Value tileRow = k.sub(rest, k.mul(batchNumber, down));
  lane = k.thread();
  if (!s.flat)
    batch = e.indicesOf(e.at(s.batchSizes, Linear{batchNumber}));

  Value m = e.size(s.m), n = e.size(s.n);
  Value lastRow = k.sub(m, k.i32(1)), lastColumn = k.sub(n, k.i32(1));
  for (int64_t r = 0; r < tile.rows; ++r) {
    rows.push_back(k.add(k.mul(tileRow, tile.rows), r));
    rowsIn.push_back(k.minU(rows.back(), lastRow));
  }
  // Columns of one word stay in one invocation.
  int64_t word = wholeWords() ? perWord() : 1;
  int64_t across = tile.width() / tile.columns;
  Value first = k.mul(tileColumn, tile.width());
  if (across > 1)
    first = k.add(first, k.mul(lane, word));
  for (int64_t c = 0; c < tile.columns; ++c) {
    columns.push_back(k.add(first, c / word * word * across + c % word));
    columnsIn.push_back(k.minU(columns.back(), lastColumn));
  }
}

Value ProductKernel::lhsAt(int64_t row, Value index) {
  return s.lhsAt(e, batch, rowsIn[row], index);
}

Value ProductKernel::rhsAt(Value index, int64_t column) {
  return s.rhsAt(e, batch, index, columnsIn[column]);
}

// ---- sums ------------------------------------------------------------------

SmallVector<Variable> ProductKernel::makeSums() {
  SmallVector<Variable> sums;
  for (int64_t i = 0; i < tile.rows * tile.columns; ++i)
    sums.push_back(k.makeVariable(k.f32(0)));
  return sums;
}

Values ProductKernel::load(ArrayRef<Variable> variables) {
  Values values;
  for (Variable variable : variables)
    values.push_back(k.load(variable));
  return values;
}

void ProductKernel::accumulate(Values &sums, ArrayRef<Value> rowValues,
                               ArrayRef<Value> columnValues) {
  for (auto [r, row] : llvm::enumerate(rowValues))
    for (auto [c, column] : llvm::enumerate(columnValues)) {
      Value &sum = sums[r * tile.columns + c];
      sum = k.fma(row, column, sum);
    }
}

// As many terms as there are lanes, each lane with one of every row.
void ProductKernel::multiplyChunk(ArrayRef<Variable> variables, Value first) {
  Values sums = load(variables), mine;
  for (int64_t r = 0; r < tile.rows; ++r)
    mine.push_back(lhsAt(r, k.add(first, lane)));
  for (int64_t i = 0; i < tile.lanes; ++i) {
    Values columnValues, rowValues;
    for (int64_t c = 0; c < tile.columns; ++c)
      columnValues.push_back(rhsAt(k.add(first, i), c));
    for (Value value : mine)
      rowValues.push_back(k.broadcast(value, i));
    accumulate(sums, rowValues, columnValues);
  }
  for (auto [variable, sum] : llvm::zip_equal(variables, sums))
    k.store(variable, sum);
}

void ProductKernel::multiplyOne(ArrayRef<Variable> variables, Value index) {
  Values sums = load(variables), rowValues, columnValues;
  for (int64_t r = 0; r < tile.rows; ++r)
    rowValues.push_back(lhsAt(r, index));
  for (int64_t c = 0; c < tile.columns; ++c)
    columnValues.push_back(rhsAt(index, c));
  accumulate(sums, rowValues, columnValues);
  for (auto [variable, sum] : llvm::zip_equal(variables, sums))
    k.store(variable, sum);
}

// first is a multiple of the chunk.
void ProductKernel::multiplyRange(ArrayRef<Variable> sums, Value first,
                                  Value last) {
  Value chunked = first;
  if (tile.kind == Lanes::Terms) {
    e.forRange(k.add(first, lane), last, tile.lanes,
               [&](Value index) { multiplyOne(sums, index); });
    return;
  }
  if (tile.kind == Lanes::Broadcast) {
    chunked = k.sub(last, k.rem(k.sub(last, first), tile.lanes));
    e.forRange(first, chunked, tile.lanes,
               [&](Value index) { multiplyChunk(sums, index); });
    if (s.k.isMultipleOf(tile.lanes))
      return;
  }
  e.forRange(chunked, last, 1, [&](Value index) { multiplyOne(sums, index); });
}

void ProductKernel::multiply(ArrayRef<Variable> sums) {
  Value end = e.size(s.k);
  auto length = dyn_cast<AffineConstantExpr>(s.k);
  if (length && length.getValue() <= kBlock)
    return multiplyRange(sums, k.i32(0), end);
  e.forRange(k.i32(0), end, kBlock, [&](Value start) {
    SmallVector<Variable> block = makeSums();
    multiplyRange(block, start, k.minS(k.add(start, kBlock), end));
    for (auto [sum, part] : llvm::zip_equal(sums, block))
      k.store(sum, k.fadd(k.load(sum), k.load(part)));
  });
}

// ---- results ---------------------------------------------------------------

Value ProductKernel::finished(Value row, Value column, Linear number,
                              Value sum) {
  return s.finished(e, root, batch, row, column, number, sum);
}

void ProductKernel::storeRow(Value row, ArrayRef<Value> sums) {
  Value n = e.size(s.n);
  Value line = k.add(k.mul(batchNumber, e.size(s.m)), row);
  Value start = k.mul(line, n);
  int64_t word = wholeWords() ? perWord() : 1;
  for (int64_t c = 0; c < tile.columns; c += word)
    e.ifThen(k.ult(columns[c], n), [&] {
      if (word == 1) {
        Value number = k.add(start, columns[c]);
        e.store(0, number, finished(row, columns[c], {number}, sums[c]));
        return;
      }
      Value wordNumber = k.div(k.add(start, columns[c]), word);
      Values elements;
      for (int64_t i = 0; i < word; ++i)
        elements.push_back(
            finished(row, columns[c + i], {wordNumber, word, i}, sums[c + i]));
      e.storeWord(0, wordNumber, elements);
    });
}

void ProductKernel::storeTile(ArrayRef<Variable> variables) {
  Value m = e.size(s.m);
  for (int64_t r = 0; r < tile.rows; ++r)
    e.ifThen(k.ult(rows[r], m), [&] {
      storeRow(rows[r], load(variables.slice(r * tile.columns, tile.columns)));
    });
}

// The lanes' sums into one, for lane 0 to store.
void ProductKernel::addLanes(ArrayRef<Variable> sums) {
  for (Variable sum : sums) {
    Values whole = combineLanes(k, tile.lanes, {k.load(sum)},
                                [&](ArrayRef<Value> a, ArrayRef<Value> b) {
                                  return Values{k.fadd(a[0], b[0])};
                                });
    k.store(sum, whole[0]);
  }
}

void ProductKernel::build() {
  place();
  SmallVector<Variable> sums = makeSums();
  multiply(sums);
  if (tile.kind != Lanes::Terms)
    return storeTile(sums);
  addLanes(sums);
  e.ifThen(k.eq(lane, k.i32(0)), [&] { storeTile(sums); });
}

// ---- variants --------------------------------------------------------------

// Measured on lavapipe at 256-bit vectors: a broadcast costs 1.5 multiply-adds,
// a load of the lanes 10, whatever it loads. So tiles are as tall as registers
// allow; a subgroup of 32 is a GPU's, with less room in each lane.
static Tile tileFor(uint32_t subgroup) {
  switch (subgroup) {
  case 4:
    return {8, 2, 4, Lanes::Broadcast};
  case 8:
    return {16, 2, 8, Lanes::Broadcast};
  case 16:
    return {8, 2, 16, Lanes::Broadcast};
  default:
    return {8, 1, subgroup, Lanes::Broadcast};
  }
}

LogicalResult buildProduct(VariantSet &variants, Operation *anchor) {
  KernelShapes &shapes = variants.shapes();
  ProductShape shape(shapes, anchor);
  KernelOp kernel = variants.kernel();
  Value root = kernel.getBody().front().getTerminator()->getOperand(0);
  Type element = cast<RankedTensorType>(root.getType()).getElementType();
  int64_t perWord = ElementTypes::perWord(element);
  LaunchSize &launch = variants.launch();
  launch.work = {shape.batch, shape.m, shape.n, shapes.constant(1)};
  AffineExpr perRow = shape.n * shape.k * shape.batch;
  launch.flops = perRow * shape.m * 2;

  auto add = [&](VariantPlan plan, Tile tile) {
    plan.workgroupSize = tile.lanes;
    plan.tile = {1, tile.rows, tile.width(), 1};
    return variants.add(plan, [&](Evaluator &e) {
      ProductKernel(e, shape, tile, root).build();
    });
  };

  // A tile that is mostly padding still beats low ones from the fifth row on.
  auto rowSize = dyn_cast<AffineConstantExpr>(perRow);
  double fiveRows = rowSize ? rowSize.getValue() * 9.0 : double(1 << 20);
  bool one = variants.isReproducible();
  for (bool tall : {true, false})
    for (uint32_t size : VariantSet::subgroupSizes()) {
      if (one && !tall)
        continue;
      Tile tile = tileFor(size);
      tile.columns = std::max(tile.columns, perWord);
      VariantPlan plan;
      plan.profile = (tall ? "tiles/" : "low tiles/") + std::to_string(size);
      plan.subgroupSize = size;
      plan.minFlops = tall && !one ? fiveRows : 0;
      // Few rows are bound by reading rhs, which is done along its rows.
      if (!tall && shape.transposed)
        tile = {2, 8, size, Lanes::Terms};
      if (!tall)
        tile.rows = 2;
      if (failed(add(plan, tile)))
        return failure();
    }
  VariantPlan plan;
  plan.profile = "any";
  return add(plan, {2, perWord, 64, Lanes::Columns});
}

} // namespace agt::kernels
