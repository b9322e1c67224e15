// See Pages.h.
#include "runtime/Cache/Pages.h"

#include "runtime/Support/Failure.h"

#include <algorithm>

namespace agt::rt {

PagePool::PagePool(int64_t pages, int64_t pageTokens)
    : tokens(pageTokens), positions(size_t(pages * pageTokens)) {
  for (int64_t page = pages; page > 0; --page)
    unused.push_back(int32_t(page - 1));
}

struct Sequence::Part {
  Part(PagePool &pool, std::shared_ptr<const Part> before, int64_t begin)
      : pool(pool), before(std::move(before)), begin(begin) {}
  ~Part() {
    pool.unused.insert(pool.unused.end(), pages.rbegin(), pages.rend());
  }

  int64_t end() const { return begin + held; }

  PagePool &pool;
  std::shared_ptr<const Part> before; // has more than `begin` tokens, or none
  int64_t begin;                      // tokens that stand before its own
  int64_t held = 0;                   // its own
  std::vector<int32_t> pages;
};

Sequence::Sequence(PagePool &pool)
    : part(std::make_shared<Part>(pool, nullptr, 0)) {}

int64_t Sequence::length() const { return part->end(); }

Sequence Sequence::fork(int64_t length) const {
  std::shared_ptr<const Part> at = part;
  while (at && at->begin >= length)
    at = at->before;
  return Sequence(std::make_shared<Part>(part->pool, std::move(at), length));
}

int64_t Sequence::pagesFor(int64_t tokens) const {
  int64_t size = part->pool.tokens;
  return (part->held + tokens + size - 1) / size - int64_t(part->pages.size());
}

std::vector<int32_t> Sequence::append(int64_t tokens) {
  PagePool &pool = part->pool;
  int64_t wanted = pagesFor(tokens);
  if (wanted > pool.freePages())
    fail(AGT_FAILED, "the cache has " + std::to_string(pool.freePages()) +
                         " free pages, " + std::to_string(wanted) +
                         " are needed");
  for (; wanted > 0; --wanted) {
    part->pages.push_back(pool.unused.back());
    pool.unused.pop_back();
  }
  std::vector<int32_t> places;
  for (; tokens > 0; --tokens) {
    int64_t page = part->pages[size_t(part->held / pool.tokens)];
    int64_t place = page * pool.tokens + part->held % pool.tokens;
    pool.positions[size_t(place)] = int32_t(part->end());
    places.push_back(int32_t(place));
    ++part->held;
  }
  return places;
}

int32_t Sequence::firstPlace() const {
  const Part *at = part.get();
  while (at->before)
    at = at->before.get();
  return at->pages.empty() ? -1 : int32_t(at->pages.front() * at->pool.tokens);
}

void Sequence::forEachRun(
    const std::function<void(int32_t, int64_t)> &visit) const {
  int64_t end = part->end(); // what a part shows to those behind it ends here
  for (const Part *at = part.get(); at; at = at->before.get()) {
    int64_t left = end - at->begin, size = at->pool.tokens;
    for (int32_t page : at->pages) {
      if (left <= 0)
        break;
      visit(int32_t(page * size), std::min(left, size));
      left -= size;
    }
    end = at->begin;
  }
}

} // namespace agt::rt
