// What a model needs on a mesh, by arithmetic alone: memory of a device under
// each way to lay weights and cache out, whether the hops of a ring hide, and
// from how many queries on it is cheaper to move keys than partial results
// (attention.md sections 3 and 4). Plain C++, no IR.
#ifndef AGT_PASSES_ANALYSIS_PLAN_H
#define AGT_PASSES_ANALYSIS_PLAN_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agt::analysis {

struct ModelSizes {
  std::string name;
  int64_t layers = 1, heads = 1, kvHeads = 1, headDim = 1;
  int64_t hidden = 0;                         // 0: not known
  double params = 0;                          // 0: not known
  double bytesOfWeight = 4, bytesOfCache = 4; // of an element

  double weightBytes() const { return params * bytesOfWeight; }
  /// Keys and values of a token, of one layer.
  double tokenBytes() const {
    return 2.0 * double(kvHeads) * double(headDim) * bytesOfCache;
  }
  double cacheBytes(double tokens) const {
    return double(layers) * tokenBytes() * tokens;
  }
};

struct MachineAxis {
  std::string name;
  int64_t size = 1;
  double link = 0; // bytes a second, in one direction; 0: not known
};

struct Machine {
  std::string name;
  std::vector<MachineAxis> axes;
  double memory = 0;    // bytes of a device; 0: not known
  double rate = 0;      // operations a second on the model's weights
  double bandwidth = 0; // bytes of memory a second

  int64_t positions() const;
};

/// One way to lay a model out: each axis shares heads, with the weights that
/// belong to them, or tokens.
struct ModelLayout {
  std::vector<bool> heads;        // by axis
  bool weightsEverywhere = false; // cut over all axes, not those of heads alone
  double weights = 0, cache = 0;  // bytes of a device
  double activation = 0; // of one [tokens, hidden] in 16 bits; 0: not known

  double total() const { return weights + cache; }
};

/// All layouts that the number of kv heads allows, the one that needs least
/// memory first.
std::vector<ModelLayout> layoutsOf(const ModelSizes &model,
                                   const Machine &machine, int64_t tokens);

/// The term that alone, or as the larger of the two, does not fit: "weights" or
/// "cache"; nothing where all fits or the memory is not known.
std::optional<std::string> breaks(const ModelLayout &layout,
                                  const Machine &machine);

/// Devices of which each holds an equal share of everything.
int64_t devicesNeeded(const ModelSizes &model, const Machine &machine,
                      int64_t tokens);

/// The ring of a causal prefill, tokens shared zigzag by the positions of some
/// axes, heads by the others; of one layer.
struct RingPlan {
  int64_t positions = 1;
  double link = 0;        // of the slowest axis
  double hopCompute = 0;  // seconds of a hop, all keys visible: halve it for
                          // a causal mask
  double hopTransfer = 0; // seconds
  double leastHidden = 0; // tokens a position from which a hop is hidden
  double causalLeastHidden = 0;
  double bytesReceived = 0;                // by a position, all hops
  double time = 0;                         // seconds, simulated
  double transferTime = 0, hiddenTime = 0; // all positions together
};

/// Nothing where no axis shares tokens, or a rate or link is not known.
std::optional<RingPlan> ringOf(const ModelSizes &model, const Machine &machine,
                               const ModelLayout &layout, int64_t tokens);

/// Seconds of one layer's attention of a launch's rows over keys that positions
/// share, in the two placements of attention.md section 3.
struct PlacementCosts {
  /// Keys stay: all rows go to every position, and partial results merge by row
  /// along one axis after the other.
  struct {
    double send = 0, product = 0, merge = 0;
    double total() const { return send + product + merge; }
  } stationary;
  /// Rows are shared: keys go round under the product, and results come back
  /// into order.
  struct {
    double split = 0, move = 0, product = 0, restore = 0;
    double total() const {
      return split + (move > product ? move : product) + restore;
    }
  } distributed;

  bool keysStay() const { return stationary.total() <= distributed.total(); }
};

/// Nothing where no axis shares tokens, or a rate or link is not known.
std::optional<PlacementCosts> placementsOf(const ModelSizes &model,
                                           const Machine &machine,
                                           const ModelLayout &layout,
                                           int64_t rows, int64_t tokens);
/// The most rows for which keys had better stay; for more they had not.
std::optional<int64_t> crossoverOf(const ModelSizes &model,
                                   const Machine &machine,
                                   const ModelLayout &layout, int64_t tokens);

} // namespace agt::analysis

#endif // AGT_PASSES_ANALYSIS_PLAN_H
