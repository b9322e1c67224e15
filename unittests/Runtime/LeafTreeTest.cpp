// The order in which blocks of keys merge: what is merged, told as text, must
// be the same whoever has which leaves when; and little is kept meanwhile.
#include "runtime/Plan/LeafTree.h"
#include "Seed.h"
#include "runtime/Mesh/Split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

using namespace agt::rt;

namespace {

/// Does merges with texts in the place of partial results.
class Teller {
public:
  Teller(int64_t leaves, int32_t freshSlots) : tree(leaves, freshSlots) {}

  /// `seen` says which leaves come to anything.
  void add(const std::vector<int64_t> &leaves, const std::vector<bool> &seen) {
    std::vector<LeafTree::Merge> merges;
    for (size_t i = 0; i < leaves.size(); ++i) {
      bool isSeen = seen[size_t(leaves[i])];
      if (isSeen)
        at(int32_t(i)) = std::to_string(leaves[i]);
      tree.add(leaves[i], isSeen ? int32_t(i) : LeafTree::kNothing, merges);
    }
    tree.settle(merges);
    for (const LeafTree::Merge &merge : merges) {
      std::string left = at(merge.left);
      at(merge.into) = merge.right == LeafTree::kNothing
                           ? left
                           : "(" + left + " " + at(merge.right) + ")";
    }
  }
  std::string root() {
    EXPECT_TRUE(tree.isWhole());
    return tree.root() == LeafTree::kNothing ? "" : at(tree.root());
  }
  int32_t kept() const { return tree.slots() - tree.freshSlots(); }

private:
  std::string &at(int32_t slot) {
    if (size_t(slot) >= texts.size())
      texts.resize(size_t(slot) + 1);
    return texts[size_t(slot)];
  }

  LeafTree tree;
  std::vector<std::string> texts;
};

/// The same from its definition.
std::string wanted(int64_t first, int64_t size, int64_t leaves,
                   const std::vector<bool> &seen) {
  if (first >= leaves)
    return "";
  if (size == 1)
    return seen[size_t(first)] ? std::to_string(first) : "";
  std::string left = wanted(first, size / 2, leaves, seen);
  std::string right = wanted(first + size / 2, size / 2, leaves, seen);
  return left.empty() || right.empty() ? left + right
                                       : "(" + left + " " + right + ")";
}

std::string wanted(const std::vector<bool> &seen) {
  int64_t leaves = int64_t(seen.size());
  return wanted(0, int64_t(1) << levelsOf(leaves), leaves, seen);
}

TEST(LeafTree, MergesAsItsDefinitionSays) {
  EXPECT_EQ(wanted(std::vector<bool>(5, true)), "(((0 1) (2 3)) 4)");
  Teller teller(5, 2);
  std::vector<bool> all(5, true);
  teller.add({2}, all);
  teller.add({4, 3}, all);
  teller.add({0, 1}, all);
  EXPECT_EQ(teller.root(), "(((0 1) (2 3)) 4)");
}

TEST(LeafTree, LeavesThatNobodySeesChangeNothing) {
  std::vector<bool> some = {false, true, false, false, true, false};
  Teller teller(6, 3);
  teller.add({3, 4, 5}, some);
  teller.add({0, 1, 2}, some);
  EXPECT_EQ(teller.root(), "(1 4)");
  Teller nothing(2, 1);
  nothing.add({1}, {false, false});
  nothing.add({0}, {false, false});
  EXPECT_EQ(nothing.root(), "");
}

TEST(LeafTree, AnyOrderGivesTheSame) {
  unsigned seed = test::drawnSeed();
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    int64_t leaves = 1 + random() % 70;
    std::vector<bool> seen;
    for (int64_t i = 0; i < leaves; ++i)
      seen.push_back(random() % 4 != 0);
    std::vector<int64_t> order(static_cast<size_t>(leaves));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    int32_t fresh = 1 + int32_t(random() % 9);
    Teller teller(leaves, fresh);
    for (size_t i = 0; i < order.size();) {
      size_t count = std::min(order.size() - i, 1 + random() % size_t(fresh));
      teller.add({order.begin() + long(i), order.begin() + long(i + count)},
                 seen);
      i += count;
    }
    ASSERT_EQ(teller.root(), wanted(seen))
        << "seed " << seed << ", round " << round;
  }
}

// attention.md section 2: at most 4 * ceil(log2 leaves) partial results, fresh
// ones among them.
TEST(LeafTree, RingsKeepFew) {
  for (int32_t balance : {AGT_LEAVES, AGT_ZIGZAG_LEAVES})
    for (int32_t parts = 1; parts <= 17; ++parts)
      for (int64_t leaves : {1, 2, 3, 7, 16, 31, 64, 100, 257, 1000}) {
        agt_split split{0, parts, 1, balance};
        std::vector<bool> all(size_t(leaves), true);
        int32_t levels = levelsOf(leaves);
        for (int32_t place = 0; place < parts; ++place) {
          int32_t fresh = std::max(levels, 1);
          Teller teller(leaves, fresh);
          for (int32_t step = 0; step < parts; ++step)
            for (const TokenRun &run :
                 tokensOf(split, (place - step + parts) % parts,
                          leaves * AGT_LEAF_KEYS)) {
              std::vector<int64_t> some;
              int64_t first = run.begin / AGT_LEAF_KEYS;
              int64_t end = first + run.count / AGT_LEAF_KEYS;
              for (int64_t leaf = first; leaf < end; ++leaf) {
                some.push_back(leaf);
                if (int64_t(some.size()) == fresh || leaf + 1 == end) {
                  teller.add(some, all);
                  some.clear();
                }
              }
            }
          ASSERT_EQ(teller.root(), wanted(all));
          ASSERT_LE(teller.kept() + fresh, std::max(4 * levels, 2))
              << "place " << place << " of " << parts << ", " << leaves
              << " leaves, balance " << balance;
        }
      }
}

} // namespace
