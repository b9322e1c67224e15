// See Memory.h.
#include "runtime/Cpu/Memory.h"

#include "agt/runtime.h"
#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"

#include <cstdlib>
#include <sys/mman.h>

namespace agt::rt {

void *allocateAligned(uint64_t bytes) {
  constexpr uint64_t line = 256, page = uint64_t(2) << 20;
  uint64_t alignment = bytes >= page ? page : line;
  uint64_t room = bytes + AGT_CPU_SLACK;
  void *memory = std::aligned_alloc(alignment, (room + alignment - 1) /
                                                   alignment * alignment);
  if (memory && bytes >= page)
    madvise(memory, room, MADV_HUGEPAGE);
  return memory;
}

void freeAligned(void *memory) { std::free(memory); }

void failForMemory(uint64_t bytes) {
  fail(AGT_FAILED,
       "out of memory: the device 'cpu' has no room for " + bytesText(bytes));
}

bool Scratch::tryReserve(uint64_t bytes) {
  if (bytes <= size)
    return true;
  freeAligned(memory);
  memory = allocateAligned(bytes);
  size = memory ? bytes : 0;
  return memory != nullptr;
}

void Scratch::reserve(uint64_t bytes) {
  if (!tryReserve(bytes))
    failForMemory(bytes);
}

} // namespace agt::rt
