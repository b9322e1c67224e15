// See BlockKernel.h.
#include "codegen/cpu/attention/BlockKernel.h"

#include "codegen/cpu/attention/RowScores.h"
#include "codegen/kernels/attention/BlocksKernel.h"

using namespace mlir;
using agt::codegen::kBlockKeys;
using namespace agt::kernels::attention;

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
  headStride = strideOf(spec.headDim, kernels::attention::kMostHeadDim);
  valueStride = strideOf(spec.valueDim, kernels::attention::kMostValueDim);
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
  const codegen::ScoreTerms &terms = spec.terms;
  simple =
      terms.factorOnly() && !terms.byPair() && !terms.left && !spec.valueScales;
  seenAt = place(simple ? 0 : shape.rows * kBlockKeys);
  keyScalesAt = place(terms.keyScales ? kBlockKeys : 0);
  valueScalesAt = place(spec.valueScales ? kBlockKeys : 0);
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
  seenPairs = at(seenAt);
  keyScales = at(keyScalesAt);
  valueScales = at(valueScalesAt);

  // Blocks of whole tiles, as even as that allows.
  Index blocks = launch->blocks;
  Index even = (launch->rows + blocks - 1) / blocks;
  Index perBlock = ceilDiv(even, shape.rows) * shape.rows;
  firstRow = launch->block * perBlock;
  rowCount = max(min(launch->rows - firstRow, perBlock), 0);
  Index tileEnd = ceilDiv(rowCount, shape.rows) * shape.rows;

  b.loop(b.index(0), tileEnd, 1, [&](Index row) {
    if (simple)
      b.store(
          ends + row,
          b.index(launch->score.rangeEnd(b, launch->about(globalRow(row)))).v);
    CpuBuilder::Lanes scope(b, lanes);
    b.store(maxima + row * lanes, codegen::emptyMaximum(b));
    b.store(totals + row * lanes, b.f32(0));
  });
  packQueries();
  b.ifThen(b.index(0) < rowCount, [&] { forKeyBlocks(tileEnd); });
  b.loop(b.index(0), rowCount, 1, [&](Index row) { writeRow(row); });
}

void BlockKernel::forKeyBlocks(Index tileEnd) {
  Index first = globalRow(b.index(0)), last = globalRow(tileEnd - 1);
  codegen::KeyBlocks blocks(b, launch->score, launch->about(first),
                            launch->about(last), kBlockKeys);
  launch->keepPart(blocks);
  Index end = b.index(blocks.end);
  b.loop(b.index(blocks.begin), b.index(blocks.count), 1, [&](Index turn) {
    Index block = b.index(blocks.number(b, b.narrow(turn)));
    Index firstKey = block * kBlockKeys;
    auto body = [&] {
      keyBlock(firstKey, min(end - firstKey, kBlockKeys), tileEnd);
    };
    if (!spec.hasBlocks())
      return body();
    Value word = launch->blockWord(first, last, block);
    b.ifThen(launch->hasBit(word, kMaySee), body);
  });
}

void BlockKernel::keyBlock(Index firstKey, Index count, Index tileEnd) {
  if (packed)
    packKeys(firstKey, count);
  loadScales(firstKey, count);
  Value finite = simple ? Value() : valuesAreFinite(firstKey, count);
  b.loop(b.index(0), tileEnd, shape.rows, [&](Index row) {
    if (simple)
      rangeTile(row, firstKey);
    else
      pairTile(row, firstKey, count, finite);
  });
}

void BlockKernel::packQueries() {
  Value scale = b.splat(launch->score.factor, lanes);
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

void BlockKernel::rangeTile(Index row, Index firstKey) {
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
    if (spec.terms.byPosition())
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
  for (Pointer p : from)
    b.readAhead(p, spec.headDim * bytesOf(p.element));
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
    Value unseen = b.le(end, b.add(first, b.laneNumbers(lanes)));
    b.store(scores + key, b.select(unseen, b.f32Bits(0xff800000),
                                   b.load(scores + key, lanes)));
  });
}

// The row's scores become weights under the maximum of all scores so far.
void BlockKernel::softmax(Index row, Index inTile, Index seenKeys) {
  Pointer scores = weights + inTile * kBlockKeys;
  if (simple)
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
          if (!packed)
            b.readAhead(from, shape.width() * bytesOf(from.element));
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

// Scales of the block's keys and values, one a key.
void BlockKernel::loadScales(Index firstKey, Index count) {
  auto load = [&](Buffer buffer, Pointer to) {
    b.loop(b.index(0), count, 1, [&](Index key) {
      b.store(to + key, b.load(launch->scale(buffer, firstKey + key)));
    });
  };
  if (spec.terms.keyScales)
    load(kKScale, keyScales);
  if (spec.valueScales)
    load(kVScale, valueScales);
}

// Whether all values of the block are finite, scales included: then a weight
// of 0 takes a key out of the sums.
Value BlockKernel::valuesAreFinite(Index firstKey, Index count) {
  constexpr int64_t infinity = 0x7f800000;
  auto larger = [&](Value x, Value y) { return b.maxU(x, y); };
  Value none = b.splat(b.i32(0), lanes);
  Value largest = b.loop(
      b.index(0), count, 1, {none}, [&](Index key, ArrayRef<Value> outer) {
        Pointer row = launch->v + (firstKey + key) * launch->vToken;
        return b.loop(b.index(0), launch->valueDim, lanes, {outer[0]},
                      [&](Index dim, ArrayRef<Value> carried) {
                        Value x = b.loadF32(row + dim, spec.v, lanes);
                        if (spec.valueScales)
                          x = b.fmul(x,
                                     b.splat(b.load(valueScales + key), lanes));
                        CpuBuilder::Lanes scope(b, lanes);
                        Value bits = b.bitAnd(b.asI32(x), 0x7fffffff);
                        return SmallVector<Value>{larger(carried[0], bits)};
                      });
      })[0];
  // The first lane's is every lane's.
  Pointer top{&b, factors.v, b.builder().getI32Type()};
  b.store(top, b.combineLanes(largest, lanes, larger));
  return b.ult(b.load(top), b.i32(infinity));
}

void BlockKernel::pairTile(Index row, Index firstKey, Index count,
                           Value finite) {
  const codegen::ScoreExpr &score = launch->score;
  RowScores rowScores(b, spec, *launch, lanes);
  codegen::ScoreExpr::Row first = launch->about(globalRow(row)),
                          last =
                              launch->about(globalRow(row + (shape.rows - 1)));
  Value from = b.narrow(firstKey), to = b.narrow(firstKey + kBlockKeys);
  Value meets = b.lt(from, score.rangeEnd(b, last));
  Value word;
  if (spec.hasBlocks()) {
    word = launch->blockWord(globalRow(row), globalRow(row + (shape.rows - 1)),
                             firstKey / kBlockKeys);
    meets = b.logicalAnd(meets, launch->hasBit(word, kMaySee));
  }
  if (first.begin) {
    Value window = b.lt(first.begin, to);
    meets = b.logicalAnd(
        meets,
        last.pinEnd ? b.logicalOr(window, b.lt(from, last.pinEnd)) : window);
  }
  b.ifThen(meets, [&] {
    if (packed)
      scores(row, count);
    else
      streamScores(row, firstKey, count);
    Value whole = score.rangesSee(b, first, last, from, to);
    if (word)
      whole = b.logicalAnd(whole, b.logicalNot(launch->hasBit(word, kMayHide)));
    b.loop(b.index(0), b.index(shape.rows), 1, [&](Index r) {
      Pointer scores = weights + r * kBlockKeys;
      auto apply = [&](bool masked) {
        if (masked || !spec.terms.factorOnly())
          rowScores.apply(globalRow(row + r), firstKey, scores, keyScales,
                          seenPairs + r * kBlockKeys, masked);
      };
      b.ifElse(whole, [&] { apply(false); }, [&] { apply(true); });
      softmax(row + r, r, b.index(kBlockKeys));
      scaleWeights(scores);
    });
    b.ifElse(
        b.logicalOr(whole, finite), [&] { addValues(row, firstKey, count); },
        [&] {
          addValues(row, firstKey, b.index(0));
          b.loop(b.index(0), b.index(shape.rows), 1,
                 [&](Index r) { addSeen(row + r, r, firstKey, count); });
        });
  });
}

// Weights of values, where these have scales.
void BlockKernel::scaleWeights(Pointer row) {
  if (!spec.valueScales)
    return;
  b.loop(b.index(0), b.index(kBlockKeys), lanes, [&](Index key) {
    CpuBuilder::Lanes scope(b, lanes);
    b.store(row + key,
            b.fmul(b.load(row + key, lanes), b.load(valueScales + key, lanes)));
  });
}

// What the row sees of a block, key by key.
void BlockKernel::addSeen(Index row, Index inTile, Index firstKey,
                          Index count) {
  Pointer weight = weights + inTile * kBlockKeys;
  Pointer seen = seenPairs + inTile * kBlockKeys;
  Pointer values = launch->v + firstKey * launch->vToken;
  b.loop(b.index(0), count, 1, [&](Index k) {
    b.ifThen(b.flt(b.f32(0), b.load(seen + k)), [&] {
      Value w = b.splat(b.load(weight + k), lanes);
      b.loop(b.index(0), launch->valueDim, lanes, [&](Index dim) {
        Pointer sum = sums + (row * valueStride + dim);
        Value v = b.loadF32(values + (k * launch->vToken + dim), spec.v, lanes);
        b.store(sum, b.fma(w, v, b.load(sum, lanes)));
      });
    });
  });
}

void BlockKernel::writeRow(Index row) {
  Value total = b.combineLanes(b.load(totals + row * lanes, lanes), lanes,
                               [&](Value x, Value y) { return b.fadd(x, y); });
  // The first lane's is every lane's.
  b.store(factors, total);
  Value m = b.load(maxima + row * lanes), l = b.load(factors);
  if (!spec.split)
    return writeFinished(row, m, l);
  if (spec.leaves)
    return writePartial(row, m, l);
  b.ifElse(
      b.scalar(kParts) < 2, [&] { writeFinished(row, m, l); },
      [&] { writePartial(row, m, l); });
}

void BlockKernel::writePartial(Index row, Value m, Value l) {
  launch->storePartial(firstRow + row, m, l);
  Pointer from = sums + row * valueStride;
  Pointer to = launch->partialRow(firstRow + row);
  b.loop(b.index(0), launch->valueDim, 1,
         [&](Index dim) { b.store(to + dim, b.load(from + dim)); });
}

void BlockKernel::writeFinished(Index row, Value m, Value l) {
  codegen::FinishedRow done = launch->finish(firstRow + row, m, l);
  launch->storeRow(firstRow + row, m, l, done);
  Value factor = b.splat(done.factor, lanes);
  Pointer from = sums + row * valueStride;
  Pointer to = launch->outputRow(firstRow + row);
  Index whole = launch->valueDim / lanes * lanes;
  b.loop(b.index(0), whole, lanes, [&](Index dim) {
    Value o = b.load(from + dim, lanes);
    CpuBuilder::Lanes scope(b, lanes);
    b.storeF32(to + dim, spec.o, codegen::finishValue(b, o, factor), lanes);
  });
  b.loop(whole, launch->valueDim, 1, [&](Index dim) {
    Value scaled = codegen::finishValue(b, b.load(from + dim), done.factor);
    b.storeF32(to + dim, spec.o, scaled, 0);
  });
}

} // namespace agt::cpu
