// Caches of keys and values, as graphs with a parameter kv<M> take them.
//
// A graph takes a cache in parts: the positions of its new tokens, the number
// of tokens with them, and the keys and values of each layer, [heads, capacity,
// dim]. What it appends it writes into the last two, which stay from launch to
// launch. Who launches asks a Cache for these parts and says how many tokens
// came; how tokens lie in memory is the cache's own.
#ifndef AGT_RUNTIME_CACHE_CACHE_H
#define AGT_RUNTIME_CACHE_CACHE_H

#include "agt/runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace agt::rt {

/// The keys or values of one layer.
struct CacheLayer {
  agt_dtype dtype;
  int64_t heads;
  int64_t dim;
};

class Cache {
public:
  virtual ~Cache() = default;

  /// Tokens it has room for, and those it holds.
  virtual int64_t capacity() const = 0;
  virtual int64_t length() const = 0;
  /// Makes the parts those of `tokens` further tokens, which the next launch
  /// appends. Fails with AGT_BAD_INPUT where there is no room.
  virtual void append(int64_t tokens) = 0;

  // The parts; valid as long as the cache, with other content after append().
  virtual agt_tensor positions() const = 0;    // i32 [new tokens]
  virtual agt_tensor lengthTensor() const = 0; // i32 [1]
  /// Of layer number `index` of those it was made with. Its data is the address
  /// that launches know it by.
  virtual agt_tensor layer(size_t index) const = 0;
};

/// One sequence, its tokens one behind the other. With `onHost` the keys and
/// values are zeros in host memory, for a graph that is run once; without, they
/// are on the device alone (agt_context::residents) and their data is no more
/// than a name.
std::unique_ptr<Cache> makeContiguousCache(std::vector<CacheLayer> layers,
                                           int64_t capacity, bool onHost);

} // namespace agt::rt

#endif // AGT_RUNTIME_CACHE_CACHE_H
