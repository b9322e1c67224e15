// Whether the plans of all positions fit together.
//
// Only the compiler can get that wrong, but then a run would hang or give a
// wrong answer, so it is checked before work starts: results and gathers are
// the same everywhere, every message has a receiver of the same size, and no
// position waits for ever. The last is shown by going through the plans as they
// run, with rendezvous: a message is over when both sides have posted it. Posts
// never wait, and what has been posted stays so; therefore the order in which
// positions are advanced here does not matter, and if all come to their end
// here, they do in every order and at every speed.
#ifndef AGT_RUNTIME_MESH_CHECK_H
#define AGT_RUNTIME_MESH_CHECK_H

#include "runtime/Plan/Plan.h"

namespace agt::rt {

/// `plans` are those of positions 0, 1, ... Fails with AGT_FAILED.
void checkPlansFit(const std::vector<agt_run *> &plans);

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_CHECK_H
