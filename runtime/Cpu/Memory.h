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

/// Memory that a thread works in.
class Scratch {
public:
  Scratch() = default;
  Scratch(Scratch &&other) noexcept : memory(other.memory), size(other.size) {
    other.memory = nullptr;
  }
  ~Scratch() { freeAligned(memory); }
  /// Makes it at least so large; what it held is gone then.
  void reserve(uint64_t bytes);
  /// False when there is no memory; then it has none at all.
  bool tryReserve(uint64_t bytes);
  void *get() const { return memory; }

private:
  void *memory = nullptr;
  uint64_t size = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_CPU_MEMORY_H
