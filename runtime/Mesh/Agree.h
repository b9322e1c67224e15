// Steps that all ranks of a run take together, with one outcome.
#ifndef AGT_RUNTIME_MESH_AGREE_H
#define AGT_RUNTIME_MESH_AGREE_H

#include "runtime/Mesh/Mpi.h"

#include <functional>

namespace agt::rt {

/// Runs `body` on every rank and gives what each returned, by rank. Where it
/// fails on one, the transfers of all are cancelled and the same failure is
/// thrown on all: the first rank's that has one, with "position N: " before its
/// message where `named`. Ranks wait here for each other, which makes it a
/// barrier.
std::vector<std::string> agree(MpiWorld &world, bool named,
                               const std::function<std::string()> &body);

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_AGREE_H
