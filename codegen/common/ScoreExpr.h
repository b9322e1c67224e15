// ScoreExpr: which keys a query sees, and what becomes of q.k
// (attention.md section 1). One place for all shapes of kernel and all
// targets: a kernel loads what the terms name (positions, segments, masks,
// biases) and asks.
//
// Where positions are counted and not given, the keys that a row sees by its
// position are a range, and those pinned are a range from key 0: kernels prune
// whole blocks by the ranges of their first and last row. Everything else is
// asked pair by pair. Scores are in units of log 2 from here on: x log2(e), so
// that a power of two is the only exponential there is.
#ifndef AGT_CODEGEN_COMMON_SCOREEXPR_H
#define AGT_CODEGEN_COMMON_SCOREEXPR_H

#include "codegen/common/ValueBuilder.h"

namespace agt::codegen {

/// What an attention asks of its scores, known when it is compiled.
struct ScoreTerms {
  bool causal = false;
  bool left = false, right = false; // sides of a window
  bool pin = false;
  bool queryPositions = false, keyPositions = false; // given, not counted
  bool segments = false;
  bool lengths = false; // the number of keys is data
  bool mask = false;
  bool softcap = false, bias = false, alibi = false, keyScales = false;

  bool counted() const { return !queryPositions && !keyPositions; }
  bool byPosition() const { return causal || left || right; }
  /// Whether a key may be unseen that the ranges say is seen.
  bool byPair() const {
    return mask || segments || (byPosition() && !counted());
  }
  /// Whether all that is done to q.k is a factor.
  bool factorOnly() const { return !softcap && !bias && !alibi && !keyScales; }
};

struct ScoreExpr {
  using Value = mlir::Value;

  ScoreTerms terms;
  Value keys;             // number of keys, padding left out
  Value offset;           // row i stands at position i + offset
  Value left, right, pin; // i32, not negative
  Value factor;           // what q.k is multiplied by first
  Value cap;              // softcap * log2(e)

  /// What a row brings. Fields whose terms are off stay empty.
  struct Row {
    Value position;
    Value begin, end; // positions counted: the keys of the window
    Value pinEnd;     // and those pinned, from 0
    Value low, high;  // positions given: those of the window
    Value segment;
    Value slope; // of alibi, times log2(e)
  };
  /// What a key brings, and a pair of row and key.
  struct Key {
    Value number, position, segment;
    Value scale;
    Value mask; // i1
    Value bias; // f32
  };

  /// The row's ranges. `position` is i + offset, or what was given.
  Row row(ValueBuilder &b, Value position) const;
  Value visible(ValueBuilder &b, const Row &row, const Key &key) const;
  /// x log2(e) of a pair, seen or not. `product` is q.k times `factor`.
  Value value(ValueBuilder &b, Value product, const Row &row,
              const Key &key) const;
  /// The same where the pair is `seen` (visible), -infinity where it is not,
  /// whatever q.k is.
  Value score(ValueBuilder &b, Value product, const Row &row, const Key &key,
              Value seen) const;

  /// A key is below this where some row up to `last` may see it.
  Value rangeEnd(ValueBuilder &b, const Row &last) const;
  /// Whether all rows from `first` to `last` see the keys of [from, to) by
  /// their ranges.
  Value rangesSee(ValueBuilder &b, const Row &first, const Row &last,
                  Value from, Value to) const;
  /// The same where the ranges are all there is, else constant false.
  Value allSee(ValueBuilder &b, const Row &first, const Row &last, Value from,
               Value to) const;

  /// What q.k is multiplied by, and `cap`, for a scale and a softcap.
  void setScale(ValueBuilder &b, Value scale, Value softcap);
};

/// Blocks of keys that rows may see, numbered without the gap between those
/// pinned and those of the window: turn t from `begin` up to `count` is block
/// `number(t)`.
struct KeyBlocks {
  mlir::Value pinned; // blocks with pinned keys; empty: no gap
  mlir::Value first;  // block of the window, not below `pinned`
  mlir::Value begin, count;
  mlir::Value end; // the number of keys to look at

  KeyBlocks(ValueBuilder &b, const ScoreExpr &score,
            const ScoreExpr::Row &firstRow, const ScoreExpr::Row &lastRow,
            int64_t blockKeys);
  mlir::Value number(ValueBuilder &b, mlir::Value turn) const;
  /// Leaves out blocks that are not among those from `from` up to `to`.
  void keepOnly(ValueBuilder &b, mlir::Value from, mlir::Value to);

private:
  /// The first turn whose block is not below `block`.
  mlir::Value turnOf(ValueBuilder &b, mlir::Value block) const;
};

} // namespace agt::codegen

#endif // AGT_CODEGEN_COMMON_SCOREEXPR_H
