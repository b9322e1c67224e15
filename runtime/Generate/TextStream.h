// The text of tokens as it may be shown: whole characters, and nothing that may
// turn out to be a stop string.
#ifndef AGT_RUNTIME_GENERATE_TEXTSTREAM_H
#define AGT_RUNTIME_GENERATE_TEXTSTREAM_H

#include <string>
#include <string_view>
#include <vector>

namespace agt::rt {

class TextStream {
public:
  explicit TextStream(std::vector<std::string> stops);

  /// Takes the bytes of a token; what can be shown by now. U+FFFD stands for
  /// each byte that is no text.
  std::string take(std::string_view bytes);
  /// Whether a stop string has come; it and what follows are not shown.
  bool isStopped() const { return stopped; }
  /// What was held back, when nothing follows.
  std::string end();

private:
  std::string show(size_t bytes);

  std::vector<std::string> stops;
  std::string held;
  bool stopped = false;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_TEXTSTREAM_H
