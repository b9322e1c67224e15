// Neighbours of a text under way to its tokens: again and again the pair that
// is worth most becomes one token, of equal ones the first.
#ifndef AGT_RUNTIME_TOKENIZER_MERGER_H
#define AGT_RUNTIME_TOKENIZER_MERGER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace agt::rt {

/// What two neighbours make.
struct Join {
  double worth;
  int32_t token;
};

/// The pairs wait in a heap, and neighbours are a linked list: a text of n
/// pieces takes O(n log n).
class Merger {
public:
  /// A token and the text that it stands for; the token may be -1, no token.
  struct Item {
    int32_t token;
    std::string_view text;
    int32_t previous = -1, next = -1; // places, -1 at the ends
    bool gone = false;
  };

  /// Texts follow each other in one buffer.
  void append(int32_t token, std::string_view text);
  /// `join` tells what two neighbours make, if anything.
  void run(const std::function<std::optional<Join>(const Item &left,
                                                   const Item &right)> &join);
  /// What is left, in order.
  std::vector<Item> items() const;

private:
  std::vector<Item> list;
};

/// The bytes of the UTF-8 character that begins at `at`; of a byte that begins
/// none, the byte.
size_t characterLength(std::string_view text, size_t at);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOKENIZER_MERGER_H
