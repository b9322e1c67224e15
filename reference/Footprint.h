//===- Footprint.h - How much memory a run takes ----------------*- C++ -*-===//

#ifndef AGT_REFERENCE_FOOTPRINT_H
#define AGT_REFERENCE_FOOTPRINT_H

#include "dialect/Agt/Agt.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace agt::reference {

/// Bytes that a run of `graph` holds at its peak for inputs of these shapes,
/// from sizes alone: no data is touched. UINT64_MAX where 64 bits do not count
/// them. Nothing where the sizes break a rule of the graph, which its run
/// says.
std::optional<uint64_t> footprint(GraphOp graph,
                                  llvm::ArrayRef<std::vector<int64_t>> shapes);

} // namespace agt::reference

#endif // AGT_REFERENCE_FOOTPRINT_H
