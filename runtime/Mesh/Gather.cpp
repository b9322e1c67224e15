// See Gather.h.
#include "runtime/Mesh/Gather.h"

#include <set>

namespace agt::rt {

// The different parts that positions hold, in the order of their first holders.
static std::vector<std::vector<int64_t>>
heldParts(const std::vector<agt_split> &splits, int64_t positions) {
  std::vector<std::vector<int64_t>> result;
  std::set<std::vector<int64_t>> known;
  for (int64_t position = 0; position < positions; ++position) {
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
  for (const std::vector<int64_t> &parts :
       heldParts(gather.splits, positions)) {
    if (parts == own)
      continue;
    TensorPart part = partOfWhole(parts);
    uint64_t bytes = uint64_t(part.elements()) * gather.elementBytes;
    int64_t from = nearestHolder(gather.splits, parts, position, positions);
    if (bytes)
      messages.receives.push_back({from, std::move(part), bytes});
  }
  messages.sendBytes =
      uint64_t(partOfWhole(own).elements()) * gather.elementBytes;
  for (int64_t other = 0; other < positions && messages.sendBytes; ++other)
    if (partsOf(gather.splits, other) != own &&
        nearestHolder(gather.splits, own, other, positions) == position)
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
