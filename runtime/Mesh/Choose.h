// Which way a run goes: where a graph can be recorded in several, the plans say
// what each would move, and the cheapest is taken. All ranks record the plans
// of all positions from the same lengths, and so choose alike.
#ifndef AGT_RUNTIME_MESH_CHOOSE_H
#define AGT_RUNTIME_MESH_CHOOSE_H

#include "runtime/Plan/Context.h"

#include <utility>

namespace agt::rt {

/// The plans of positions 0, 1, ..., which go when this does.
class MeshPlans {
public:
  explicit MeshPlans(agt_context &context) : context(&context) {}
  MeshPlans(MeshPlans &&other) noexcept
      : context(other.context), plans(std::exchange(other.plans, {})) {}
  MeshPlans &operator=(MeshPlans &&other) noexcept {
    std::swap(plans, other.plans);
    return *this;
  }
  ~MeshPlans();

  void record(const agt_graph &graph, agt_record_fn record,
              const agt_tensor *in);
  const std::vector<agt_run *> &get() const { return plans; }

private:
  agt_context *context;
  std::vector<agt_run *> plans;
};

/// A way to record a graph.
struct Way {
  Policy policy;
  agt_record_fn record;
};

/// What a run goes by.
struct Choice {
  Policy policy = Policy::None;
  /// Bytes that each way would move, where there was something to choose.
  std::vector<std::pair<Policy, uint64_t>> bytes;
};

/// Bytes that come to all positions, by axis of the mesh.
std::vector<uint64_t> bytesByAxis(const std::vector<agt_run *> &plans);

/// What transfers cost: seconds where every axis that carries something has a
/// rate (bytes a second, 0: not known), else bytes.
double transferCost(const std::vector<uint64_t> &bytes,
                    const std::vector<double> &rates);

/// Records the way that the context's settings force, else the one whose
/// transfers cost least; the first of those that cost the same. A way whose
/// tensors are too large is not taken where another's are not.
Choice recordCheapest(agt_context &context, const agt_graph &graph,
                      const std::vector<Way> &ways, const agt_tensor *in,
                      MeshPlans &plans);

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_CHOOSE_H
