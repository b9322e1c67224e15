// See LeafTree.h.
#include "runtime/Plan/LeafTree.h"

#include <algorithm>

namespace agt::rt {

int levelsOf(int64_t leaves) {
  int levels = 0;
  while ((int64_t(1) << levels) < leaves)
    ++levels;
  return levels;
}

LeafTree::LeafTree(int64_t leaves, int32_t freshSlots)
    : count(leaves), missing(leaves), fresh(freshSlots), end(freshSlots) {}

int32_t LeafTree::newSlot() {
  if (freeSlots.empty())
    return end++;
  // The lowest, so that few are ever used.
  auto lowest = std::min_element(freeSlots.begin(), freeSlots.end());
  int32_t slot = *lowest;
  freeSlots.erase(lowest);
  return slot;
}

void LeafTree::release(int32_t slot) {
  if (slot != kNothing && !isFresh(slot))
    freeSlots.push_back(slot);
}

int32_t LeafTree::merged(int32_t left, int32_t right,
                         std::vector<Merge> &merges) {
  if (left == kNothing || right == kNothing)
    return left == kNothing ? right : left;
  // In place of one that stays, if one does.
  int32_t into = isFresh(left) ? right : left;
  merges.push_back({into, left, right});
  release(into == left ? right : left);
  return into;
}

void LeafTree::add(int64_t leaf, int32_t slot, std::vector<Merge> &merges) {
  --missing;
  Node node{0, leaf};
  int top = levelsOf(count);
  for (; node.first < top; node = {node.first + 1, node.second / 2}) {
    int64_t sibling = node.second ^ 1;
    if (sibling << node.first >= count)
      continue; // there are no such leaves
    auto known = nodes.find({node.first, sibling});
    if (known == nodes.end())
      break;
    bool isLeft = sibling < node.second;
    int32_t other = known->second;
    nodes.erase(known);
    slot = isLeft ? merged(other, slot, merges) : merged(slot, other, merges);
  }
  nodes[node] = slot;
}

void LeafTree::settle(std::vector<Merge> &merges) {
  for (auto &[node, slot] : nodes)
    if (isFresh(slot)) {
      int32_t stays = newSlot();
      merges.push_back({stays, slot, kNothing});
      slot = stays;
    }
}

int32_t LeafTree::root() const {
  return nodes.empty() ? kNothing : nodes.begin()->second;
}

} // namespace agt::rt
