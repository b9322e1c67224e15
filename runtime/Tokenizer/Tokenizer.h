// Text as tokens and back. Any bytes come back as they were.
#ifndef AGT_RUNTIME_TOKENIZER_TOKENIZER_H
#define AGT_RUNTIME_TOKENIZER_TOKENIZER_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agt::rt {

class Tokenizer {
public:
  virtual ~Tokenizer() = default;

  /// How many tokens there are.
  virtual int64_t size() const = 0;
  /// The tokens of a text that begins a sequence, its mark of a beginning first.
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;
  /// The bytes of `token` behind `previous`.
  virtual std::string_view piece(int32_t previous, int32_t token) const = 0;
  /// Whether a model says with this token that its text is over.
  virtual bool isEnd(int32_t token) const = 0;

  /// The text of tokens as encode() makes them.
  std::string decode(const std::vector<int32_t> &tokens) const;
};

/// llama2.c's vocabulary: merges by score. Fails with AGT_BAD_INPUT; the text
/// names `path`.
std::unique_ptr<Tokenizer> readLlama2cTokenizer(const std::string &path);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOKENIZER_TOKENIZER_H
