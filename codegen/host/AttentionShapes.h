//===- AttentionShapes.h - Sizes and strides of an attention ----*- C++ -*-===//
//
// How the tensors of agt.attention lie, as scalars of a launch. Tensors are in
// C order here, so strides follow from dims and the layout.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_ATTENTIONSHAPES_H
#define AGT_CODEGEN_HOST_ATTENTIONSHAPES_H

#include "codegen/host/HostBuilder.h"
#include "codegen/kernels/attention/AttentionSpec.h"
#include "dialect/Agt/Agt.h"

namespace agt::host {

/// Sizes and strides, in elements, of a tensor of rows under a layout.
struct RowView {
  using Value = mlir::Value;

  RowView(HostBuilder &b, llvm::ArrayRef<Value> dims, Layout layout);
  /// The strides as scalars of a launch: of the batch at `first`, of heads and
  /// of tokens behind it.
  void putStrides(llvm::MutableArrayRef<Value> scalars, unsigned first) const;

  Value batch, heads, tokens, dim;
  Value batchStride, headStride, tokenStride;
};

/// Strides of a tensor that says something of pairs, [batch..., heads, queries,
/// keys], or of tokens, [batch..., tokens]; 0 along what is broadcast. Its
/// batch dims are all there or all 1, its keys or tokens all there: the pass
/// agt-expand-attention makes others such.
struct Strides {
  using Value = mlir::Value;

  /// `trailing` dims follow those of the batch.
  Strides(HostBuilder &b, mlir::RankedTensorType type,
          llvm::ArrayRef<Value> dims, unsigned trailing);

  Value batch;
  llvm::SmallVector<Value> trailing;
};

/// What the compiled code of an attention follows from. Keys are split where
/// each part has at least `splitKeys` of them, and never where that is 0.
kernels::attention::AttentionSpec specOf(AttentionOp op, int64_t splitKeys);
std::string keyOf(const kernels::attention::AttentionSpec &spec);

/// Into how many parts keys are split, by the sizes of a run: as many as fill a
/// device with work where `rows` that share keys are few, each of at least
/// `least` keys. Which device it will be is not known yet: more parts than it
/// needs cost little.
struct KeyParts {
  using Value = mlir::Value;

  /// `heads` are the kv heads of all batches.
  KeyParts(HostBuilder &b, Value rows, Value heads, Value keys, int64_t least);

  Value count;   // at least 1
  Value blocks;  // of kBlockKeys, of a part but the last; at least 1
  Value several; // 1 where count is above 1, else 0
};

/// Pairs of query and key that positions let see each other, of one head of one
/// batch entry, as f64. `offset` is where query 0 stands.
mlir::Value visiblePairs(HostBuilder &b, AttentionOp op, mlir::Value queries,
                         mlir::Value keys, mlir::Value offset);

/// Keys in the blocks that kernels visit since positions let some query see one
/// of them: what codegen::KeyBlocks of the first and the last row goes through.
mlir::Value visitedKeys(HostBuilder &b, AttentionOp op, mlir::Value queries,
                        mlir::Value keys, mlir::Value offset);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_ATTENTIONSHAPES_H
