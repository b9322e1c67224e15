// LeafTree: in which order the partial results of blocks of keys merge, so that
// the bits of an attention do not depend on who computes what when
// (attention.md section 2, Reproducible).
//
// Leaf i is a block of keys, the i-th of all. Node (level, i) is the leaves
// from i << level up to (i + 1) << level, as far as there are any; it is what
// its two halves come to, the lower one on the left. Leaves come in any order.
// As soon as both halves of a node are there they merge, so what is kept are
// the largest whole subtrees: of each interval of leaves at most two a level.
//
// Partial results lie in slots. Those below `freshSlots` are written again and
// again by launches; what is to stay is moved to others, which grow as needed.
#ifndef AGT_RUNTIME_PLAN_LEAFTREE_H
#define AGT_RUNTIME_PLAN_LEAFTREE_H

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace agt::rt {

class LeafTree {
public:
  /// What leaves come to that no query sees: merging with it changes nothing.
  static constexpr int32_t kNothing = -1;

  /// Slot `into` becomes what `left` and `right` come to; `left` alone where
  /// `right` is kNothing. They may be the same slot as `into`.
  struct Merge {
    int32_t into, left, right;
    bool operator==(const Merge &other) const {
      return into == other.into && left == other.left && right == other.right;
    }
  };

  /// `leaves` from 0 up, `freshSlots` from 1 up.
  LeafTree(int64_t leaves, int32_t freshSlots);

  /// Leaf `leaf`, which was not there yet, is in fresh slot `slot`, or
  /// kNothing. What that makes possible is appended to `merges`.
  void add(int64_t leaf, int32_t slot, std::vector<Merge> &merges);
  /// Moves what lies in fresh slots, which may be written again then.
  void settle(std::vector<Merge> &merges);

  /// A slot that nothing else uses from here on.
  int32_t newSlot();
  /// Slots used so far, fresh ones included.
  int32_t slots() const { return end; }
  int32_t freshSlots() const { return fresh; }
  bool isWhole() const { return missing == 0; }
  /// The slot of all leaves once they are there; kNothing where nothing is
  /// seen.
  int32_t root() const;

private:
  using Node = std::pair<int, int64_t>; // level, number

  bool isFresh(int32_t slot) const { return slot >= 0 && slot < fresh; }
  void release(int32_t slot);
  int32_t merged(int32_t left, int32_t right, std::vector<Merge> &merges);

  int64_t count, missing;
  int32_t fresh, end;
  std::vector<int32_t> freeSlots;
  std::map<Node, int32_t> nodes; // whole ones whose parents are not
};

/// Levels of a tree of so many leaves above the leaves: ceil(log2 leaves).
int levelsOf(int64_t leaves);

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_LEAFTREE_H
