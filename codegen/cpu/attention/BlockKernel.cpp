// See BlockKernel.h.
#include "codegen/cpu/attention/BlockKernel.h"

using namespace mlir;
using agt::codegen::kBlockKeys;
using agt::spirv::attention::AttentionSpec;

namespace agt::cpu {

// Vectors of a row's scores that the softmax works on at once.
static constexpr int64_t unrolled = 4;
// Keys whose products are interleaved where keys are not packed.
static constexpr int64_t keysAtOnce = 4;

static int64_t roundUp(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

BlockKernel::BlockKernel(CpuBuilder &b, const AttentionSpec &spec,
                         const BlockShape &block)
    : b(b), spec(spec), shape(block.tile), maxRows(block.maxRows),
      packed(block.packed), lanes(shape.lanes) {
  auto strideOf = [&](int64_t dims, int64_t most) {
    return roundUp(dims ? dims : most, shape.width());
  };
  headStride = strideOf(spec.headDim, spirv::attention::kMostHeadDim);
  valueStride = strideOf(spec.valueDim, spirv::attention::kMostValueDim);
  auto place = [&](int64_t floats) {
    int64_t at = scratchEnd;
    scratchEnd += roundUp(floats * 4, 64);
    return at;
  };
  scoresAt = place(shape.rows * kBlockKeys);
  keysAt = place(packed ? kBlockKeys * headStride : 0);
  partsAt = place(packed ? 0 : shape.rows * lanes * lanes);
  queriesAt = place(maxRows * headStride);
  sumsAt = place(maxRows * valueStride);
  maximaAt = place(maxRows * lanes);
  totalsAt = place(maxRows * lanes);
  factorsAt = place(shape.rows * lanes);
  endsAt = place(2 * maxRows);
}

Index BlockKernel::globalRow(Index row) {
  return min(firstRow + row, launch->rows - 1);
}

Index BlockKernel::seen(Index row, Index firstKey) {
  return max(min(Index{&b, b.load(ends + row)} - firstKey, kBlockKeys), 0);
}

void BlockKernel::build(const Launch &theLaunch) {
  launch = &theLaunch;
  auto at = [&](int64_t offset) {
    return b.scratch(b.builder().getF32Type(), offset);
  };
  queries = at(queriesAt);
  sums = at(sumsAt);
  keys = at(keysAt);
  weights = at(scoresAt);
  maxima = at(maximaAt);
  totals = at(totalsAt);
  factors = at(factorsAt);
  parts = at(partsAt);
  ends = b.scratch(b.builder().getI64Type(), endsAt);

  // Blocks of whole tiles, as even as that allows.
  Index blocks = launch->blocks;
  Index even = (launch->rows + blocks - 1) / blocks;
  Index perBlock = ceilDiv(even, shape.rows) * shape.rows;
  firstRow = launch->block * perBlock;
  rowCount = max(min(launch->rows - firstRow, perBlock), 0);
  Index tileEnd = ceilDiv(rowCount, shape.rows) * shape.rows;

  b.loop(b.index(0), tileEnd, 1, [&](Index row) {
    b.store(ends + row, launch->visibleEnd(globalRow(row)).v);
    CpuBuilder::Lanes scope(b, lanes);
    b.store(maxima + row * lanes, codegen::emptyMaximum(b));
    b.store(totals + row * lanes, b.f32(0));
  });
  packQueries();
  // Nobody in the block sees more than its last row does.
  Index end{&b, b.load(ends + (tileEnd - 1))};
  end = {&b, b.select(rowCount < 1, b.index(0).v, end.v)};
  b.loop(b.index(0), end, kBlockKeys, [&](Index firstKey) {
    if (packed)
      packKeys(firstKey, min(end - firstKey, kBlockKeys));
    b.loop(b.index(0), tileEnd, shape.rows,
           [&](Index row) { tile(row, firstKey); });
  });
  b.loop(b.index(0), rowCount, 1, [&](Index row) { writeRow(row); });
}

void BlockKernel::packQueries() {
  Value scale = b.splat(launch->scaleLog2, lanes);
  Index tileEnd = ceilDiv(rowCount, shape.rows) * shape.rows;
  b.loop(b.index(0), tileEnd, 1, [&](Index row) {
    Pointer from = launch->queryRow(globalRow(row));
    Pointer to = queries + row * headStride;
    b.loop(b.index(0), launch->headDim, lanes, [&](Index dim) {
      b.store(to + dim, b.fmul(b.loadF32(from + dim, spec.q, lanes), scale));
    });
    Pointer sum = sums + row * valueStride;
    b.loop(b.index(0), launch->valueDim, lanes, [&](Index dim) {
      CpuBuilder::Lanes scope(b, lanes);
      b.store(sum + dim, b.f32(0));
    });
  });
}

// Panel p holds keys p * width ...; in it the elements of one dim are
// neighbours. Keys beyond the last are the last again.
void BlockKernel::packKeys(Index firstKey, Index count) {
  b.loop(b.index(0), count, lanes, [&](Index key) {
    SmallVector<Pointer> rows;
    for (int64_t i = 0; i < lanes; ++i) {
      Index number = min(firstKey + key + i, launch->keys - 1);
      rows.push_back(launch->k + number * launch->kToken);
    }
    Index panel = key / shape.width(), column = key % shape.width();
    Pointer to = keys + (panel * (headStride * shape.width()) + column);
    b.loop(b.index(0), launch->headDim, lanes, [&](Index dim) {
      SmallVector<Value> values;
      for (Pointer row : rows)
        values.push_back(b.loadF32(row + dim, spec.k, lanes));
      values = transpose(b, values);
      for (int64_t i = 0; i < lanes; ++i)
        b.store(to + (dim + i) * shape.width(), values[i]);
    });
  });
}

void BlockKernel::tile(Index row, Index firstKey) {
  Index least = seen(row, firstKey);
  Index most = seen(row + (shape.rows - 1), firstKey);
  b.ifThen(b.index(0) < most, [&] {
    if (packed)
      scores(row, most);
    else
      streamScores(row, firstKey, most);
    b.loop(b.index(0), b.index(shape.rows), 1,
           [&](Index r) { softmax(row + r, r, seen(row + r, firstKey)); });
    addValues(row, firstKey, least);
    if (spec.causal)
      b.loop(b.index(0), b.index(shape.rows), 1, [&](Index r) {
        addDiagonal(row + r, r, firstKey, least, seen(row + r, firstKey));
      });
  });
}

void BlockKernel::scores(Index row, Index count) {
  Pointer left = queries + row * headStride;
  b.loop(b.index(0), ceilDiv(count, shape.width()), 1, [&](Index panel) {
    Pointer right = keys + panel * (headStride * shape.width());
    SmallVector<Value> products = tileProduct(
        b, shape, launch->headDim, left, b.index(headStride), [&](Index k) {
          SmallVector<Value> values;
          for (int64_t c = 0; c < shape.columns; ++c)
            values.push_back(
                b.load(right + (k * shape.width() + c * lanes), lanes));
          return values;
        });
    Pointer to = weights + panel * shape.width();
    for (int64_t r = 0; r < shape.rows; ++r)
      for (int64_t c = 0; c < shape.columns; ++c)
        b.store(to + (r * kBlockKeys + c * lanes),
                products[r * shape.columns + c]);
  });
}

// Lanes beyond the last dim as 0: what is read there means nothing.
Value BlockKernel::withoutTail(Value x, Index dim) {
  if (spec.headDim && spec.headDim % lanes == 0)
    return x;
  Value left = b.splat(b.narrow(launch->headDim - dim), lanes);
  CpuBuilder::Lanes scope(b, lanes);
  return b.select(b.lt(b.laneNumbers(lanes), left), x, b.f32(0));
}

// The products of some keys with all rows of the tile, summed over dims that
// share a lane.
void BlockKernel::streamProducts(Index row, Index firstKey, Index key) {
  SmallVector<Pointer> from;
  for (int64_t i = 0; i < keysAtOnce; ++i)
    from.push_back(launch->k +
                   min(firstKey + key + i, launch->keys - 1) * launch->kToken);
  SmallVector<Value> sums;
  {
    CpuBuilder::Lanes scope(b, lanes);
    sums.assign(shape.rows * keysAtOnce, b.f32(0));
  }
  sums = b.loop(
      b.index(0), launch->headDim, lanes, sums,
      [&](Index dim, ArrayRef<Value> carried) {
        SmallVector<Value> left, right, next;
        for (int64_t r = 0; r < shape.rows; ++r)
          left.push_back(withoutTail(
              b.load(queries + ((row + r) * headStride + dim), lanes), dim));
        for (Pointer p : from)
          right.push_back(withoutTail(b.loadF32(p + dim, spec.k, lanes), dim));
        for (int64_t r = 0; r < shape.rows; ++r)
          for (int64_t i = 0; i < keysAtOnce; ++i)
            next.push_back(
                b.fma(left[r], right[i], carried[r * keysAtOnce + i]));
        return next;
      });
  for (int64_t r = 0; r < shape.rows; ++r)
    for (int64_t i = 0; i < keysAtOnce; ++i)
      b.store(parts + ((key % lanes + (r * lanes + i)) * lanes),
              sums[r * keysAtOnce + i]);
}

void BlockKernel::streamScores(Index row, Index firstKey, Index count) {
  b.loop(b.index(0), count, lanes, [&](Index group) {
    b.loop(group, group + lanes, keysAtOnce,
           [&](Index key) { streamProducts(row, firstKey, key); });
    b.loop(b.index(0), b.index(shape.rows), 1, [&](Index r) {
      SmallVector<Value> sums;
      for (int64_t i = 0; i < lanes; ++i)
        sums.push_back(b.load(parts + ((r * lanes + i) * lanes), lanes));
      b.store(weights + (r * kBlockKeys + group),
              codegen::sumTree(b, transpose(b, sums)));
    });
  });
}

void BlockKernel::maskRow(Pointer scores, Index seenKeys) {
  Value end = b.splat(b.narrow(seenKeys), lanes);
  b.loop(b.index(0), b.index(kBlockKeys), lanes, [&](Index key) {
    Value first = b.splat(b.narrow(key), lanes);
    CpuBuilder::Lanes scope(b, lanes);
    codegen::ScoreExpr expr;
    b.store(scores + key, expr.masked(b, b.load(scores + key, lanes),
                                      b.add(first, b.laneNumbers(lanes)), end));
  });
}

// The row's scores become weights under the maximum of all scores so far.
void BlockKernel::softmax(Index row, Index inTile, Index seenKeys) {
  Pointer scores = weights + inTile * kBlockKeys;
  b.ifThen(seenKeys < kBlockKeys, [&] { maskRow(scores, seenKeys); });
  Pointer oldMaximum = maxima + row * lanes, total = totals + row * lanes;
  Value before = b.load(oldMaximum, lanes);
  Index none = b.index(0), all = b.index(kBlockKeys);
  int64_t step = unrolled * lanes;
  auto larger = [&](Value x, Value y) { return b.fmaxAny(x, y); };

  auto values = [&](Index key) {
    SmallVector<Value> result;
    for (int64_t i = 0; i < unrolled; ++i)
      result.push_back(b.load(scores + (key + i * lanes), lanes));
    return result;
  };
  Value top = b.loop(
      none, all, step, {before}, [&](Index key, ArrayRef<Value> carried) {
        CpuBuilder::Lanes scope(b, lanes);
        SmallVector<Value> x = values(key);
        Value low = larger(larger(x[0], x[1]), larger(x[2], x[3]));
        return SmallVector<Value>{larger(carried[0], low)};
      })[0];
  top = b.combineLanes(top, lanes, larger);
  Value sum;
  {
    CpuBuilder::Lanes scope(b, lanes);
    sum = b.f32(0);
  }
  sum = b.loop(none, all, step, {sum}, [&](Index key, ArrayRef<Value> carried) {
    SmallVector<Value> x = values(key);
    SmallVector<Value> y;
    {
      CpuBuilder::Lanes scope(b, lanes);
      for (Value &value : x)
        y.push_back(b.exp2NonPositive(b.fsub(value, top)));
    }
    for (int64_t i = 0; i < unrolled; ++i)
      b.store(scores + (key + i * lanes), y[i]);
    CpuBuilder::Lanes scope(b, lanes);
    return SmallVector<Value>{b.fadd(carried[0], codegen::sumTree(b, y))};
  })[0];
  Value factor;
  {
    CpuBuilder::Lanes scope(b, lanes);
    factor = b.exp2NonPositive(b.fsub(before, top));
  }
  b.store(factors + inTile * lanes, factor);
  b.store(oldMaximum, top);
  b.store(total, b.fma(b.load(total, lanes), factor, sum));
}

void BlockKernel::addValues(Index row, Index firstKey, Index count) {
  Pointer values = launch->v + firstKey * launch->vToken;
  b.loop(b.index(0), launch->valueDim, shape.width(), [&](Index dim) {
    Pointer right = values + dim;
    SmallVector<Value> products = tileProduct(
        b, shape, count, weights, b.index(kBlockKeys), [&](Index k) {
          Pointer from = right + k * launch->vToken;
          SmallVector<Value> loaded;
          for (int64_t c = 0; c < shape.columns; ++c)
            loaded.push_back(b.loadF32(from + c * lanes, spec.v, lanes));
          return loaded;
        });
    Pointer to = sums + (row * valueStride + dim);
    for (int64_t r = 0; r < shape.rows; ++r) {
      Value factor = b.load(factors + r * lanes, lanes);
      for (int64_t c = 0; c < shape.columns; ++c) {
        Pointer sum = to + (r * valueStride + c * lanes);
        b.store(sum, b.fma(b.load(sum, lanes), factor,
                           products[r * shape.columns + c]));
      }
    }
  });
}

void BlockKernel::addDiagonal(Index row, Index inTile, Index firstKey,
                              Index from, Index to) {
  Pointer weight = weights + inTile * kBlockKeys;
  Pointer values = launch->v + firstKey * launch->vToken;
  b.loop(b.index(0), launch->valueDim, lanes, [&](Index dim) {
    Pointer sum = sums + (row * valueStride + dim);
    Value result = b.loop(from, to, 1, {b.load(sum, lanes)},
                          [&](Index k, ArrayRef<Value> carried) {
                            Value w = b.splat(b.load(weight + k), lanes);
                            Value v =
                                b.loadF32(values + (k * launch->vToken + dim),
                                          spec.v, lanes);
                            return SmallVector<Value>{b.fma(w, v, carried[0])};
                          })[0];
    b.store(sum, result);
  });
}

void BlockKernel::writeRow(Index row) {
  Value total = b.combineLanes(b.load(totals + row * lanes, lanes), lanes,
                               [&](Value x, Value y) { return b.fadd(x, y); });
  Value inverse;
  {
    CpuBuilder::Lanes scope(b, lanes);
    inverse = codegen::inverseOrZero(b, total);
  }
  Pointer from = sums + row * valueStride;
  Pointer to = launch->outputRow(firstRow + row);
  Index whole = launch->valueDim / lanes * lanes;
  b.loop(b.index(0), whole, lanes, [&](Index dim) {
    b.storeF32(to + dim, spec.o, b.fmul(b.load(from + dim, lanes), inverse),
               lanes);
  });
  // The first lane's is every lane's.
  b.store(factors, inverse);
  b.loop(whole, launch->valueDim, 1, [&](Index dim) {
    Value scaled = b.fmul(b.load(from + dim), b.load(factors));
    b.storeF32(to + dim, spec.o, scaled, 0);
  });
}

} // namespace agt::cpu
