//===- Ring.h - The ring dialect --------------------------------*- C++ -*-===//
//
// The program of one position of a mesh. RingDialect.td says what it means; the
// ops stand by kind in Ring*Ops.td.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_DIALECT_RING_RING_H
#define AGT_DIALECT_RING_RING_H

#include "dialect/Agt/Agt.h"

namespace agt::ring {

/// The links between positions: transfers keep their order.
struct DeviceLink : mlir::SideEffects::Resource::Base<DeviceLink> {
  mlir::StringRef getName() final { return "device link"; }
};

} // namespace agt::ring

#include "dialect/Ring/RingDialect.h.inc"
#include "dialect/Ring/RingEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Ring/RingAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Ring/RingTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/Ring/RingOps.h.inc"

#endif // AGT_DIALECT_RING_RING_H
