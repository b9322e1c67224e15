// BlockParts: the numbers of quantised blocks (agt.unpack_blocks) as vectors.
#ifndef AGT_CODEGEN_CPU_BLOCKPARTS_H
#define AGT_CODEGEN_CPU_BLOCKPARTS_H

#include "codegen/cpu/CpuBuilder.h"
#include "dialect/Agt/Agt.h"

namespace agt::cpu {

/// As many neighbours of a block as a register holds, number `at` first: each
/// is factor * `whole` + offset. Factor and offset are scalars of f32; no
/// offset is 0.
struct BlockPart {
  int64_t at;
  mlir::Value whole; // a vector of f32
  mlir::Value factor, offset;

  mlir::Value numbers(CpuBuilder &v, int64_t lanes) const;
};

/// All parts of the block at `block`, those with one factor (and offset) behind
/// each other. The layouts are in AgtModelOps.td.
std::vector<BlockPart> partsOfBlock(CpuBuilder &v, BlockFormat format,
                                    Pointer block, int64_t lanes);

} // namespace agt::cpu

#endif // AGT_CODEGEN_CPU_BLOCKPARTS_H
