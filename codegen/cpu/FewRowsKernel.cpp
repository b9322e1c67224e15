// See FewRowsKernel.h.
#include "codegen/cpu/FewRowsKernel.h"

#include "codegen/cpu/BlockParts.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace agt::cpu {

// Additions of one sum wait for each other; of several they do not.
static int64_t sumsOfARow(int64_t rows) { return rows == 1 ? 4 : 2; }

bool FewRowsKernel::takes(Operation *anchor) {
  auto linear = dyn_cast<LinearOp>(anchor);
  if (!linear)
    return false;
  return blocksOf(linear.getWeight()) || directTensor(linear.getWeight());
}

FewRowsKernel::FewRowsKernel(InvocationBuilder &k, kernels::Evaluator &e,
                             const kernels::ProductShape &shape, Value root,
                             const Target &target)
    : ProductKernel(k, e, shape, root, target, few),
      unpack(blocksOf(shape.rhs)), lanes(target.lanes) {}

// ---- the sums ---------------------------------------------------------------

FewRowsKernel::Sums FewRowsKernel::zeros(int64_t rows) {
  CpuBuilder::Lanes scope(v, lanes);
  return Sums(rows, SmallVector<Value>(sumsOfARow(rows), v.f32(0)));
}

// Loops carry the sums of all rows behind each other.
static SmallVector<Value> flat(ArrayRef<SmallVector<Value>> sums) {
  SmallVector<Value> all;
  for (const SmallVector<Value> &own : sums)
    all.append(own);
  return all;
}

static SmallVector<SmallVector<Value>> byRow(ArrayRef<Value> all,
                                             int64_t rows) {
  size_t each = all.size() / rows;
  SmallVector<SmallVector<Value>> sums;
  for (int64_t r = 0; r < rows; ++r)
    sums.emplace_back(all.slice(r * each, each));
  return sums;
}

SmallVector<Value> FewRowsKernel::total(ArrayRef<Value> sums, int64_t rows) {
  CpuBuilder::Lanes scope(v, lanes);
  auto add = [&](Value a, Value b) { return v.fadd(a, b); };
  SmallVector<Value> totals;
  for (const SmallVector<Value> &own : byRow(sums, rows)) {
    Value all = v.fadd(own[0], own[1]);
    if (own.size() == 4)
      all = v.fadd(all, v.fadd(own[2], own[3]));
    totals.push_back(vector::ExtractOp::create(
        v.builder(), v.combineLanes(all, lanes, add), 0));
  }
  return totals;
}

void FewRowsKernel::addBlock(Pointer block, Pointer x, unsigned turn,
                             Sums &sums) {
  std::vector<BlockPart> parts =
      partsOfBlock(v, unpack.getFormat(), block, lanes);
  CpuBuilder::Lanes scope(v, lanes);
  v.readAhead(block, layoutOf(unpack.getFormat()).bytes);
  auto other = [&](size_t row, const BlockPart &part) {
    return v.load(x + (int64_t(row) * tile.terms + part.at), lanes);
  };
  auto add = [&](size_t row, Value left, Value right) {
    Value &sum = sums[row][turn % sums[row].size()];
    sum = v.fma(left, right, sum);
  };
  for (size_t begin = 0, end = 0; begin < parts.size(); begin = end, ++turn) {
    const BlockPart &part = parts[begin];
    if (part.offset) {
      Value numbers = part.numbers(v, lanes);
      for (size_t r = 0; r < sums.size(); ++r)
        add(r, numbers, other(r, part));
      end = begin + 1;
      continue;
    }
    while (end < parts.size() && parts[end].factor == part.factor)
      ++end;
    Value factor = v.splat(part.factor, lanes);
    for (size_t r = 0; r < sums.size(); ++r) {
      Value products;
      for (size_t i = begin; i < end; ++i)
        products = products
                       ? v.fma(parts[i].whole, other(r, parts[i]), products)
                       : v.fmul(parts[i].whole, other(r, parts[i]));
      add(r, products, factor);
    }
  }
}

SmallVector<Value> FewRowsKernel::sumsOfBlocks(Pointer weight, Pointer x,
                                               int64_t rows, Index count) {
  BlockLayout layout = layoutOf(unpack.getFormat());
  auto add = [&](Index first, int64_t number, ArrayRef<Value> carried) {
    Sums sums = byRow(carried, rows);
    for (int64_t i = 0; i < number; ++i)
      addBlock(weight + (first + i) * layout.bytes,
               x + (first + i) * layout.numbers, unsigned(i), sums);
    return flat(sums);
  };
  // A small block has one factor: alone it would leave sums unused.
  int64_t together = layout.numbers == 32 ? 4 : 1;
  Index blocks = count / layout.numbers, whole = blocks / together * together;
  SmallVector<Value> sums =
      v.loop(v.index(0), whole, together, flat(zeros(rows)),
             [&](Index block, ArrayRef<Value> own) {
               return add(block, together, own);
             });
  if (together > 1)
    sums =
        v.loop(whole, blocks, 1, sums, [&](Index block, ArrayRef<Value> own) {
          return add(block, 1, own);
        });
  return total(sums, rows);
}

SmallVector<Value> FewRowsKernel::sumsOfNumbers(Pointer weight, Pointer x,
                                                int64_t rows, Index count) {
  agt_dtype dtype = directTensor(s.rhs)->dtype;
  int64_t each = sumsOfARow(rows), step = each * lanes;
  Index whole = count / step * step;
  SmallVector<Value> sums = total(
      v.loop(v.index(0), whole, step, flat(zeros(rows)),
             [&](Index term, ArrayRef<Value> own) {
               CpuBuilder::Lanes scope(v, lanes);
               SmallVector<Value> next(own);
               for (int64_t i = 0; i < each; ++i) {
                 Index at = term + i * lanes;
                 v.readAhead(weight + at, lanes * bytesOf(weight.element));
                 Value number = v.loadF32(weight + at, dtype, lanes);
                 for (int64_t r = 0; r < rows; ++r) {
                   Value &sum = next[r * each + i];
                   sum = v.fma(number, v.load(x + (at + r * tile.terms), lanes),
                               sum);
                 }
               }
               return next;
             }),
      rows);
  CpuBuilder::Lanes one(v, 0);
  return v.loop(whole, count, 1, sums, [&](Index term, ArrayRef<Value> own) {
    Value number = v.loadF32(weight + term, dtype, 0);
    SmallVector<Value> next;
    for (int64_t r = 0; r < rows; ++r)
      next.push_back(
          v.fma(number, v.load(x + (term + r * tile.terms)), own[r]));
    return next;
  });
}

void FewRowsKernel::addColumn(Pointer weight, Pointer left, Pointer sums,
                              int64_t rows, Index terms) {
  SmallVector<Value> products = unpack
                                    ? sumsOfBlocks(weight, left, rows, terms)
                                    : sumsOfNumbers(weight, left, rows, terms);
  CpuBuilder::Lanes one(v, 0);
  for (int64_t r = 0; r < rows; ++r) {
    Pointer to = sums + r * tile.columns;
    v.store(to, v.fadd(v.load(to), products[r]));
  }
}

void FewRowsKernel::addProducts(Value first, Value count) {
  Weight weight = weightFrom(first);
  Index terms = v.index(count);
  Pointer left = scratch(0), sums = scratch(tile.sumsAt());
  Index all = (v.index(rowCount) + 1) / rowsAtOnce * rowsAtOnce;
  v.loop(v.index(0), v.index(columnCount), 1, [&](Index column) {
    Pointer row = weight.row(column);
    auto add = [&](int64_t rows) {
      return [&, rows](Index r) {
        addColumn(row, left + r * tile.terms,
                  sums + (r * tile.columns + column), rows, terms);
      };
    };
    v.loop(v.index(0), all, rowsAtOnce, add(rowsAtOnce));
    v.loop(all, v.index(rowCount), 1, add(1));
  });
}

} // namespace agt::cpu
