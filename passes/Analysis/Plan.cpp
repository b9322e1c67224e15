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

// The axes that share tokens, of more than one position.
static std::vector<const MachineAxis *> tokenAxes(const Machine &machine,
                                                  const ModelLayout &layout) {
  std::vector<const MachineAxis *> axes;
  for (size_t i = 0; i < machine.axes.size(); ++i)
    if (!layout.heads[i] && machine.axes[i].size > 1)
      axes.push_back(&machine.axes[i]);
  return axes;
}

std::optional<PlacementCosts> placementsOf(const ModelSizes &model,
                                           const Machine &machine,
                                           const ModelLayout &layout,
                                           int64_t rows, int64_t tokens) {
  std::vector<const MachineAxis *> axes = tokenAxes(machine, layout);
  if (axes.empty() || machine.rate == 0 || machine.bandwidth == 0)
    return std::nullopt;
  double share = 1 / double(headParts(machine, layout));
  double r = double(rows), heads = double(model.heads) * share;
  double dim = double(model.headDim);
  double queries = r * heads * dim * 2; // in 16 bits, and so are results
  double partials = r * heads * (dim + 2) * 4;
  PlacementCosts costs;
  double w = 1, slowest = 0;
  for (const MachineAxis *axis : axes) {
    if (axis->link == 0)
      return std::nullopt;
    w *= double(axis->size);
    slowest = slowest == 0 ? axis->link : std::min(slowest, axis->link);
    costs.stationary.send += queries / axis->link;
    costs.stationary.merge +=
        std::ceil(std::log2(double(axis->size))) * partials / axis->link;
  }
  double keys = double(tokens) * model.tokenBytes() * share; // bytes
  double work = 4 * r * double(tokens) / w * heads * dim / machine.rate;
  costs.stationary.product = std::max(work, keys / w / machine.bandwidth);
  costs.distributed.split = queries / w / slowest;
  costs.distributed.move = (w - 1) / w * keys / slowest;
  costs.distributed.product = std::max(work, keys / machine.bandwidth);
  costs.distributed.restore = (w - 1) / w * queries / slowest;
  return costs;
}

// What a row adds to the transfers is more where keys stay, and to the products
// no less: from some number of rows on keys had better go.
std::optional<int64_t> crossoverOf(const ModelSizes &model,
                                   const Machine &machine,
                                   const ModelLayout &layout, int64_t tokens) {
  if (!placementsOf(model, machine, layout, 1, tokens))
    return std::nullopt;
  int64_t low = 0, high = int64_t(1) << 32;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (placementsOf(model, machine, layout, middle, tokens)->keysStay() ? low
                                                                      : high) =
        middle;
  }
  return low;
}

std::optional<RingPlan> ringOf(const ModelSizes &model, const Machine &machine,
                               const ModelLayout &layout, int64_t tokens) {
  RingPlan plan;
  for (const MachineAxis *axis : tokenAxes(machine, layout)) {
    plan.positions *= axis->size;
    if (axis->link == 0)
      return std::nullopt;
    plan.link = plan.link == 0 ? axis->link : std::min(plan.link, axis->link);
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
  return plan;
}

} // namespace agt::analysis
