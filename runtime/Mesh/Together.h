// Threads that start together, one for each position.
#ifndef AGT_RUNTIME_MESH_TOGETHER_H
#define AGT_RUNTIME_MESH_TOGETHER_H

#include <cstddef>
#include <functional>

namespace agt::rt {

/// Runs body(i, start) for 0 <= i < count in threads of their own, which all
/// begin at the moment `start` (on monotonicSeconds' clock), and returns when
/// all are back. When one throws, failed(i) is called there, so that the others
/// are told, and the failure of the lowest such i is thrown here at the end,
/// with "position I: " before its message where there are several. Cancelled,
/// which the others throw then, does not count.
void runTogether(size_t count, const std::function<void(size_t, double)> &body,
                 const std::function<void(size_t)> &failed);

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_TOGETHER_H
