// llama2.c's tokenizer. A file is: int32 longest token; then for each token a
// float32 score, an int32 number of bytes, the bytes. Tokens 0, 1 and 2 are
// <unk>, BOS and EOS; 3 to 258 are the raw bytes, written <0xHH>.
//
// A text is encoded as BOS, then, unless it is empty, the text with a blank in
// front: first its characters (those that are no token as their bytes), then
// the pair of neighbours that makes the token with the best score becomes that
// token, of equal ones the first, until no pair makes one.
#include "runtime/Support/Failure.h"
#include "runtime/Support/File.h"
#include "runtime/Tokenizer/Merger.h"
#include "runtime/Tokenizer/Tokenizer.h"

#include <cmath>
#include <cstring>
#include <unordered_map>

namespace agt::rt {
namespace {

constexpr int32_t bos = 1, eos = 2, firstByte = 3, firstText = 259;

class Llama2cTokenizer : public Tokenizer {
public:
  Llama2cTokenizer(std::unique_ptr<MappedFile> file, const std::string &path);

  int64_t size() const override { return int64_t(tokens.size()); }
  /// Its marks have no texts that stand for them.
  std::vector<int32_t> encode(std::string_view text,
                              bool marks = false) const override;
  std::vector<int32_t> encodeMore(std::string_view text) const override;
  std::string_view piece(int32_t previous, int32_t token) const override;
  bool isEnd(int32_t token) const override {
    return token == bos || token == eos;
  }

private:
  struct Token {
    std::string_view text;
    float score;
  };
  int32_t find(std::string_view text) const {
    auto found = byText.find(text);
    return found == byText.end() ? -1 : found->second;
  }
  void parse();
  void checkBytes() const;

  std::unique_ptr<MappedFile> file;
  std::vector<Token> tokens;
  /// Ordinary tokens alone: a text that reads "<s>" is no mark.
  std::unordered_map<std::string_view, int32_t> byText;
};

uint32_t word(const unsigned char *at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i)
    value |= uint32_t(at[i]) << (8 * i);
  return value;
}

[[noreturn]] void refuse(const std::string &text) { fail(AGT_BAD_INPUT, text); }

} // namespace

Llama2cTokenizer::Llama2cTokenizer(std::unique_ptr<MappedFile> mapped,
                                   const std::string &path)
    : file(std::move(mapped)) {
  try {
    parse();
    checkBytes();
  } catch (const Failure &failure) {
    fail(failure.code, "cannot read '" + path + "': " + failure.message);
  }
}

void Llama2cTokenizer::parse() {
  const unsigned char *data = file->data();
  size_t size = file->size(), at = 4;
  if (size < at)
    refuse("it ends within the header of a llama2c tokenizer");
  int64_t longest = int32_t(word(data));
  if (longest < 1)
    refuse("its longest token has " + std::to_string(longest) +
           " bytes: it is not a llama2c tokenizer");
  while (at < size) {
    std::string name = "its token " + std::to_string(tokens.size());
    if (size - at < 8)
      refuse("it ends within " + name);
    uint32_t bits = word(data + at);
    float score = 0;
    std::memcpy(&score, &bits, sizeof score);
    int64_t length = int32_t(word(data + at + 4));
    at += 8;
    if (std::isnan(score))
      refuse(name + " has no number as its score");
    if (length < 0 || length > longest)
      refuse(name + " has " + std::to_string(length) +
             " bytes, the longest is to have " + std::to_string(longest));
    if (uint64_t(length) > size - at)
      refuse("it ends within " + name);
    tokens.push_back(
        {{reinterpret_cast<const char *>(data + at), size_t(length)}, score});
    at += size_t(length);
    if (tokens.size() > size_t(firstText) && length > 0)
      byText.emplace(tokens.back().text, int32_t(tokens.size() - 1));
  }
}

/// 3 to 258 are <0x00> to <0xFF>: what no token writes is written in these.
void Llama2cTokenizer::checkBytes() const {
  for (int byte = 0; byte < 256; ++byte) {
    char expected[8];
    std::snprintf(expected, sizeof expected, "<0x%02X>", byte);
    size_t number = size_t(firstByte + byte);
    if (number >= tokens.size() || tokens[number].text != expected)
      refuse("its token " + std::to_string(number) + " is not '" + expected +
             "': it is not a llama2c tokenizer");
  }
}

std::string_view Llama2cTokenizer::piece(int32_t previous,
                                         int32_t token) const {
  static const std::string bytes = [] {
    std::string all;
    for (int byte = 0; byte < 256; ++byte)
      all += char(byte);
    return all;
  }();
  if (token < 0 || token >= size() || token < firstByte)
    return {};
  std::string_view text =
      token < firstText
          ? std::string_view(bytes).substr(size_t(token - firstByte), 1)
          : tokens[size_t(token)].text;
  // The blank that encode() put in front.
  if (previous == bos && !text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  return text;
}

std::vector<int32_t> Llama2cTokenizer::encode(std::string_view text,
                                              bool) const {
  std::vector<int32_t> result = {bos};
  if (text.empty())
    return result;
  std::vector<int32_t> words = encodeMore(" " + std::string(text));
  result.insert(result.end(), words.begin(), words.end());
  return result;
}

std::vector<int32_t> Llama2cTokenizer::encodeMore(std::string_view rest) const {
  std::vector<int32_t> result;
  Merger merger;
  for (size_t at = 0; at < rest.size();) {
    size_t length = characterLength(rest, at);
    std::string_view character = rest.substr(at, length);
    at += length;
    if (int32_t token = find(character); token >= 0) {
      merger.append(token, character);
      continue;
    }
    // A token of a raw byte is joined with nothing: its text is not its bytes.
    for (size_t i = 0; i < length; ++i)
      merger.append(firstByte + static_cast<unsigned char>(character[i]), {});
  }
  merger.run([&](const Merger::Item &left,
                 const Merger::Item &right) -> std::optional<Join> {
    if (left.text.empty() || right.text.empty())
      return std::nullopt;
    int32_t token =
        find({left.text.data(), left.text.size() + right.text.size()});
    if (token < 0)
      return std::nullopt;
    return Join{tokens[size_t(token)].score, token};
  });
  for (const Merger::Item &item : merger.items())
    result.push_back(item.token);
  return result;
}

std::unique_ptr<Tokenizer>
readLlama2cTokenizer(std::unique_ptr<MappedFile> file,
                     const std::string &path) {
  return std::make_unique<Llama2cTokenizer>(std::move(file), path);
}

} // namespace agt::rt
