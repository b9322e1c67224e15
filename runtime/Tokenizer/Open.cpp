// Which kind of tokenizer a file holds, by its first bytes.
#include "runtime/Support/File.h"
#include "runtime/Tokenizer/Tokenizer.h"
#include "runtime/Weights/Gguf.h"

#include <algorithm>

namespace agt::rt {
/// JSON begins with a brace behind blanks and has no byte 0; the first word of
/// a llama2.c file, the length of its longest token, always has one.
static bool isJson(const unsigned char *data, size_t size) {
  size_t looked = std::min<size_t>(size, 4);
  if (std::find(data, data + looked, 0) != data + looked)
    return false;
  const unsigned char *first =
      std::find_if(data, data + size, [](unsigned char c) {
        return c != ' ' && c != '\n' && c != '\r' && c != '\t';
      });
  return first != data + size && *first == '{';
}

std::unique_ptr<Tokenizer> openTokenizer(const std::string &path) {
  auto file = std::make_unique<MappedFile>(path);
  const unsigned char *data = file->data();
  size_t size = file->size();
  if (Gguf::isOne(data, size))
    return readGgufTokenizer(data, size, path);
  if (isJson(data, size))
    return readJsonTokenizer({reinterpret_cast<const char *>(data), size},
                             path);
  return readLlama2cTokenizer(std::move(file), path);
}

std::string Tokenizer::decode(const std::vector<int32_t> &tokens) const {
  std::string text;
  int32_t previous = -1;
  for (int32_t token : tokens) {
    text += piece(previous, token);
    previous = token;
  }
  return text;
}

} // namespace agt::rt
