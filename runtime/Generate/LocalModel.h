// An llm from a graph: weights and a cache on a device, plans for a prompt and
// for a step.
#ifndef AGT_RUNTIME_GENERATE_LOCALMODEL_H
#define AGT_RUNTIME_GENERATE_LOCALMODEL_H

#include "runtime/Generate/Sampler.h"
#include "runtime/Plan/Prepared.h"
#include "runtime/Program/ModelInputs.h"
#include "runtime/Tokenizer/Tokenizer.h"

#include <functional>

namespace agt::rt {

/// Opens the tokenizer of an llm and checks that it fits the graph.
std::unique_ptr<Tokenizer> openTokenizer(const ManifestLlm &llm);

/// What a generation took.
struct GenerationStats {
  int64_t promptTokens = 0, newTokens = 0;
  double promptSeconds = 0; // the prompt's launches, without building them
  double stepSeconds = 0;   // all steps together
  double loadSeconds = 0;   // weights, plans and kernels
  uint64_t peakBytes = 0;   // of the plans, without weights and cache
  size_t launches = 0;      // of a step
};

/// Why a generation ended.
enum class Stop { EndOfText, Tokens, Context, Asked };

class LocalModel {
public:
  /// Opens tokenizer and weights; the device is opened with the first prompt.
  LocalModel(const agt_program &program, const Manifest &manifest,
             const ManifestLlm &llm, DeviceChoice device,
             const std::map<std::string, std::string> &weightPaths);
  ~LocalModel();

  const Tokenizer &tokenizer() const { return *words; }

  /// Forgets everything, reads the prompt and generates. `emit` is given the
  /// text as it comes, and says whether to go on; at most `limit` tokens, or as
  /// the context has room for where it is below 0. `marks` as for encode().
  Stop generate(const std::string &prompt, int64_t limit,
                const Sampling &sampling,
                const std::function<bool(std::string_view)> &emit,
                bool marks = false);
  const GenerationStats &stats() const { return counted; }

private:
  /// Appends tokens to the cache; the logits behind the last.
  std::vector<float> read(const int32_t *tokens, size_t count);
  PreparedPlan &planFor(size_t tokens);
  std::vector<agt_tensor> inputs(size_t tokens);

  const agt_graph &graph;
  const ManifestGraph &declared;
  const ManifestLlm &llm;
  std::unique_ptr<Tokenizer> words;
  std::unique_ptr<Weights> weights;
  std::unique_ptr<Caches> caches;
  agt_context context;
  GenerationStats counted;
  /// For so many tokens each; they read from the memory below.
  std::map<size_t, std::unique_ptr<PreparedPlan>> plans;
  struct Memory;
  std::map<size_t, std::unique_ptr<Memory>> memories;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_LOCALMODEL_H
