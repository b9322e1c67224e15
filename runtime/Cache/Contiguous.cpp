// A cache of one sequence: token i lies at place i.
#include "runtime/Cache/Cache.h"

#include "runtime/Support/Failure.h"
#include "runtime/Tensor/Dtype.h"

#include <array>
#include <numeric>

namespace agt::rt {
namespace {

class ContiguousCache : public Cache {
public:
  ContiguousCache(std::vector<CacheLayer> layers, int64_t capacity, bool onHost)
      : layers(std::move(layers)), places(capacity) {
    for (const CacheLayer &layer : this->layers) {
      shapes.push_back({layer.heads, capacity, layer.dim});
      uint64_t bytes = dtypeBytes(layer.dtype);
      for (int64_t dim : shapes.back())
        if (__builtin_mul_overflow(bytes, uint64_t(dim), &bytes))
          fail(AGT_FAILED, "not enough memory: a cache of " +
                               std::to_string(capacity) + " tokens");
      // A byte at least: its address is its name.
      data.emplace_back(onHost ? bytes + 1 : 1);
    }
  }

  int64_t capacity() const override { return places; }
  int64_t length() const override { return held; }

  void append(int64_t tokens) override {
    if (tokens > places - held)
      fail(AGT_BAD_INPUT, "the cache has room for " + std::to_string(places) +
                              " tokens: it holds " + std::to_string(held) +
                              ", and " + std::to_string(tokens) +
                              " more do not fit");
    newPositions.resize(size_t(tokens));
    std::iota(newPositions.begin(), newPositions.end(), int32_t(held));
    held += tokens;
    total[0] = int32_t(held);
    newTokens[0] = tokens;
  }

  agt_tensor positions() const override {
    // An empty vector may have no address; tensors have one.
    const void *at = newPositions.empty() ? static_cast<const void *>(&total)
                                          : newPositions.data();
    return {const_cast<void *>(at), AGT_I32, 1, newTokens.data(), nullptr};
  }
  agt_tensor lengthTensor() const override {
    return {const_cast<int32_t *>(total.data()), AGT_I32, 1, one.data(),
            nullptr};
  }
  agt_tensor layer(size_t index) const override {
    return {const_cast<unsigned char *>(data[index].data()),
            layers[index].dtype, 3, shapes[index].data(), nullptr};
  }

private:
  std::vector<CacheLayer> layers;
  std::vector<std::array<int64_t, 3>> shapes;
  std::vector<std::vector<unsigned char>> data;
  int64_t places;
  int64_t held = 0;
  std::vector<int32_t> newPositions;
  std::array<int64_t, 1> newTokens = {0}, one = {1};
  std::array<int32_t, 1> total = {0};
};

} // namespace

std::unique_ptr<Cache> makeContiguousCache(std::vector<CacheLayer> layers,
                                           int64_t capacity, bool onHost) {
  return std::make_unique<ContiguousCache>(std::move(layers), capacity, onHost);
}

} // namespace agt::rt
