// Who sends what to whom in a gather. Both sides work it out alike.
#ifndef AGT_RUNTIME_MESH_GATHER_H
#define AGT_RUNTIME_MESH_GATHER_H

#include "runtime/Mesh/Split.h"
#include "runtime/Plan/Plan.h"

namespace agt::rt {

/// One position's messages. Each position has one part, so that between two
/// positions there is at most one message each way.
struct GatherMessages {
  struct Receive {
    int64_t from;
    TensorPart part;
    uint64_t bytes; // not 0
  };
  std::vector<int64_t> sendTo;
  uint64_t sendBytes = 0; // to each of them
  std::vector<Receive> receives;
};

/// What position `position` of `positions` sends and receives. A part that no
/// position holds stays as it is.
GatherMessages messagesOf(const GatherRecord &gather, int64_t position,
                          int64_t positions);

/// True when the parts of all positions make up the whole.
bool isCovered(const std::vector<agt_split> &splits, int64_t positions);

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_GATHER_H
