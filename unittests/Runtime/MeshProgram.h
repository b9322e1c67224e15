// A graph on a mesh as the compiler would make it: a ring in which every
// position folds all shards into its tokens, in the order in which it meets
// them, so that a wrong order or a lost shard shows in the numbers.
#ifndef AGT_UNITTESTS_RUNTIME_MESHPROGRAM_H
#define AGT_UNITTESTS_RUNTIME_MESHPROGRAM_H

#include "agt/runtime.h"

#include <cstdint>
#include <vector>

namespace agt::rt::test {

/// "ring" (x: tensor<i32, [S]>) -> (y: tensor<i32, [S]>) on an axis "cp".
class RingGraph {
public:
  RingGraph(int64_t positions, agt_record_fn record);
  RingGraph(const RingGraph &) = delete;
  agt_status run(agt_context *context, const agt_tensor &in, agt_tensor &out);

  agt_graph graph;

private:
  agt_mesh_axis axis;
  agt_mesh mesh;
  agt_record_fn record;
};

/// The ring, cut as `balance` says. Runs natively only.
agt_status recordRing(agt_run *run, const agt_tensor *in);
extern int32_t balance;      // agt_balance
extern unsigned launchDelay; // up to so many microseconds each, at random

/// What it gives.
std::vector<int32_t> expectedRing(const std::vector<int32_t> &x,
                                  int64_t positions, int32_t balance);

/// Every position hands its part to the next and adds 1 to what it gets; also
/// as SPIR-V.
agt_status recordShift(agt_run *run, const agt_tensor *in);

/// x is cut as `balance` says, gathered, and 1 is added to the whole, of which
/// every position holds a copy.
agt_status recordGather(agt_run *run, const agt_tensor *in);

} // namespace agt::rt::test

#endif // AGT_UNITTESTS_RUNTIME_MESHPROGRAM_H
