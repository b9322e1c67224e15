// The inputs of a graph that are not the caller's: weights from their files,
// and caches.
#ifndef AGT_RUNTIME_PROGRAM_MODELINPUTS_H
#define AGT_RUNTIME_PROGRAM_MODELINPUTS_H

#include "runtime/Cache/Cache.h"
#include "runtime/Program/Manifest.h"
#include "runtime/Weights/Weights.h"

#include <functional>
#include <map>
#include <optional>

namespace agt::rt {

/// Paths by names of weights, as `--weights W=PATH` gives them. Fails with
/// AGT_BAD_INPUT for names that the program does not have.
std::map<std::string, std::string>
parseWeightPaths(const std::vector<std::string> &specs,
                 const Manifest &manifest);

/// The weights that a graph takes, bound once.
class Weights {
public:
  /// Maps the files and checks every tensor.
  Weights(const agt_graph &graph, const ManifestGraph &declared,
          const Manifest &manifest,
          const std::map<std::string, std::string> &paths);

  /// That of input number `input`; nothing where it is no weight.
  std::optional<agt_tensor> tensor(size_t input) const;
  /// All of them.
  std::vector<agt_tensor> tensors() const;

private:
  std::vector<std::unique_ptr<WeightsFile>> files;
  std::map<size_t, HostTensor> bound; // by number of the input
};

/// The caches of a graph, by the names of its parameters.
class Caches {
public:
  /// `capacity` gives the tokens that a cache has room for, by the number of
  /// the parameter whose tokens are new to it.
  Caches(const agt_graph &graph, const ManifestGraph &declared, bool onHost,
         std::function<int64_t(size_t tokensParam)> capacity);

  std::optional<agt_tensor> tensor(size_t input) const;
  /// Appends so many tokens to each cache.
  void append(std::function<int64_t(size_t tokensParam)> tokens);
  /// The keys and values of all caches.
  std::vector<agt_tensor> layers() const;

private:
  struct Entry {
    size_t tokensParam = 0;
    std::unique_ptr<Cache> cache;
    std::map<std::pair<int, int64_t>, size_t> layers; // kind and layer
  };
  const ManifestGraph &declared;
  std::map<std::string, Entry> entries;
};

/// Fails where a token is none of a cache's vocabulary: a device would compute
/// nonsense of it. `tensor` gives the inputs by number.
void checkTokens(const ManifestGraph &declared,
                 const std::function<agt_tensor(size_t)> &tensor);

} // namespace agt::rt

#endif // AGT_RUNTIME_PROGRAM_MODELINPUTS_H
