// Launch: what every attention kernel reads from its scalars before it starts:
// which head and which rows a workgroup has, and where they lie; and what of
// positions, masks and biases belongs to a row, a key, or a pair.
#ifndef AGT_CODEGEN_KERNELS_ATTENTION_LAUNCH_H
#define AGT_CODEGEN_KERNELS_ATTENTION_LAUNCH_H

#include "codegen/common/Partial.h"
#include "codegen/common/ScoreExpr.h"
#include "codegen/kernels/KernelBuilder.h"
#include "codegen/kernels/attention/AttentionSpec.h"

namespace agt::kernels::attention {

/// The buffers of a kernel, each as words of its elements' own type.
std::vector<WordType> wordTypesOf(const AttentionSpec &spec);

/// Element `index` of any type as f32.
mlir::Value loadNumber(KernelBuilder &b, unsigned buffer, agt_dtype dtype,
                       mlir::Value index);

class Launch {
public:
  using Value = mlir::Value;
  using Row = codegen::ScoreExpr::Row;
  using Key = codegen::ScoreExpr::Key;

  Value queries, keys; // tokens; padding counts as a key here
  Value headDim, valueDim;
  Value rows;         // that a head, or all heads of a kv head, have
  Value kBase, vBase; // element where the kv head begins
  Value kToken, vToken;
  Value firstRow; // of the workgroup
  Value part;     // of the keys, where these are split
  Value slot;     // of kPartials, where the part is stored
  codegen::ScoreExpr score;

  /// How rows are numbered. Of one query head: row i is query i. Or of all
  /// query heads that share a kv head: row i is query i / group of head
  /// i % group, so that few queries make many rows that read the same keys.
  enum Rows { OfHead, OfKvHead };

  /// A workgroup has `rows` rows of one head or kv head.
  Launch(KernelBuilder &b, const AttentionSpec &spec, int64_t rows,
         Rows numbering);
  /// For query head `head` of all batches, from `firstRow`.
  Launch(KernelBuilder &b, const AttentionSpec &spec, Value head,
         Value firstRow);

  Value qRow(KernelBuilder &b, Value row) const {
    return element(b, row, kQBatchStride);
  }
  Value kRow(KernelBuilder &b, Value key) const {
    return b.add(kBase, b.mul(key, kToken));
  }
  Value vRow(KernelBuilder &b, Value key) const {
    return b.add(vBase, b.mul(key, vToken));
  }
  Value oRow(KernelBuilder &b, Value row) const {
    return element(b, row, kOBatchStride);
  }

  // Rows and keys must be there: below `rows` and `keys`.
  Row row(KernelBuilder &b, Value number) const;
  /// What all rows share of a key. `number` may be past the end: it is only
  /// read as if it were the last, and it is never seen.
  Key key(KernelBuilder &b, Value number) const;
  /// `key` with what belongs to the pair.
  Key pair(KernelBuilder &b, Value row, Key key) const;
  /// The score of a pair from the bare product q.k.
  Value scoreOf(KernelBuilder &b, Value product, const Row &row, const Key &key,
                Value seen) const {
    return score.score(b, b.fmul(product, score.factor), row, key, seen);
  }
  /// What values of a key are to be multiplied by, or nothing.
  Value valueScale(KernelBuilder &b, Value key) const;

  /// Calls body(from, to) for blocks of kBlockKeys keys in which some row from
  /// `first` to `last` may see one, in order.
  void forKeyBlocks(KernelBuilder &b, Value first, Value last,
                    llvm::function_ref<void(Value, Value)> body) const;

  codegen::FinishedRow finish(KernelBuilder &b, Value row, Value m,
                              Value l) const;
  /// Stores the log-sum of a row, or its m and l, where they are asked for.
  void storeRow(KernelBuilder &b, Value row, Value m, Value l,
                const codegen::FinishedRow &finished) const;

  /// What is done with rows when all keys of the workgroup are seen: `finished`
  /// where these are all there are, `partial` where they are one of several
  /// parts.
  void store(KernelBuilder &b, llvm::function_ref<void()> finished,
             llvm::function_ref<void()> partial) const;
  /// The first element of the row's sums in a slot of kPartials.
  Value partialRow(KernelBuilder &b, Value slot, Value row) const;
  /// Stores m and l behind them.
  void storePartial(KernelBuilder &b, Value row, Value m, Value l) const;

private:
  void initialise(KernelBuilder &b);
  Value queryOf(KernelBuilder &b, Value row) const {
    return numbering == OfHead ? row : b.div(row, group);
  }
  Value headOf(KernelBuilder &b, Value row) const {
    return numbering == OfHead ? queryHead
                               : b.add(b.mul(kvHead, group), b.rem(row, group));
  }
  /// The first element of a row of a tensor with batch, head and token strides
  /// from `strides` on.
  Value element(KernelBuilder &b, Value row, Scalar strides) const;
  Value ofHead(KernelBuilder &b, Buffer buffer, Value row) const;
  unsigned place(Buffer buffer) const { return spec.place(buffer); }
  Value token(KernelBuilder &b, Buffer buffer, Scalar batchStride,
              Value number) const;
  Value scaleAt(KernelBuilder &b, Buffer buffer, Value block, Value key) const;
  Value mayBeSeen(KernelBuilder &b, Value first, Value last,
                  Value keyBlock) const;

  AttentionSpec spec;
  Rows numbering = OfHead;
  Value batch, queryHead, kvHead, kvHeads, group;
};

} // namespace agt::kernels::attention

#endif // AGT_CODEGEN_KERNELS_ATTENTION_LAUNCH_H
