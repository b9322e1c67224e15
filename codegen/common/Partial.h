// Partial: the running state of a softmax-weighted sum and how it takes in a
// block of scores (attention.md section 1).
//
// A row's state is a maximum m, a sum l of 2^(x - m), and sums o of
// 2^(x - m) v that the kernel keeps where it likes. m starts at the lowest
// finite number, not at -infinity: no score that counts is below it, a
// difference of two maxima is never NaN, and a row that saw nothing is known
// by l = 0.
#ifndef AGT_CODEGEN_COMMON_PARTIAL_H
#define AGT_CODEGEN_COMMON_PARTIAL_H

#include "codegen/common/ValueBuilder.h"

namespace agt::codegen {

/// l and o are summed over blocks of at most so many keys, each from zero, and
/// then merged: a running sum over long sequences loses too much.
constexpr int64_t kBlockKeys = 128;

/// What a block of scores does to a row.
struct BlockSoftmax {
  mlir::Value m;          // the new maximum
  mlir::Value correction; // what the old l and o are to be multiplied by
  mlir::Value sum;        // of the weights
  llvm::SmallVector<mlir::Value> weights;
};

/// m of a row that has seen nothing.
mlir::Value emptyMaximum(ValueBuilder &b);

/// Weights of `scores` under the maximum of theirs and `m`.
BlockSoftmax softmaxBlock(ValueBuilder &b, mlir::Value m,
                          llvm::ArrayRef<mlir::Value> scores);

/// A row when all keys are seen.
struct FinishedRow {
  mlir::Value factor; // for finishValue: 1 / l; -1, which no other is, of 0
  mlir::Value lse;    // natural: m + ln l, -infinity where nothing was seen
};

/// `sink` is a logit that takes part in l and gives no value, times log2(e);
/// empty where there is none. `lse` is made where it is asked for.
FinishedRow finishRow(ValueBuilder &b, mlir::Value m, mlir::Value l,
                      mlir::Value sink, bool lse);

/// A row of which other keys are to be seen: o stays as it is.
FinishedRow unfinishedRow(ValueBuilder &b);

/// o times the row's factor; 0 where l is 0, whatever o holds (a key of score
/// -infinity is seen, and its value may be NaN).
mlir::Value finishValue(ValueBuilder &b, mlir::Value o, mlir::Value factor);

/// Sum of values as a tree.
mlir::Value sumTree(ValueBuilder &b, llvm::ArrayRef<mlir::Value> values);

} // namespace agt::codegen

#endif // AGT_CODEGEN_COMMON_PARTIAL_H
