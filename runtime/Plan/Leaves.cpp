// The agt_graph_* functions of attention whose bits do not depend on how it is
// cut and launched: blocks of keys are attended a few at a time, each to a
// partial result of its own, and merged as LeafTree says.
#include "runtime/Mesh/Split.h"
#include "runtime/Plan/LeafTree.h"
#include "runtime/Plan/Record.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace agt::rt;

namespace agt::rt {

/// The partial results of one attention of a plan.
struct Leaves {
  agt_split split;
  int64_t tokens;
  agt_buffer *slots;
  std::optional<LeafTree> tree; // once rows are known
  // A slot of rows that have seen nothing, where nothing else is there.
  int32_t empty = LeafTree::kNothing;
};

} // namespace agt::rt

/// Fresh slots take no more than this, but for large rows.
static constexpr int64_t freshBytes = int64_t(32) << 20;

// As many blocks a launch as fill a device; of large rows two do. Never more
// than a tree keeps at one side of an interval.
static int32_t freshSlots(int64_t leaves, int64_t slotBytes) {
  int64_t most = std::max<int64_t>(levelsOf(leaves), 1);
  int64_t wanted = freshBytes / std::max<int64_t>(slotBytes, 1);
  return int32_t(std::clamp<int64_t>(wanted, std::min<int64_t>(2, most), most));
}

static Leaves &leavesIn(agt_run &run, const agt_buffer *slots) {
  for (auto &leaves : run.leaves)
    if (leaves->slots == slots)
      return *leaves;
  failPlan(run, "a buffer that holds no leaves is used as if it did");
}

agt_status agt_graph_leaves(agt_run *run, int64_t tokens,
                            const agt_split *split, agt_buffer **slots) {
  return guardPlan(run, [&] {
    if (tokens < 0 || split->parts < 1 ||
        (split->balance != AGT_LEAVES && split->balance != AGT_ZIGZAG_LEAVES))
      failPlan(*run, "leaves of " + std::to_string(tokens) + " tokens in " +
                         std::to_string(split->parts) + " parts");
    *slots = &run->newBuffer(0);
    run->leaves.push_back(
        std::make_shared<Leaves>(Leaves{*split, tokens, *slots, {}}));
  });
}

namespace {

/// One step of an attention, which adds the blocks of one part.
class Step {
public:
  Step(agt_run &run, Leaves &leaves, const agt_leaf_step &step)
      : run(run), leaves(leaves), tree(*leaves.tree), step(step),
        scalars(step.scalars, step.scalars + step.n_scalars) {
    if (scalars.size() < Parts)
      failPlan(run, "leaves without the scalars of their launches");
  }

  void add(int64_t part);

private:
  // The scalars that are worked out here, from the end.
  enum Scalar : size_t {
    MergeCount = 1,
    FirstSlot,
    FirstBlock,
    PartBlocks,
    Parts
  };
  int64_t &scalar(Scalar which) { return scalars[scalars.size() - which]; }

  void attend(int64_t firstBlock, int64_t blocks, int32_t firstSlot,
              double flops);
  void merge(const std::vector<LeafTree::Merge> &merges);
  void grow();

  agt_run &run;
  Leaves &leaves;
  LeafTree &tree;
  const agt_leaf_step &step;
  std::vector<int64_t> scalars;
};

} // namespace

void Step::grow() {
  uint64_t bytes = uint64_t(tree.slots()) * uint64_t(step.slot_bytes);
  leaves.slots->bytes = std::max(leaves.slots->bytes, bytes);
}

void Step::attend(int64_t firstBlock, int64_t blocks, int32_t firstSlot,
                  double flops) {
  scalar(Parts) = blocks;
  scalar(PartBlocks) = 1;
  scalar(FirstBlock) = firstBlock;
  scalar(FirstSlot) = firstSlot;
  int64_t work[4] = {step.work[0], step.work[1] * blocks, step.work[2] * blocks,
                     step.work[3]};
  rethrow(agt_graph_launch(&run, step.kernel, step.buffers, step.n_buffers,
                           scalars.data(), scalars.size(), work, flops,
                           step.name, step.place));
}

void Step::merge(const std::vector<LeafTree::Merge> &merges) {
  if (merges.empty())
    return;
  static_assert(sizeof(LeafTree::Merge) == 3 * sizeof(int32_t),
                "a triple of the kernel's");
  agt_buffer *list;
  rethrow(agt_graph_constant(
      &run, merges.data(), int64_t(merges.size() * sizeof(merges[0])), &list));
  agt_buffer *buffers[] = {leaves.slots, list};
  scalar(MergeCount) = int64_t(merges.size());
  int64_t work[4] = {step.rows, 1, 1, 1};
  rethrow(agt_graph_launch(&run, step.merge_kernel, buffers, 2, scalars.data(),
                           scalars.size(), work, 0, "attention_leaves",
                           step.place));
}

void Step::add(int64_t part) {
  std::vector<TokenRun> runs = tokensOf(leaves.split, part, leaves.tokens);
  int64_t all = countOf(runs), block = 0;
  // Someone has to say what rows are that see nothing.
  if (step.enabled && all == 0 && leaves.empty == LeafTree::kNothing) {
    leaves.empty = tree.newSlot();
    grow();
    attend(0, 1, leaves.empty, 0);
  }
  int64_t blocks = (all + AGT_LEAF_KEYS - 1) / AGT_LEAF_KEYS;
  for (const TokenRun &tokens : runs) {
    int64_t leaf = tokens.begin / AGT_LEAF_KEYS;
    int64_t last = (tokens.begin + tokens.count - 1) / AGT_LEAF_KEYS;
    while (leaf <= last) {
      int64_t count = std::min<int64_t>(last - leaf + 1, tree.freshSlots());
      // Parts of a sum that is a whole number stay whole numbers.
      auto upTo = [&](int64_t done) {
        return std::floor(step.flops * double(done) / double(blocks));
      };
      std::vector<LeafTree::Merge> merges;
      for (int64_t i = 0; i < count; ++i)
        tree.add(leaf + i, step.enabled ? int32_t(i) : LeafTree::kNothing,
                 merges);
      tree.settle(merges);
      grow();
      if (step.enabled) {
        attend(block, count, 0, upTo(block + count) - upTo(block));
        if (block == 0)
          rethrow(agt_graph_kv_read(&run, step.kv_bytes));
      }
      // Leaves of which nothing is seen may complete what was there before.
      merge(merges);
      leaf += count;
      block += count;
    }
  }
}

agt_status agt_graph_attend_leaves(agt_run *run, agt_buffer *slots,
                                   int64_t part, const agt_leaf_step *step) {
  return guardPlan(run, [&] {
    Leaves &leaves = leavesIn(*run, slots);
    if (part < 0 || part >= leaves.split.parts)
      failPlan(*run, "leaves of part " + std::to_string(part) + " of " +
                         std::to_string(leaves.split.parts));
    if (!leaves.tree) {
      int64_t count = (leaves.tokens + AGT_LEAF_KEYS - 1) / AGT_LEAF_KEYS;
      leaves.tree.emplace(count, freshSlots(count, step->slot_bytes));
    }
    Step(*run, leaves, *step).add(part);
  });
}

agt_status agt_graph_root(agt_run *run, agt_buffer *slots, int64_t *slot) {
  return guardPlan(run, [&] {
    Leaves &leaves = leavesIn(*run, slots);
    if (!leaves.tree || !leaves.tree->isWhole())
      failPlan(*run, "leaves are missing");
    int32_t root = leaves.tree->root();
    *slot = root == LeafTree::kNothing ? leaves.empty : root;
    if (*slot == LeafTree::kNothing)
      failPlan(*run, "leaves of which none was attended");
  });
}
