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

static bool together(const Lifetime &a, const Lifetime &b) {
  return a.first <= b.last && b.first <= a.last;
}

namespace {
// A chunk for buffers that are larger than chunks are.
struct LargeChunk {
  uint64_t bytes; // of the first, which is the largest
  std::vector<size_t> residents;
};
} // namespace

// Finds room for lifetime `index`, which is no larger than those before it.
static size_t placeLarge(std::vector<LargeChunk> &chunks,
                         const std::vector<Lifetime> &lifetimes, size_t index,
                         uint64_t bytes) {
  for (size_t i = 0; i < chunks.size(); ++i) {
    auto &residents = chunks[i].residents;
    if (std::any_of(residents.begin(), residents.end(), [&](size_t other) {
          return together(lifetimes[other], lifetimes[index]);
        }))
      continue;
    residents.push_back(index);
    return i;
  }
  chunks.push_back({bytes, {index}});
  return chunks.size() - 1;
}

// The bytes that each buffer is given. Empty ones get room too: their address
// must be valid.
static std::vector<uint64_t> roomsFor(const std::vector<Lifetime> &lifetimes,
                                      uint64_t alignment) {
  std::vector<uint64_t> rooms;
  for (const Lifetime &life : lifetimes)
    rooms.push_back(
        std::max(alignment, (life.bytes + alignment - 1) & ~(alignment - 1)));
  return rooms;
}

// Makes sizes alike that differ by an eighth at most, so that one fits where
// another was. `bySize` has the largest first.
static void makeAlike(std::vector<uint64_t> &rooms,
                      const std::vector<size_t> &bySize) {
  uint64_t largest = 0;
  for (size_t index : bySize) {
    if (rooms[index] < largest - largest / 8 || largest == 0)
      largest = rooms[index];
    rooms[index] = largest;
  }
}

// Places the buffers in that order.
static Layout layOutIn(const std::vector<size_t> &order,
                       const std::vector<uint64_t> &rooms,
                       const std::vector<Lifetime> &lifetimes,
                       uint64_t maxChunk) {
  Layout layout;
  layout.placements.resize(lifetimes.size());
  std::vector<Placed> placed;
  std::vector<LargeChunk> large;
  for (size_t index : order) {
    const Lifetime &life = lifetimes[index];
    uint64_t bytes = rooms[index];
    Placement &where = layout.placements[index];
    if (bytes > maxChunk) {
      where.chunk = uint32_t(placeLarge(large, lifetimes, index, bytes));
      continue;
    }
    uint64_t offset = lowestFree(placed, life, bytes, maxChunk);
    Placed entry{offset, offset + bytes, life.first, life.last};
    placed.insert(std::upper_bound(placed.begin(), placed.end(), entry,
                                   [](const Placed &a, const Placed &b) {
                                     return a.begin < b.begin;
                                   }),
                  entry);
    where.chunk = uint32_t(offset / maxChunk);
    where.offset = offset % maxChunk;
    if (layout.chunks.size() <= where.chunk)
      layout.chunks.resize(where.chunk + 1, 0);
    uint64_t &chunk = layout.chunks[where.chunk];
    chunk = std::max(chunk, where.offset + bytes);
  }
  // The large chunks stand behind the others.
  for (const LargeChunk &chunk : large) {
    for (size_t resident : chunk.residents)
      layout.placements[resident].chunk = uint32_t(layout.chunks.size());
    layout.chunks.push_back(chunk.bytes);
  }
  return layout;
}

Layout layOut(const std::vector<Lifetime> &lifetimes, uint64_t alignment,
              uint64_t maxChunk) {
  std::vector<size_t> bySize(lifetimes.size());
  std::iota(bySize.begin(), bySize.end(), size_t(0));
  std::vector<size_t> byBegin = bySize;
  std::sort(bySize.begin(), bySize.end(), [&](size_t a, size_t b) {
    return lifetimes[a].bytes != lifetimes[b].bytes
               ? lifetimes[a].bytes > lifetimes[b].bytes
               : a < b;
  });
  std::sort(byBegin.begin(), byBegin.end(), [&](size_t a, size_t b) {
    return lifetimes[a].first != lifetimes[b].first
               ? lifetimes[a].first < lifetimes[b].first
               : a < b;
  });
  std::vector<uint64_t> rooms = roomsFor(lifetimes, alignment);
  Layout best = layOutIn(bySize, rooms, lifetimes, maxChunk);
  // Buffers beyond maxChunk are placed right only by size.
  if (!bySize.empty() && rooms[bySize.front()] > maxChunk)
    return best;
  makeAlike(rooms, bySize);
  Layout other = layOutIn(byBegin, rooms, lifetimes, maxChunk);
  return other.total() < best.total() ? other : best;
}

} // namespace agt::rt
