// See Gather.h.
#include "runtime/Mesh/Gather.h"

#include <set>

namespace agt::rt {

// The different parts that positions hold, in the order of their first holders;
// of the group of `member`, where positions are told apart by `kept`.
static std::vector<std::vector<int64_t>>
heldParts(const std::vector<agt_split> &splits, int64_t positions,
          const std::vector<agt_split> &kept = {}, int64_t member = 0) {
  std::vector<std::vector<int64_t>> result;
  std::set<std::vector<int64_t>> known;
  for (int64_t position = 0; position < positions; ++position) {
    if (partsOf(kept, position) != partsOf(kept, member))
      continue;
    std::vector<int64_t> parts = partsOf(splits, position);
    if (known.insert(parts).second)
      result.push_back(std::move(parts));
  }
  return result;
}

GatherMessages messagesOf(const GatherRecord &gather, int64_t position,
                          int64_t positions) {
  auto partOfWhole = [&](const std::vector<int64_t> &parts) {
    return TensorPart(gather.shape.data(), int(gather.shape.size()),
                      gather.splits, parts);
  };
  GatherMessages messages;
  std::vector<int64_t> own = partsOf(gather.splits, position);
  // Who holds what: the parts of the group with what tells groups apart.
  std::vector<agt_split> all(gather.splits);
  all.insert(all.end(), gather.kept.begin(), gather.kept.end());
  auto holder = [&](const std::vector<int64_t> &parts, int64_t asking) {
    std::vector<int64_t> wanted(parts), group = partsOf(gather.kept, asking);
    wanted.insert(wanted.end(), group.begin(), group.end());
    return nearestHolder(all, wanted, asking, positions);
  };
  for (const std::vector<int64_t> &parts :
       heldParts(gather.splits, positions, gather.kept, position)) {
    if (parts == own)
      continue;
    TensorPart part = partOfWhole(parts);
    uint64_t bytes = uint64_t(part.elements()) * gather.elementBytes;
    int64_t from = holder(parts, position);
    if (bytes)
      messages.receives.push_back({from, std::move(part), bytes});
  }
  messages.sendBytes =
      uint64_t(partOfWhole(own).elements()) * gather.elementBytes;
  for (int64_t other = 0; other < positions && messages.sendBytes; ++other)
    if (partsOf(gather.splits, other) != own && holder(own, other) == position)
      messages.sendTo.push_back(other);
  return messages;
}

bool isCovered(const std::vector<agt_split> &splits, int64_t positions) {
  uint64_t needed = 1;
  for (const agt_split &split : splits)
    needed *= uint64_t(split.parts);
  return heldParts(splits, positions).size() == needed;
}

} // namespace agt::rt
