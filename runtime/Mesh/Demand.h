// Whether positions whose devices share memory fit into it together.
#ifndef AGT_RUNTIME_MESH_DEMAND_H
#define AGT_RUNTIME_MESH_DEMAND_H

#include "runtime/Plan/Placed.h"

namespace agt::rt {

/// What one position needs and where.
struct Demand {
  std::string memory; // positions with the same word share it
  std::string device; // for people
  uint64_t bytes = 0;
  MemoryBudget budget;
};

Demand demandOf(const PlacedPlan &placed);

/// Fails with AGT_BAD_INPUT and the numbers where there is too little.
void checkDemands(const agt_graph &graph, const std::vector<Demand> &demands);

} // namespace agt::rt

#endif // AGT_RUNTIME_MESH_DEMAND_H
