// See Demand.h.
#include "runtime/Mesh/Demand.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <map>

namespace agt::rt {

Demand demandOf(const PlacedPlan &placed) {
  const DeviceProperties &properties = placed.device.properties();
  return {properties.memory, properties.name, placed.neededBytes(),
          placed.device.memoryBudget()};
}

void checkDemands(const agt_graph &graph, const std::vector<Demand> &demands) {
  struct Sum {
    uint64_t bytes = 0;
    size_t positions = 0;
    const Demand *last = nullptr;
  };
  std::map<std::string, Sum> sums;
  for (const Demand &demand : demands) {
    Sum &sum = sums[demand.memory];
    sum.bytes += demand.bytes;
    ++sum.positions;
    sum.last = &demand;
  }
  for (const auto &[memory, sum] : sums)
    if (sum.bytes > sum.last->budget.free)
      fail(AGT_BAD_INPUT,
           std::string("not enough memory: graph '") + graph.name + "' needs " +
               bytesText(sum.bytes) + " for " + std::to_string(sum.positions) +
               (sum.positions == 1 ? " position" : " positions") +
               ", the device '" + sum.last->device + "' has " +
               bytesText(sum.last->budget.free) + " free of " +
               bytesText(sum.last->budget.total),
           graph.place);
}

} // namespace agt::rt
