// Where in the source an op comes from.
#ifndef AGT_DIALECT_AGT_PLACE_H
#define AGT_DIALECT_AGT_PLACE_H

#include "mlir/IR/Location.h"

#include <string>

namespace agt {

/// "FILE:LINE:COLUMN" of the author's line, from whatever `location` wraps: of
/// a fused one the first part that has a line, of a call what is called. ""
/// where there is none.
std::string placeOf(mlir::Location location);

} // namespace agt

#endif // AGT_DIALECT_AGT_PLACE_H
