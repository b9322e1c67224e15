// Text as tokens and back. Any bytes come back as they were.
#ifndef AGT_RUNTIME_TOKENIZER_TOKENIZER_H
#define AGT_RUNTIME_TOKENIZER_TOKENIZER_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agt::rt {

class MappedFile;

class Tokenizer {
public:
  virtual ~Tokenizer() = default;

  /// How many tokens there are.
  virtual int64_t size() const = 0;
  /// The tokens of a text that begins a sequence, its mark of a beginning first
  /// where it has one. With `marks` the texts of special tokens ("<|im_end|>")
  /// are these tokens; else they are texts like any other, since who asks may
  /// not be who wrote them.
  virtual std::vector<int32_t> encode(std::string_view text,
                                      bool marks = false) const = 0;
  /// The tokens of a text that goes on behind others, without marks.
  virtual std::vector<int32_t> encodeMore(std::string_view text) const = 0;
  /// The bytes of `token` behind `previous`.
  virtual std::string_view piece(int32_t previous, int32_t token) const = 0;
  /// Whether a model says with this token that its text is over.
  virtual bool isEnd(int32_t token) const = 0;

  /// The text of tokens as encode() makes them.
  std::string decode(const std::vector<int32_t> &tokens) const;
};

/// Opens a tokenizer: of a GGUF file, a Hugging Face tokenizer.json, or one of
/// llama2.c; its content says which. Fails with AGT_BAD_INPUT; the text names
/// `path`.
std::unique_ptr<Tokenizer> openTokenizer(const std::string &path);

// The formats one by one. Each fails as above.

/// llama2.c's vocabulary: merges by score. It keeps the file.
std::unique_ptr<Tokenizer>
readLlama2cTokenizer(std::unique_ptr<MappedFile> file, const std::string &path);
/// The vocabulary in the values of a GGUF file: by score (SentencePiece), or
/// merges of bytes.
std::unique_ptr<Tokenizer> readGgufTokenizer(const unsigned char *data,
                                             size_t size,
                                             const std::string &path);
/// A tokenizer.json with a BPE model, of bytes or of characters.
std::unique_ptr<Tokenizer> readJsonTokenizer(std::string_view text,
                                             const std::string &path);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOKENIZER_TOKENIZER_H
