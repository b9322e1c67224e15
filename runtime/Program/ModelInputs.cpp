// See ModelInputs.h.
#include "runtime/Program/ModelInputs.h"

#include "runtime/Support/Failure.h"
#include "runtime/Support/Text.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>

namespace agt::rt {

using Kind = ManifestInput::Kind;

std::map<std::string, std::string>
parseWeightPaths(const std::vector<std::string> &specs,
                 const Manifest &manifest) {
  std::vector<std::string> names;
  for (const ManifestWeights &weights : manifest.weights)
    names.push_back(weights.name);
  std::map<std::string, std::string> paths;
  for (const std::string &spec : specs) {
    size_t equals = spec.find('=');
    std::string name = spec.substr(0, equals);
    if (names.empty())
      fail(AGT_BAD_INPUT,
           "the program has no weights '" + name + "' to read from a file");
    if (equals == std::string::npos || equals == 0 || equals + 1 == spec.size())
      fail(AGT_BAD_INPUT,
           "expected NAME=FILE behind '--weights', got '" + spec + "'");
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      std::string guess = didYouMean(name, names);
      fail(AGT_BAD_INPUT,
           "the program has no weights '" + name + "'" +
               (guess.empty() ? ", it has " + listText(names) : guess));
    }
    if (!paths.emplace(name, spec.substr(equals + 1)).second)
      fail(AGT_BAD_INPUT, "weights '" + name + "' have two files");
  }
  return paths;
}

// ---- weights ---------------------------------------------------------------

Weights::Weights(const agt_graph &graph, const ManifestGraph &declared,
                 const Manifest &manifest,
                 const std::map<std::string, std::string> &paths) {
  for (const ManifestWeights &weights : manifest.weights) {
    std::vector<WantedTensor> wanted;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < declared.inputs.size(); ++i) {
      const ManifestInput &input = declared.inputs[i];
      if (input.kind != Kind::Weight || input.weights != weights.name)
        continue;
      wanted.push_back(
          {input.tensor, graph.params[i].dtype, input.shape, input.blocks});
      numbers.push_back(i);
    }
    if (wanted.empty())
      continue;
    auto path = paths.find(weights.name);
    files.push_back(std::make_unique<WeightsFile>(
        path == paths.end() ? weights.path : path->second, weights.format));
    std::vector<HostTensor> tensors =
        bindWeights(*files.back(), weights.name, wanted);
    for (size_t i = 0; i < tensors.size(); ++i)
      bound.emplace(numbers[i], std::move(tensors[i]));
  }
}

std::optional<agt_tensor> Weights::tensor(size_t input) const {
  auto found = bound.find(input);
  if (found == bound.end())
    return std::nullopt;
  return found->second.view();
}

std::vector<agt_tensor> Weights::tensors() const {
  std::vector<agt_tensor> result;
  for (const auto &[input, tensor] : bound)
    result.push_back(tensor.view());
  return result;
}

// ---- caches ----------------------------------------------------------------

Caches::Caches(const agt_graph &graph, const ManifestGraph &declared,
               bool onHost, std::function<int64_t(size_t)> capacity)
    : declared(declared) {
  std::map<std::string, std::vector<CacheLayer>> layers;
  for (size_t i = 0; i < declared.inputs.size(); ++i) {
    const ManifestInput &input = declared.inputs[i];
    if (input.kind == Kind::Positions)
      entries[input.cache].tokensParam = input.tokens;
    if (input.kind != Kind::Keys && input.kind != Kind::Values)
      continue;
    std::vector<CacheLayer> &list = layers[input.cache];
    entries[input.cache].layers[{int(input.kind), input.layer}] = list.size();
    list.push_back({graph.params[i].dtype, input.shape[0], input.shape[2]});
  }
  for (auto &[name, entry] : entries)
    entry.cache = makeContiguousCache(std::move(layers[name]),
                                      capacity(entry.tokensParam), onHost);
}

std::optional<agt_tensor> Caches::tensor(size_t number) const {
  const ManifestInput &input = declared.inputs[number];
  auto found = entries.find(input.cache);
  if (found == entries.end() || input.cache.empty())
    return std::nullopt;
  const Entry &entry = found->second;
  if (input.kind == Kind::Positions)
    return entry.cache->positions();
  if (input.kind == Kind::Length)
    return entry.cache->lengthTensor();
  return entry.cache->layer(entry.layers.at({int(input.kind), input.layer}));
}

void Caches::append(std::function<int64_t(size_t)> tokens) {
  for (auto &[name, entry] : entries)
    entry.cache->append(tokens(entry.tokensParam));
}

std::vector<agt_tensor> Caches::layers() const {
  std::vector<agt_tensor> result;
  for (const auto &[name, entry] : entries)
    for (size_t i = 0; i < entry.layers.size(); ++i)
      result.push_back(entry.cache->layer(i));
  return result;
}

void checkTokens(const ManifestGraph &declared,
                 const std::function<agt_tensor(size_t)> &tensor) {
  for (const ManifestInput &input : declared.inputs) {
    if (input.kind != Kind::Positions || input.vocab == 0)
      continue;
    agt_tensor tokens = tensor(input.tokens);
    std::vector<int32_t> ids(
        *tensorBytes(tokens.dtype, tokens.shape, tokens.rank) / 4);
    copyContiguous(tokens, reinterpret_cast<unsigned char *>(ids.data()));
    for (size_t i = 0; i < ids.size(); ++i)
      if (ids[i] < 0 || ids[i] >= input.vocab)
        fail(AGT_BAD_INPUT,
             "expected tokens from 0 to " + std::to_string(input.vocab - 1) +
                 " in '" + declared.params[input.tokens].name + "', got " +
                 declared.params[input.tokens].name + "[" + std::to_string(i) +
                 "] = " + std::to_string(ids[i]));
  }
}

} // namespace agt::rt
