// See Plan.h.
#include "passes/Analysis/Plan.h"

#include "passes/Analysis/RingTimeline.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace agt::analysis {

int64_t Machine::positions() const {
  int64_t count = 1;
  for (const MachineAxis &axis : axes)
    count *= axis.size;
  return count;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// Positions that share heads, of a layout.
static int64_t headParts(const Machine &machine, const ModelLayout &layout) {
  int64_t parts = 1;
  for (size_t i = 0; i < machine.axes.size(); ++i)
    if (layout.heads[i])
      parts *= machine.axes[i].size;
  return parts;
}

std::vector<ModelLayout> layoutsOf(const ModelSizes &model,
                                   const Machine &machine, int64_t tokens) {
  std::vector<ModelLayout> layouts;
  double all = double(machine.positions());
  for (uint64_t choice = 0; choice < uint64_t(1) << machine.axes.size();
       ++choice) {
    ModelLayout layout;
    for (size_t i = 0; i < machine.axes.size(); ++i)
      layout.heads.push_back(choice >> i & 1);
    int64_t parts = headParts(machine, layout);
    if (model.kvHeads % parts != 0)
      continue;
    layout.cache = model.cacheBytes(double(tokens)) / all;
    layout.activation =
        double(tokens) * double(model.hidden) * 2 / (all / double(parts));
    for (bool everywhere : {false, true}) {
      if (everywhere && double(parts) == all)
        continue;
      layout.weightsEverywhere = everywhere;
      layout.weights = model.weightBytes() / (everywhere ? all : double(parts));
      layouts.push_back(layout);
    }
  }
  // Of equal ones, those that share tokens first.
  std::sort(layouts.begin(), layouts.end(),
            [](const ModelLayout &a, const ModelLayout &b) {
              return std::tuple(a.total(), a.weightsEverywhere, a.heads) <
                     std::tuple(b.total(), b.weightsEverywhere, b.heads);
            });
  return layouts;
}

std::optional<std::string> breaks(const ModelLayout &layout,
                                  const Machine &machine) {
  if (machine.memory == 0 || layout.total() <= machine.memory)
    return std::nullopt;
  return layout.weights > layout.cache ? "weights" : "cache";
}

int64_t devicesNeeded(const ModelSizes &model, const Machine &machine,
                      int64_t tokens) {
  double bytes = model.weightBytes() + model.cacheBytes(double(tokens));
  return std::max<int64_t>(1, int64_t(std::ceil(bytes / machine.memory)));
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

PlacementCosts placementsOf(const ModelSizes &model, const Machine &machine,
                            int64_t positions, double link, double share,
                            int64_t rows, int64_t tokens) {
  double w = double(positions), r = double(rows), s = double(tokens);
  double heads = double(model.heads) * share, dim = double(model.headDim);
  double keys = model.tokenBytes() * share;
  double queries = r * heads * dim * 2; // in 16 bits
  double partials = r * heads * (dim + 2) * 4;
  double work = 4 * r * (s / w) * heads * dim / machine.rate;
  double read = s / w * keys / machine.bandwidth;
  PlacementCosts costs;
  costs.stationary = queries / link + std::max(work, read) +
                     std::ceil(std::log2(w)) * partials / link;
  double move = (w - 1) / w * s * keys / link;
  costs.distributed = queries / w / link + std::max({work, read * w, move});
  return costs;
}

std::optional<RingPlan> ringOf(const ModelSizes &model, const Machine &machine,
                               const ModelLayout &layout, int64_t tokens) {
  RingPlan plan;
  for (size_t i = 0; i < machine.axes.size(); ++i) {
    if (layout.heads[i] || machine.axes[i].size == 1)
      continue;
    plan.positions *= machine.axes[i].size;
    double link = machine.axes[i].link;
    if (link == 0)
      return std::nullopt;
    plan.link = plan.link == 0 ? link : std::min(plan.link, link);
  }
  if (plan.positions == 1 || machine.rate == 0)
    return std::nullopt;
  double share = 1 / double(headParts(machine, layout));

  RingCosts costs;
  costs.flopsOfPair = 4 * double(model.heads) * double(model.headDim) * share;
  costs.bytesOfToken = model.tokenBytes() * share;
  costs.rate = machine.rate;
  costs.link = plan.link;
  double part = double(tokens) / double(plan.positions);
  plan.hopCompute = part * part * costs.flopsOfPair / costs.rate;
  plan.hopTransfer = part * costs.bytesOfToken / costs.link;
  plan.leastHidden =
      costs.bytesOfToken * costs.rate / (costs.flopsOfPair * costs.link);
  plan.causalLeastHidden = 2 * plan.leastHidden;

  Ring ring;
  ring.places = plan.positions;
  ring.balance = Tokens::Zigzag;
  ring.queries = ring.keys = tokens;
  ring.causal = true;
  RingTimeline line = timelineOf(ring, costs);
  plan.time = line.end;
  plan.transferTime = line.transferTime;
  plan.hiddenTime = line.hiddenTime;
  plan.bytesReceived = double(ring.tokensReceived(0)) * costs.bytesOfToken;

  if (machine.bandwidth == 0)
    return plan;
  // The largest number of rows for which the keys had better stay: from some
  // number on they had not.
  int64_t low = 0, high = int64_t(1) << 32;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    PlacementCosts at = placementsOf(model, machine, plan.positions, plan.link,
                                     share, middle, tokens);
    (at.stationary <= at.distributed ? low : high) = middle;
  }
  plan.rowsThatGo = low;
  return plan;
}

} // namespace agt::analysis
