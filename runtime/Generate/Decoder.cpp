// See Decoder.h.
#include "runtime/Generate/Decoder.h"

#include "runtime/Support/Failure.h"
#include "runtime/Tensor/Dtype.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>

namespace agt::rt {

// Of launches of other sizes than were seen; that of one token stays.
static constexpr size_t mostPlans = 10;

std::unique_ptr<Tokenizer> openTokenizer(const ManifestLlm &llm) {
  std::unique_ptr<Tokenizer> tokenizer = openTokenizer(llm.tokenizer);
  if (tokenizer->size() > llm.vocab)
    fail(AGT_BAD_INPUT, "the tokenizer '" + llm.tokenizer + "' has " +
                            std::to_string(tokenizer->size()) +
                            " tokens, graph '" + llm.graph + "' gives " +
                            std::to_string(llm.vocab) + " logits");
  return tokenizer;
}

void checkPrompt(const ManifestLlm &llm, size_t tokens) {
  if (tokens == 0)
    fail(AGT_BAD_INPUT, "the prompt is empty, and the tokenizer '" +
                            llm.tokenizer +
                            "' has no token that texts begin with");
  if (int64_t(tokens) > llm.context)
    fail(AGT_BAD_INPUT, "the prompt has " + std::to_string(tokens) +
                            " tokens, the context of llm '" + llm.name +
                            "' has room for " + std::to_string(llm.context));
}

static size_t graphNumber(const Manifest &manifest, const std::string &name) {
  for (size_t i = 0; i < manifest.graphs.size(); ++i)
    if (manifest.graphs[i].name == name)
      return i;
  fail(AGT_FAILED,
       "the program's manifest is damaged: no graph '" + name + "' for an llm");
}

/// Of keys and values of all layers.
static uint64_t bytesOfToken(const agt_graph &graph,
                             const ManifestGraph &declared) {
  using Kind = ManifestInput::Kind;
  uint64_t bytes = 0;
  for (size_t i = 0; i < declared.inputs.size(); ++i) {
    const ManifestInput &input = declared.inputs[i];
    if (input.kind == Kind::Keys || input.kind == Kind::Values)
      bytes += uint64_t(input.shape[0]) * uint64_t(input.shape[2]) *
               dtypeBytes(graph.params[i].dtype);
  }
  return bytes;
}

Decoder::Decoder(const agt_program &program, const Manifest &manifest,
                 const ManifestLlm &llm, const std::string &name,
                 int64_t tokens, DeviceChoice device,
                 const std::map<std::string, std::string> &weightPaths,
                 std::function<int64_t(const Room &)> capacity)
    : graph(program.graphs[graphNumber(manifest, name)]),
      declared(manifest.graphs[graphNumber(manifest, name)]), vocab(llm.vocab),
      known(tokens), context(device) {
  double begin = monotonicSeconds();
  weights = std::make_unique<Weights>(graph, declared, manifest, weightPaths);
  uint64_t bytes = 0;
  for (const agt_tensor &tensor : weights->tensors())
    bytes += *tensorBytes(tensor.dtype, tensor.shape, tensor.rank);
  places = capacity({bytesOfToken(graph, declared), bytes, context});
  caches = std::make_unique<Caches>(graph, declared, /*onHost=*/false,
                                    [&](size_t) { return places; });
  for (const agt_tensor &tensor : weights->tensors())
    context.residents.add(tensor, Residents::Content::Uploaded);
  for (const agt_tensor &tensor : caches->layers())
    context.residents.add(tensor, Residents::Content::Written);
  counted.loadSeconds = monotonicSeconds() - begin;
}

uint64_t Decoder::bytesOfPlace() const { return bytesOfToken(graph, declared); }

Decoder::~Decoder() { plans.clear(); }

std::vector<agt_tensor> Decoder::tensors(Inputs &inputs) {
  using Kind = ManifestInput::Kind;
  auto numbers = [](std::vector<int32_t> &data, int64_t &size) {
    return agt_tensor{data.data(), AGT_I32, 1, &size, nullptr};
  };
  std::vector<agt_tensor> in;
  for (size_t i = 0; i < graph.n_params; ++i)
    switch (declared.inputs[i].kind) {
    case Kind::Param:
      in.push_back(numbers(inputs.tokens, inputs.count));
      break;
    case Kind::Positions:
      in.push_back(numbers(inputs.positions, inputs.count));
      break;
    case Kind::Length:
      in.push_back({&inputs.length, AGT_I32, 1, &inputs.one, nullptr});
      break;
    case Kind::Places:
      in.push_back(numbers(inputs.places, inputs.count));
      break;
    case Kind::KeyPositions:
      in.push_back(numbers(inputs.keyPositions, inputs.capacity));
      break;
    case Kind::Visible:
      in.push_back(
          {inputs.visible.data(), AGT_BOOL, 2, inputs.pairs.data(), nullptr});
      break;
    case Kind::Weight:
      in.push_back(*weights->tensor(i));
      break;
    case Kind::Keys:
    case Kind::Values:
      in.push_back(*caches->tensor(i));
      break;
    }
  return in;
}

Decoder::Inputs &Decoder::inputs(size_t tokens) {
  std::unique_ptr<Plan> &plan = plans[tokens];
  if (plan)
    return plan->inputs;
  double begin = monotonicSeconds();
  for (auto other = plans.begin(); plans.size() > mostPlans;)
    other = other->first != 1 && other->first != tokens ? plans.erase(other)
                                                        : std::next(other);
  auto made = std::make_unique<Plan>();
  Inputs &inputs = made->inputs;
  inputs.tokens.resize(tokens);
  inputs.positions.resize(tokens);
  inputs.count = int64_t(tokens);
  inputs.capacity = places;
  bool paged = std::any_of(declared.inputs.begin(), declared.inputs.end(),
                           [](const auto &input) {
                             return input.kind == ManifestInput::Kind::Visible;
                           });
  if (paged) {
    inputs.places.resize(tokens);
    inputs.keyPositions.resize(size_t(places));
    inputs.visible.resize(tokens * size_t(places));
    inputs.pairs = {int64_t(tokens), places};
  }
  made->prepared =
      std::make_unique<PreparedPlan>(context, graph, tensors(inputs));
  plan = std::move(made);
  counted.peakBytes = std::max(counted.peakBytes, plan->prepared->peakBytes());
  if (tokens == 1)
    counted.launches = plan->prepared->launches();
  counted.loadSeconds += monotonicSeconds() - begin;
  return plan->inputs;
}

void Decoder::run(size_t tokens) { plans.at(tokens)->prepared->run(); }

std::vector<float> Decoder::logits(size_t tokens, size_t row) {
  std::vector<float> logits(static_cast<size_t>(known));
  uint64_t before = row * uint64_t(vocab) * sizeof(float);
  plans.at(tokens)->prepared->read(0, before, logits.data(),
                                   logits.size() * sizeof(float));
  return logits;
}

} // namespace agt::rt
