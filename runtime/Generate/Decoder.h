// The graph of an llm on a device: weights and cache stay there, and a plan is
// made for each number of tokens and kept with its commands. What changes from
// launch to launch is a few inputs.
#ifndef AGT_RUNTIME_GENERATE_DECODER_H
#define AGT_RUNTIME_GENERATE_DECODER_H

#include "runtime/Plan/Prepared.h"
#include "runtime/Program/ModelInputs.h"
#include "runtime/Tokenizer/Tokenizer.h"

#include <array>

namespace agt::rt {

/// Opens the tokenizer of an llm and checks that it fits the graph, which may
/// have logits behind those of all tokens: tables are often made longer than
/// the vocabulary.
std::unique_ptr<Tokenizer> openTokenizer(const ManifestLlm &llm);

/// Fails with AGT_BAD_INPUT where a prompt has no token, or the llm's context
/// has no room for it.
void checkPrompt(const ManifestLlm &llm, size_t tokens);

class Decoder {
public:
  /// What a cache is made for.
  struct Room {
    uint64_t bytesOfToken; // 0: the graph appends nothing
    uint64_t bytesOfWeights;
    agt_context &context; // its device may be asked
  };
  /// Opens the weights; the device is opened with the first plan. `graph` is
  /// that for one text or that for many, `tokens` how many the tokenizer has,
  /// `capacity` the places of its cache.
  Decoder(const agt_program &program, const Manifest &manifest,
          const ManifestLlm &llm, const std::string &graph, int64_t tokens,
          DeviceChoice device,
          const std::map<std::string, std::string> &weightPaths,
          std::function<int64_t(const Room &)> capacity);
  ~Decoder();

  /// What a launch of so many tokens reads: written before run().
  struct Inputs {
    std::vector<int32_t> tokens, positions;
    int32_t length = 0; // of a cache of one sequence
    // Of a cache in pages.
    std::vector<int32_t> places, keyPositions;
    std::vector<uint8_t> visible; // [tokens, capacity]
    int64_t count = 0, one = 1, capacity = 0;
    std::array<int64_t, 2> pairs = {};
  };
  /// Makes the plan where there is none yet.
  Inputs &inputs(size_t tokens);
  /// Runs the plan of inputs(tokens).
  void run(size_t tokens);
  /// The logits behind a token of the last run of so many, one for each token
  /// that the tokenizer has.
  std::vector<float> logits(size_t tokens, size_t row);

  int64_t capacity() const { return places; }
  /// Of keys and values of all layers.
  uint64_t bytesOfPlace() const;
  size_t launches() const { return counted.launches; }
  uint64_t peakBytes() const { return counted.peakBytes; }
  double loadSeconds() const { return counted.loadSeconds; }

private:
  struct Plan {
    Inputs inputs;
    std::unique_ptr<PreparedPlan> prepared;
  };
  std::vector<agt_tensor> tensors(Inputs &inputs);

  const agt_graph &graph;
  const ManifestGraph &declared;
  int64_t vocab, known; // logits; those that are of tokens
  int64_t places = 0;
  std::unique_ptr<Weights> weights;
  std::unique_ptr<Caches> caches;
  agt_context context; // its device may read the weights where they are
  struct {
    double loadSeconds = 0; // weights, plans and kernels
    uint64_t peakBytes = 0; // of the plans, without weights and cache
    size_t launches = 0;    // of one token
  } counted;
  std::map<size_t, std::unique_ptr<Plan>> plans; // by tokens
};

} // namespace agt::rt

#endif // AGT_RUNTIME_GENERATE_DECODER_H
