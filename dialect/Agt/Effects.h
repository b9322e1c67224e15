//===- Effects.h - What agents touch ----------------------------*- C++ -*-===//
//
// The resources of side effects. A step reads and writes the step log, so steps
// keep their order and none is dropped or done once for two; a step that only
// observes reads the world, any other writes it. What fails or jumps writes
// control.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_DIALECT_AGT_EFFECTS_H
#define AGT_DIALECT_AGT_EFFECTS_H

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace agt {

struct StepLog : mlir::SideEffects::Resource::Base<StepLog> {
  mlir::StringRef getName() final { return "step log"; }
};
struct World : mlir::SideEffects::Resource::Base<World> {
  mlir::StringRef getName() final { return "external world"; }
};
struct Control : mlir::SideEffects::Resource::Base<Control> {
  mlir::StringRef getName() final { return "control"; }
};

/// i1, i64, f64, tuples of values, and the types of AgtAgentTypes.td.
bool isAgentValue(mlir::Type type);

} // namespace agt

#endif // AGT_DIALECT_AGT_EFFECTS_H
