// See Llama2c.h. A file is: seven int32 (hidden, feed-forward, layers, heads,
// kv heads, vocabulary, context), then arrays that hold all layers together. A
// vocabulary below 0 says that the output has weights of its own, at the end.
// Two tables of a rotation that programs compute anew stand before those.
#include "runtime/Weights/Llama2c.h"

#include "runtime/Support/Failure.h"

#include <cstring>

namespace agt::rt {
namespace {

struct Sizes {
  int64_t hidden, ffn, layers, heads, kvHeads, vocabulary, context;
  bool tied;

  int64_t headDim() const { return hidden / heads; }
};

constexpr size_t headerBytes = 7 * sizeof(int32_t);

[[noreturn]] void refuse(const std::string &text) { fail(AGT_BAD_INPUT, text); }

Sizes readSizes(const unsigned char *data, size_t size) {
  if (size < headerBytes)
    refuse("it ends within the header of a llama2c file");
  int64_t words[7];
  for (int i = 0; i < 7; ++i) {
    uint32_t word = 0;
    for (int byte = 0; byte < 4; ++byte)
      word |= uint32_t(data[4 * i + byte]) << (8 * byte);
    words[i] = int32_t(word);
  }
  Sizes sizes{words[0], words[1],    words[2],
              words[3], words[4],    words[5] < 0 ? -words[5] : words[5],
              words[6], words[5] > 0};
  const char *names[] = {"hidden",   "feed-forward", "layers", "heads",
                         "kv heads", "vocabulary",   "context"};
  for (int i = 0; i < 7; ++i)
    if (words[i] == 0 || (words[i] < 0 && i != 5))
      refuse("its header says " + std::to_string(words[i]) + " for '" +
             names[i] + "': it is not a llama2c file");
  if (sizes.hidden % sizes.heads || sizes.heads % sizes.kvHeads)
    refuse("its header says " + std::to_string(sizes.hidden) +
           " for 'hidden', " + std::to_string(sizes.heads) +
           " for 'heads' and " + std::to_string(sizes.kvHeads) +
           " for 'kv heads', which do not divide");
  return sizes;
}

/// Hands out arrays one behind the other.
class Arrays {
public:
  Arrays(const Sizes &sizes, const unsigned char *data)
      : sizes(sizes), next(data) {}

  /// An array of each layer, "layers.N." in front of its name.
  void addLayers(const std::string &name, std::vector<int64_t> shape) {
    for (int64_t layer = 0; layer < sizes.layers; ++layer)
      add("layers." + std::to_string(layer) + "." + name, shape);
  }
  void add(const std::string &name, std::vector<int64_t> shape) {
    StoredTensor tensor;
    tensor.shape = std::move(shape);
    tensor.data = next;
    next += tensor.bytes();
    tensors.push_back({name, std::move(tensor)});
  }
  void skip(int64_t elements) { next += 4 * elements; }

  std::vector<NamedStored> tensors;

private:
  const Sizes &sizes;
  const unsigned char *next;
};

// Sizes are below 2^31, so that every product of two fits; sums of products of
// three may not.
unsigned __int128 expectedBytes(const Sizes &s) {
  using Wide = unsigned __int128;
  Wide hidden = Wide(s.hidden), layers = Wide(s.layers);
  Wide shared = Wide(s.kvHeads * s.headDim());
  Wide layer = 2 * hidden + 2 * hidden * hidden + 2 * shared * hidden +
               3 * Wide(s.ffn) * hidden;
  Wide elements = Wide(s.vocabulary) * hidden * (s.tied ? 1 : 2) +
                  layers * layer + hidden +
                  Wide(s.context) * Wide(s.headDim() / 2) * 2;
  return headerBytes + 4 * elements;
}

std::string decimal(unsigned __int128 number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), char('0' + int(number % 10)));
    number /= 10;
  } while (number);
  return digits;
}

std::vector<NamedStored> parse(const unsigned char *data, size_t size) {
  Sizes s = readSizes(data, size);
  unsigned __int128 expected = expectedBytes(s);
  if (expected != size)
    refuse("its header asks for " + decimal(expected) + " bytes, it has " +
           std::to_string(size));
  Arrays arrays(s, data + headerBytes);
  int64_t shared = s.kvHeads * s.headDim();
  arrays.add("tok_embeddings.weight", {s.vocabulary, s.hidden});
  arrays.addLayers("attention_norm.weight", {s.hidden});
  arrays.addLayers("attention.wq.weight", {s.hidden, s.hidden});
  arrays.addLayers("attention.wk.weight", {shared, s.hidden});
  arrays.addLayers("attention.wv.weight", {shared, s.hidden});
  arrays.addLayers("attention.wo.weight", {s.hidden, s.hidden});
  arrays.addLayers("ffn_norm.weight", {s.hidden});
  arrays.addLayers("feed_forward.w1.weight", {s.ffn, s.hidden});
  arrays.addLayers("feed_forward.w2.weight", {s.hidden, s.ffn});
  arrays.addLayers("feed_forward.w3.weight", {s.ffn, s.hidden});
  arrays.add("norm.weight", {s.hidden});
  arrays.skip(2 * s.context * (s.headDim() / 2));
  if (s.tied)
    arrays.tensors.push_back({"output.weight", arrays.tensors.front().tensor});
  else
    arrays.add("output.weight", {s.vocabulary, s.hidden});
  return std::move(arrays.tensors);
}

} // namespace

std::vector<NamedStored> readLlama2c(const unsigned char *data, size_t size,
                                     const std::string &path) {
  try {
    return parse(data, size);
  } catch (const Failure &failure) {
    fail(failure.code, "cannot read '" + path + "': " + failure.message);
  }
}

} // namespace agt::rt
