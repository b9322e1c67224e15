// What the places of a ring see of each other, by positions alone.
#ifndef AGT_RUNTIME_MESH_VIEW_H
#define AGT_RUNTIME_MESH_VIEW_H

#include "agt/runtime.h"

namespace agt::rt {

/// Queries and keys of an attention on a ring.
struct RingView {
  agt_view view;
  int64_t queries; // tokens of the whole
  int64_t keys;
  int64_t offset; // query i stands at position i + offset

  /// Whether a query of a part sees any key of a part. Exact where parts are
  /// runs of neighbours; striped parts count as if their gaps were filled.
  bool sees(int64_t queryPart, int64_t keyPart) const;
  /// Whether a part that meets the shard of `owner` after step `step` does.
  bool needed(int64_t owner, int64_t step) const;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_VIEW_H
