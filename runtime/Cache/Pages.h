// Places for the keys and values of many sequences: pages of one pool.
//
// A sequence is a chain of parts. A part has pages of its own and begins behind
// some token of another part, whose tokens up to there stand before its own. To
// fork is to begin a part behind any token: it takes no page and copies
// nothing, however long the text is, since what a sequence holds is only ever
// added to. Who reads must be told which places a token may see
// (Sequence::forEachRun): the last page of a part may be partly filled, and
// with what comes later of another branch. A page is free again when the last
// part that needs it is gone.
#ifndef AGT_RUNTIME_CACHE_PAGES_H
#define AGT_RUNTIME_CACHE_PAGES_H

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace agt::rt {

/// Not for several threads at a time.
class PagePool {
public:
  /// `pages` pages of `pageTokens` places each, both above 0.
  PagePool(int64_t pages, int64_t pageTokens);

  int64_t pageTokens() const { return tokens; }
  /// How many places there are.
  int64_t capacity() const { return int64_t(positions.size()); }
  int64_t freePages() const { return int64_t(unused.size()); }
  /// The position of the token at each place, i32; of a place that holds none,
  /// anything.
  const std::vector<int32_t> &positionOf() const { return positions; }

private:
  friend class Sequence;
  int64_t tokens;
  std::vector<int32_t> unused; // the next is the last
  std::vector<int32_t> positions;
};

/// Tokens in order, those of forks before it first. The pool outlives it.
class Sequence {
public:
  /// No tokens.
  explicit Sequence(PagePool &pool);

  int64_t length() const;
  /// A sequence of its first `length` tokens, to go on by itself.
  Sequence fork(int64_t length) const;
  /// How many pages append() would take.
  int64_t pagesFor(int64_t tokens) const;
  /// Places for further tokens, in order. Fails with AGT_FAILED where the pool
  /// has too few free pages, and then takes none.
  std::vector<int32_t> append(int64_t tokens);
  /// The place of its first token, -1 of none. It is that of all that were
  /// forked off behind the token, of none other.
  int32_t firstPlace() const;
  /// The places of all its tokens, as runs of neighbours, in no order.
  void forEachRun(
      const std::function<void(int32_t first, int64_t count)> &visit) const;

private:
  struct Part;
  explicit Sequence(std::shared_ptr<Part> part) : part(std::move(part)) {}
  std::shared_ptr<Part> part;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_CACHE_PAGES_H
