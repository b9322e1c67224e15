//===- Verify.h - What verifiers of the ring dialect share ------*- C++ -*-===//

#ifndef AGT_DIALECT_RING_VERIFY_H
#define AGT_DIALECT_RING_VERIFY_H

#include "dialect/Ring/Ring.h"

namespace agt::ring {

/// Emits an error unless `cuts` are of different dims below `rank`.
mlir::LogicalResult verifyCuts(mlir::Operation *op, mlir::ArrayAttr cuts,
                               int64_t rank);

} // namespace agt::ring

#endif // AGT_DIALECT_RING_VERIFY_H
