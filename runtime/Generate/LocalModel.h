// An llm from a graph that writes one text at a time: the cache holds one
// sequence, its tokens one behind the other.
#ifndef AGT_RUNTIME_GENERATE_LOCALMODEL_H
#define AGT_RUNTIME_GENERATE_LOCALMODEL_H

#include "runtime/Generate/Decoder.h"
#include "runtime/Generate/Scheduler.h"

#include <functional>

namespace agt::rt {

/// What a generation took.
struct GenerationStats {
  int64_t promptTokens = 0, newTokens = 0;
  double promptSeconds = 0; // the prompt's launches, without building them
  double stepSeconds = 0;   // all steps together
  double loadSeconds = 0;   // weights, plans and kernels
  uint64_t peakBytes = 0;   // of the plans, without weights and cache
  size_t launches = 0;      // of a step
};

class LocalModel {
public:
  /// Opens tokenizer and weights; the device is opened with the first prompt.
  LocalModel(const agt_program &program, const Manifest &manifest,
             const ManifestLlm &llm, DeviceChoice device,
             const std::map<std::string, std::string> &weightPaths);

  const Tokenizer &tokenizer() const { return *words; }

  /// Forgets everything, reads the prompt and generates. `emit` is given the
  /// text as it comes, and says whether to go on; at most `limit` tokens, or as
  /// the context has room for where it is below 0. `marks` as for encode().
  Stop generate(const std::string &prompt, int64_t limit,
                const Sampling &sampling,
                const std::function<bool(std::string_view)> &emit,
                bool marks = false);
  GenerationStats stats() const;

private:
  void append(const int32_t *tokens, size_t count, double &seconds);

  const ManifestLlm &llm;
  std::unique_ptr<Tokenizer> words;
  Decoder decoder;
  int64_t length = 0;        // tokens that the cache holds
  std::vector<float> logits; // behind the last of them
  GenerationStats counted;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_LOCALMODEL_H
