// See ScoreExpr.h.
#include "codegen/common/ScoreExpr.h"

#include "codegen/common/ElementaryMath.h"

#include <cmath>
#include <limits>

using mlir::Value;

namespace agt::codegen {

static constexpr int64_t kLowest = std::numeric_limits<int32_t>::min();
static constexpr int64_t kHighest = std::numeric_limits<int32_t>::max();

// Positions are any i32: the ends of a window saturate, they do not wrap.
static Value below(ValueBuilder &b, Value position, Value left) {
  return b.sub(b.maxS(position, b.add(left, b.i32(kLowest))), left);
}

static Value above(ValueBuilder &b, Value position, Value right) {
  return b.add(b.minS(position, b.sub(b.i32(kHighest), right)), right);
}

// The number of keys up to and with `position`, of `keys`.
static Value upTo(ValueBuilder &b, Value position, Value keys) {
  return b.maxS(b.add(b.minS(position, b.sub(keys, b.i32(1))), 1), b.i32(0));
}

ScoreExpr::Row ScoreExpr::row(ValueBuilder &b, Value position) const {
  Row r;
  r.position = position;
  Value lowest = terms.left ? below(b, position, left) : Value();
  Value highest = terms.right ? above(b, position, right) : Value();
  if (!terms.counted()) {
    r.low = lowest;
    r.high = highest;
    return r;
  }
  Value seen = terms.causal ? upTo(b, position, keys) : keys;
  r.end = highest ? b.minS(upTo(b, highest, keys), seen) : seen;
  if (lowest)
    r.begin = b.maxS(lowest, b.i32(0));
  if (terms.pin) {
    r.pinEnd = b.minS(pin, seen);
    // Without a left side the two ranges are one.
    if (!lowest) {
      r.end = b.maxS(r.end, r.pinEnd);
      r.pinEnd = Value();
    }
  }
  return r;
}

Value ScoreExpr::visible(ValueBuilder &b, const Row &row,
                         const Key &key) const {
  Value seen;
  auto also = [&](Value condition) {
    seen = seen ? b.logicalAnd(seen, condition) : condition;
  };
  if (terms.counted()) {
    also(b.lt(key.number, row.end));
    if (row.begin)
      also(b.le(row.begin, key.number));
    if (row.pinEnd)
      seen = b.logicalOr(seen, b.lt(key.number, row.pinEnd));
  } else {
    if (row.low)
      also(b.le(row.low, key.position));
    if (row.high)
      also(b.le(key.position, row.high));
    if (terms.pin && seen)
      seen = b.logicalOr(seen, b.lt(key.position, pin));
    if (terms.causal)
      also(b.le(key.position, row.position));
    also(b.lt(key.number, keys));
  }
  if (terms.segments)
    also(b.eq(row.segment, key.segment));
  if (terms.mask)
    also(key.mask);
  return seen;
}

// Of two positions. Where they are given the difference may not fit: it is
// then so large that rounding each is no loss.
static Value distance(ValueBuilder &b, Value to, Value from, bool counted) {
  Value apart = b.sub(to, from);
  if (counted)
    return b.toF32(apart);
  Value wrapped =
      b.lt(b.bitAnd(b.bitXor(to, from), b.bitXor(to, apart)), b.i32(0));
  return b.select(wrapped, b.fsub(b.toF32(to), b.toF32(from)), b.toF32(apart));
}

Value ScoreExpr::value(ValueBuilder &b, Value product, const Row &row,
                       const Key &key) const {
  Value x = product;
  if (terms.keyScales)
    x = b.fmul(x, key.scale);
  if (terms.softcap)
    x = b.fmul(ElementaryMath(b).tanh(x), cap);
  if (terms.bias)
    x = b.fma(key.bias, b.f32(M_LOG2E), x);
  if (terms.alibi)
    x = b.fma(row.slope,
              distance(b, key.position, row.position, terms.counted()), x);
  return x;
}

Value ScoreExpr::score(ValueBuilder &b, Value product, const Row &row,
                       const Key &key, Value seen) const {
  return b.select(seen, value(b, product, row, key), b.f32Bits(0xff800000));
}

Value ScoreExpr::rangeEnd(ValueBuilder &b, const Row &last) const {
  if (!terms.counted())
    return keys;
  return last.pinEnd ? b.maxS(last.end, last.pinEnd) : last.end;
}

Value ScoreExpr::allSee(ValueBuilder &b, const Row &first, const Row &last,
                        Value from, Value to) const {
  return terms.byPair() ? b.i1(false) : rangesSee(b, first, last, from, to);
}

Value ScoreExpr::rangesSee(ValueBuilder &b, const Row &first, const Row &last,
                           Value from, Value to) const {
  if (!terms.counted())
    return b.le(to, keys);
  Value all = b.le(to, first.end);
  return last.begin ? b.logicalAnd(all, b.le(last.begin, from)) : all;
}

void ScoreExpr::setScale(ValueBuilder &b, Value scale, Value softcap) {
  if (!terms.softcap) {
    factor = b.fmul(scale, b.f32(M_LOG2E));
    return;
  }
  factor = b.fdiv(scale, softcap);
  cap = b.fmul(softcap, b.f32(M_LOG2E));
}

KeyBlocks::KeyBlocks(ValueBuilder &b, const ScoreExpr &score,
                     const ScoreExpr::Row &firstRow,
                     const ScoreExpr::Row &lastRow, int64_t blockKeys) {
  end = score.rangeEnd(b, lastRow);
  begin = b.i32(0);
  count = b.ceilDiv(end, blockKeys);
  if (!firstRow.begin)
    return;
  first = b.div(firstRow.begin, blockKeys);
  pinned = b.i32(0);
  if (lastRow.pinEnd) {
    pinned = b.ceilDiv(lastRow.pinEnd, blockKeys);
    first = b.maxS(first, pinned);
  }
  Value windowEnd = b.ceilDiv(lastRow.end, blockKeys);
  count = b.add(pinned, b.maxS(b.sub(windowEnd, first), b.i32(0)));
}

Value KeyBlocks::number(ValueBuilder &b, Value turn) const {
  if (!pinned)
    return turn;
  return b.select(b.lt(turn, pinned), turn, b.add(turn, b.sub(first, pinned)));
}

Value KeyBlocks::turnOf(ValueBuilder &b, Value block) const {
  if (!pinned)
    return block;
  Value ofWindow = b.add(pinned, b.maxS(b.sub(block, first), b.i32(0)));
  return b.select(b.lt(block, pinned), block, ofWindow);
}

void KeyBlocks::keepOnly(ValueBuilder &b, Value from, Value to) {
  begin = turnOf(b, from);
  count = b.minS(count, turnOf(b, to));
}

} // namespace agt::codegen
