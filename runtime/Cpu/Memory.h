// Memory for the CPU device: aligned, in large pages where it is large, with
// AGT_CPU_SLACK readable bytes beyond its end.
#ifndef AGT_RUNTIME_CPU_MEMORY_H
#define AGT_RUNTIME_CPU_MEMORY_H

#include <cstdint>

namespace agt::rt {

/// NULL when there is none.
void *allocateAligned(uint64_t bytes);
void freeAligned(void *memory);

[[noreturn]] void failForMemory(uint64_t bytes);

} // namespace agt::rt

#endif // AGT_RUNTIME_CPU_MEMORY_H
