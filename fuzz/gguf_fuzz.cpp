// Fuzzes the reader of GGUF files, weights and tokenizer: any bytes are either
// refused with a Failure or give tensors whose every byte can be read, and a
// tokenizer that gives a text back as it was.
#include "runtime/Support/Failure.h"
#include "runtime/Tokenizer/Tokenizer.h"
#include "runtime/Weights/Gguf.h"

using namespace agt::rt;

static void check(const Failure &failure) {
  if (failure.message.empty())
    __builtin_trap();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  volatile unsigned char last = 0;
  try {
    Gguf file(data, size, "x.gguf");
    for (const NamedStored &entry : file.tensors())
      if (entry.tensor.storage != Storage::Other && entry.tensor.bytes()) {
        last = entry.tensor.data[0];
        last = entry.tensor.data[entry.tensor.bytes() - 1];
      }
  } catch (const Failure &failure) {
    check(failure);
  }
  try {
    auto tokens = readGgufTokenizer(data, size, "x.gguf");
    const std::string text = "ab <s> \n12\xff\xe2\x96\x81";
    if (tokens->decode(tokens->encode(text)) != text)
      __builtin_trap();
    tokens->encode(text, /*marks=*/true);
  } catch (const Failure &failure) {
    check(failure);
  }
  (void)last;
  return 0;
}
