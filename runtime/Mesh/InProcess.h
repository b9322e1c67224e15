// The transport between positions of one process: memory is copied straight
// from the sender's to the receiver's. Each receiving position has a thread
// that copies, so that transfers go on while both sides compute.
#ifndef AGT_RUNTIME_MESH_INPROCESS_H
#define AGT_RUNTIME_MESH_INPROCESS_H

#include "runtime/Mesh/Transport.h"

#include <memory>
#include <vector>

namespace agt::rt {

/// The ends of all positions; cancelled when it goes.
class InProcessNetwork {
public:
  explicit InProcessNetwork(size_t positions);
  ~InProcessNetwork();
  Transport &end(size_t position);

private:
  struct State;
  class End;
  std::unique_ptr<State> state;
  std::vector<std::unique_ptr<End>> ends;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_INPROCESS_H
