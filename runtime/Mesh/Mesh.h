// Meshes as graphs declare them.
#ifndef AGT_RUNTIME_MESH_MESH_H
#define AGT_RUNTIME_MESH_MESH_H

#include "agt/runtime.h"

#include <cstdint>

namespace agt::rt {

/// The positions of a mesh; a graph on one device has one.
inline int64_t positionsOf(const agt_mesh &mesh) {
  int64_t count = 1;
  for (uint64_t i = 0; i < mesh.n_axes; ++i)
    count *= mesh.axes[i].size;
  return count;
}

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_MESH_H
