// Fuzzes the reader of tokenizer.json: any bytes are either refused with a
// Failure or give a tokenizer that gives a text back as it was.
#include "runtime/Support/Failure.h"
#include "runtime/Tokenizer/Tokenizer.h"

using namespace agt::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    auto tokens = readJsonTokenizer(
        {reinterpret_cast<const char *>(data), size}, "tokenizer.json");
    const std::string text = "ab <s> \n12\xff\xe2\x96\x81";
    if (tokens->decode(tokens->encode(text)) != text)
      __builtin_trap();
    tokens->encode(text, /*marks=*/true);
  } catch (const Failure &failure) {
    if (failure.message.empty())
      __builtin_trap();
  }
  return 0;
}
