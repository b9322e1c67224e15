// Memory that goes all at once. Each strand of an execution (the agent itself,
// each branch) allocates from an arena of its own without locks; values may be
// read by every thread, so arenas live as long as the execution.
#ifndef AGT_RUNTIME_VALUE_ARENA_H
#define AGT_RUNTIME_VALUE_ARENA_H

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace agt::rt {

class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// 16-byte aligned.
  void *allocate(size_t bytes) {
    bytes = (bytes + 15) & ~size_t(15);
    if (bytes > room) {
      // Large things get a block of their own; the current one goes on.
      size_t size = bytes > blockBytes / 4 ? bytes : blockBytes;
      blocks.emplace_back(new char[size]);
      if (size == bytes)
        return blocks.back().get();
      next = blocks.back().get();
      room = size;
    }
    void *result = next;
    next += bytes;
    room -= bytes;
    return result;
  }

  /// An object that needs no destructor.
  template <typename T, typename... Args> T *make(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T))) T{std::forward<Args>(args)...};
  }

  /// A copy of the text, with a NUL behind it.
  std::string_view copy(std::string_view text) {
    char *bytes = static_cast<char *>(allocate(text.size() + 1));
    std::memcpy(bytes, text.data(), text.size());
    bytes[text.size()] = 0;
    return {bytes, text.size()};
  }

private:
  static constexpr size_t blockBytes = 32 << 10;
  std::vector<std::unique_ptr<char[]>> blocks;
  char *next = nullptr;
  size_t room = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_VALUE_ARENA_H
