// Launch: what every attention kernel reads from its scalars before it starts:
// which head and which rows a workgroup has, and where they lie.
#ifndef AGT_CODEGEN_SPIRV_ATTENTION_LAUNCH_H
#define AGT_CODEGEN_SPIRV_ATTENTION_LAUNCH_H

#include "codegen/common/ScoreExpr.h"
#include "codegen/spirv/KernelBuilder.h"
#include "codegen/spirv/attention/AttentionSpec.h"

namespace agt::spirv::attention {

struct Launch {
  mlir::Value queries, keys; // tokens
  mlir::Value headDim, valueDim;
  mlir::Value qBase, kBase, vBase, oBase; // element where the head begins
  mlir::Value qToken, kToken, vToken, oToken;
  mlir::Value firstRow; // of the workgroup
  codegen::ScoreExpr score;

  /// A workgroup has `rows` query rows of one head.
  Launch(KernelBuilder &b, const AttentionSpec &spec, int64_t rows);

  mlir::Value qRow(KernelBuilder &b, mlir::Value row) const {
    return b.add(qBase, b.mul(row, qToken));
  }
  mlir::Value kRow(KernelBuilder &b, mlir::Value key) const {
    return b.add(kBase, b.mul(key, kToken));
  }
  mlir::Value vRow(KernelBuilder &b, mlir::Value key) const {
    return b.add(vBase, b.mul(key, vToken));
  }
  mlir::Value oRow(KernelBuilder &b, mlir::Value row) const {
    return b.add(oBase, b.mul(row, oToken));
  }
};

} // namespace agt::spirv::attention

#endif // AGT_CODEGEN_SPIRV_ATTENTION_LAUNCH_H
