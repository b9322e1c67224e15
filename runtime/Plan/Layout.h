// Where the buffers of a plan lie in device memory.
//
// Buffers that are never alive at the same time may share room. Each is placed
// at the lowest offset that is free during its whole life, the largest first;
// that comes close to the peak that no layout can beat. Buffers of about the
// same size that follow each other, as the shards of a ring do, lie better in
// the order of their lives: both are tried. Room comes in
// chunks, since drivers limit the size of one allocation (2 GiB on lavapipe);
// no buffer lies across two chunks. A buffer beyond the limit has a chunk of
// its own, which it shares with other such buffers at other times.
#ifndef AGT_RUNTIME_PLAN_LAYOUT_H
#define AGT_RUNTIME_PLAN_LAYOUT_H

#include <cstdint>
#include <vector>

namespace agt::rt {

/// A buffer's size and the launches, first and last, between which its
/// content matters.
struct Lifetime {
  uint64_t bytes;
  uint32_t first;
  uint32_t last;
};

struct Placement {
  uint32_t chunk = 0;
  uint64_t offset = 0;
};

struct Layout {
  std::vector<Placement> placements; // one for each lifetime
  std::vector<uint64_t> chunks;      // bytes of each chunk
  uint64_t total() const;
};

/// `alignment` is a power of two; `maxChunk` is a multiple of it.
Layout layOut(const std::vector<Lifetime> &lifetimes, uint64_t alignment,
              uint64_t maxChunk);

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_LAYOUT_H
