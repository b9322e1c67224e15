// See Layout.h. Offsets are computed in one long address range whose multiples
// of maxChunk are borders, and are split into chunk and offset at the end.
#include "runtime/Plan/Layout.h"

#include <algorithm>
#include <numeric>

namespace agt::rt {

uint64_t Layout::total() const {
  return std::accumulate(chunks.begin(), chunks.end(), uint64_t(0));
}

namespace {
struct Placed {
  uint64_t begin;
  uint64_t end;
  uint32_t first;
  uint32_t last;
};
} // namespace

// The lowest offset >= `offset` from which `bytes` cross no chunk border.
static uint64_t clearOfBorder(uint64_t offset, uint64_t bytes,
                              uint64_t maxChunk) {
  uint64_t inChunk = offset % maxChunk;
  return inChunk + bytes > maxChunk ? offset - inChunk + maxChunk : offset;
}

// `placed` is sorted by begin.
static uint64_t lowestFree(const std::vector<Placed> &placed,
                           const Lifetime &life, uint64_t bytes,
                           uint64_t maxChunk) {
  uint64_t offset = 0;
  for (const Placed &other : placed) {
    if (other.last < life.first || life.last < other.first)
      continue;
    if (offset + bytes <= other.begin)
      break;
    offset = clearOfBorder(std::max(offset, other.end), bytes, maxChunk);
  }
  return offset;
}

Layout layOut(const std::vector<Lifetime> &lifetimes, uint64_t alignment,
              uint64_t maxChunk) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return lifetimes[a].bytes != lifetimes[b].bytes
               ? lifetimes[a].bytes > lifetimes[b].bytes
               : a < b;
  });

  Layout layout;
  layout.placements.resize(lifetimes.size());
  std::vector<Placed> placed;
  for (size_t index : order) {
    const Lifetime &life = lifetimes[index];
    // Empty buffers get room too: their address must be valid.
    uint64_t bytes =
        std::max(alignment, (life.bytes + alignment - 1) & ~(alignment - 1));
    uint64_t offset = lowestFree(placed, life, bytes, maxChunk);
    Placed entry{offset, offset + bytes, life.first, life.last};
    placed.insert(std::upper_bound(placed.begin(), placed.end(), entry,
                                   [](const Placed &a, const Placed &b) {
                                     return a.begin < b.begin;
                                   }),
                  entry);
    Placement &where = layout.placements[index];
    where.chunk = uint32_t(offset / maxChunk);
    where.offset = offset % maxChunk;
    if (layout.chunks.size() <= where.chunk)
      layout.chunks.resize(where.chunk + 1, 0);
    uint64_t &chunk = layout.chunks[where.chunk];
    chunk = std::max(chunk, where.offset + bytes);
  }
  return layout;
}

} // namespace agt::rt
