// RowsBody: attention for a few rows, or for rows that fit no other kernel, by
// one subgroup of a driver on the CPU. Compact code for any dims (known or
// not), any alignment, any values.
//
// Scores: lanes are keys, and the elements of q reach them by broadcast.
// Values: lanes are elements of the row, weights reach them by broadcast, and
// the accumulators are in shared memory, of which a lane only ever touches its
// own elements: no barrier is needed. kRowsAtOnce rows go together and share
// what is read of keys and values. A key that a row does not see adds nothing
// to it, by selection, even where its value is NaN: its weight is -1, which no
// other is.
#ifndef AGT_CODEGEN_SPIRV_ATTENTION_ROWSBODY_H
#define AGT_CODEGEN_SPIRV_ATTENTION_ROWSBODY_H

#include "codegen/common/Partial.h"
#include "codegen/kernels/attention/Launch.h"
#include "codegen/spirv/SpirvBuilder.h"

namespace agt::spirv::attention {

using kernels::attention::AttentionSpec;
using kernels::attention::Launch;

/// The largest value dim.
constexpr int64_t kMaxValueDim = 256;

class RowsBody {
public:
  using Value = mlir::Value;
  static constexpr int64_t kRowsAtOnce = 4;

  /// Makes the shared arrays; emits nothing else.
  RowsBody(SpirvBuilder &b, const AttentionSpec &spec, const Launch &launch,
           int64_t lanes);

  /// Computes and stores the rows from `first` up to `end`.
  void emit(Value first, Value end);

private:
  using PerRow = llvm::SmallVector<Value>;

  void rows(Value first, Value end);
  void largeBlock(Value from, Value to);
  void smallBlock(Value first);
  PerRow products(Value key);
  void accumulate(Value firstKey,
                  llvm::ArrayRef<codegen::BlockSoftmax> softmax);
  void merge(llvm::ArrayRef<Value> before);
  void storeFinished();
  void storePartial();

  Value acrossLanes(Value v, llvm::function_ref<Value(Value, Value)> combine);
  codegen::BlockSoftmax softmaxAcrossLanes(Value m, Value score);
  void forChunks(llvm::function_ref<void(Value place, Value dim)> body);

  SpirvBuilder &b;
  const AttentionSpec &spec;
  const Launch &launch;
  int64_t lanes;
  unsigned q, k, v, o; // buffers, as words of their elements' own type
  llvm::SmallVector<SharedArray> total, block; // of o, one a row
  llvm::SmallVector<Variable> m, l, blockL;
  llvm::SmallVector<Value> rowNumbers;
  llvm::SmallVector<Launch::Row> about; // the rows
};

/// The kernel that is nothing but this body. Needs subgroups of `lanes`.
mlir::OwningOpRef<mlir::ModuleOp>
buildRows(mlir::Location loc, const AttentionSpec &spec, int64_t lanes);

} // namespace agt::spirv::attention

#endif // AGT_CODEGEN_SPIRV_ATTENTION_ROWSBODY_H
