// See Merger.h.
#include "runtime/Tokenizer/Merger.h"

#include <queue>

namespace agt::rt {
namespace {

struct Pair {
  double worth;
  int32_t left, right;           // places
  int32_t token;                 // what they make
  int32_t leftToken, rightToken; // pairs of items that changed are stale
  size_t bytes;                  // likewise
  bool operator<(const Pair &other) const { // worse
    return worth != other.worth ? worth < other.worth : left > other.left;
  }
};

} // namespace

void Merger::append(int32_t token, std::string_view text) {
  int32_t place = int32_t(list.size());
  if (place)
    list.back().next = place;
  list.push_back({token, text, place - 1});
}

void Merger::run(const std::function<std::optional<Join>(
                     const Item &left, const Item &right)> &join) {
  std::priority_queue<Pair> pairs;
  auto consider = [&](int32_t left, int32_t right) {
    if (left < 0 || right < 0)
      return;
    const Item &a = list[size_t(left)], &b = list[size_t(right)];
    if (std::optional<Join> made = join(a, b))
      pairs.push({made->worth, left, right, made->token, a.token, b.token,
                  a.text.size() + b.text.size()});
  };
  for (size_t i = 0; i + 1 < list.size(); ++i)
    consider(int32_t(i), int32_t(i + 1));
  while (!pairs.empty()) {
    Pair pair = pairs.top();
    pairs.pop();
    Item &left = list[size_t(pair.left)], &right = list[size_t(pair.right)];
    if (left.gone || right.gone || left.next != pair.right ||
        left.token != pair.leftToken || right.token != pair.rightToken ||
        left.text.size() + right.text.size() != pair.bytes)
      continue;
    left.token = pair.token;
    left.text = {left.text.data(), pair.bytes};
    left.next = right.next;
    right.gone = true;
    if (left.next >= 0)
      list[size_t(left.next)].previous = pair.left;
    consider(left.previous, pair.left);
    consider(pair.left, left.next);
  }
}

std::vector<Merger::Item> Merger::items() const {
  std::vector<Item> left;
  for (const Item &item : list)
    if (!item.gone)
      left.push_back(item);
  return left;
}

size_t characterLength(std::string_view text, size_t at) {
  size_t end = at + 1;
  if (static_cast<unsigned char>(text[at]) < 0xc0)
    return 1;
  while (end < text.size() && end - at < 4 &&
         (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    ++end;
  return end - at;
}

} // namespace agt::rt
