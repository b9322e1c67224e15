//===- ScheduleText.h - Schedules for people to read ------------*- C++ -*-===//

#ifndef AGT_PASSES_MESH_SCHEDULETEXT_H
#define AGT_PASSES_MESH_SCHEDULETEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace agt {

/// Writes, as comments, which shards each place of a ring meets, step after
/// step, for every `ring.schedule` of the module:
///
///     // attention of 'f' over 4 places, pass_kv
///     //   position 0 meets shards 0, 3, 2, 1
void printSchedules(mlir::ModuleOp module, llvm::raw_ostream &out);

} // namespace agt

#endif // AGT_PASSES_MESH_SCHEDULETEXT_H
