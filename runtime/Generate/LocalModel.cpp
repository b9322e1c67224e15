// See LocalModel.h. A prompt is read in pieces of at most `pieceTokens` tokens,
// and every step is a piece of one token: a plan is made once for each size of
// piece and kept on the device with its commands. What changes from step to
// step - the tokens, their positions, the cache's length - are inputs of it.
#include "runtime/Generate/LocalModel.h"

#include "runtime/Support/Failure.h"

#include <algorithm>

namespace agt::rt {

// Beyond this, one launch more costs nothing beside the work.
static constexpr size_t pieceTokens = 256;
// Of prompts of other lengths than were seen; the step's stays.
static constexpr size_t mostPlans = 4;

std::unique_ptr<Tokenizer> openTokenizer(const ManifestLlm &llm) {
  std::unique_ptr<Tokenizer> tokenizer = openTokenizer(llm.tokenizer);
  if (tokenizer->size() != llm.vocab)
    fail(AGT_BAD_INPUT, "the tokenizer '" + llm.tokenizer + "' has " +
                            std::to_string(tokenizer->size()) +
                            " tokens, graph '" + llm.graph + "' gives " +
                            std::to_string(llm.vocab) + " logits");
  return tokenizer;
}

/// What the inputs of one plan point to.
struct LocalModel::Memory {
  std::vector<int32_t> tokens;
  std::vector<int32_t> positions;
  int32_t length = 0;
  int64_t count = 0, one = 1;
};

static size_t graphNumber(const Manifest &manifest, const std::string &name) {
  for (size_t i = 0; i < manifest.graphs.size(); ++i)
    if (manifest.graphs[i].name == name)
      return i;
  fail(AGT_FAILED, "the program's manifest is damaged: no graph '" + name +
                       "' for an llm");
}

LocalModel::LocalModel(const agt_program &program, const Manifest &manifest,
                       const ManifestLlm &llm, DeviceChoice device,
                       const std::map<std::string, std::string> &weightPaths)
    : graph(program.graphs[graphNumber(manifest, llm.graph)]),
      declared(manifest.graphs[graphNumber(manifest, llm.graph)]), llm(llm),
      words(openTokenizer(llm)), context(device) {
  double begin = monotonicSeconds();
  weights = std::make_unique<Weights>(graph, declared, manifest, weightPaths);
  caches = std::make_unique<Caches>(graph, declared, /*onHost=*/false,
                                    [&](size_t) { return llm.context; });
  for (const agt_tensor &tensor : weights->tensors())
    context.residents.add(tensor, Residents::Content::Uploaded);
  for (const agt_tensor &tensor : caches->layers())
    context.residents.add(tensor, Residents::Content::Written);
  counted.loadSeconds = monotonicSeconds() - begin;
}

LocalModel::~LocalModel() { plans.clear(); }

std::vector<agt_tensor> LocalModel::inputs(size_t tokens) {
  using Kind = ManifestInput::Kind;
  Memory &memory = *memories.at(tokens);
  std::vector<agt_tensor> in;
  for (size_t i = 0; i < graph.n_params; ++i) {
    Kind kind = declared.inputs[i].kind;
    if (kind == Kind::Param)
      in.push_back({memory.tokens.data(), AGT_I32, 1, &memory.count, nullptr});
    else if (kind == Kind::Positions)
      in.push_back(
          {memory.positions.data(), AGT_I32, 1, &memory.count, nullptr});
    else if (kind == Kind::Length)
      in.push_back({&memory.length, AGT_I32, 1, &memory.one, nullptr});
    else
      in.push_back(kind == Kind::Weight ? *weights->tensor(i)
                                        : *caches->tensor(i));
  }
  return in;
}

PreparedPlan &LocalModel::planFor(size_t tokens) {
  std::unique_ptr<PreparedPlan> &plan = plans[tokens];
  if (plan)
    return *plan;
  double begin = monotonicSeconds();
  for (auto other = plans.begin(); plans.size() > mostPlans;) {
    bool goes = other->first != 1 && other->first != tokens;
    if (goes)
      memories.erase(other->first);
    other = goes ? plans.erase(other) : std::next(other);
  }
  auto memory = std::make_unique<Memory>();
  memory->tokens.resize(tokens);
  memory->positions.resize(tokens);
  memory->count = int64_t(tokens);
  memories[tokens] = std::move(memory);
  plan = std::make_unique<PreparedPlan>(context, graph, inputs(tokens));
  counted.peakBytes = std::max(counted.peakBytes, plan->peakBytes());
  if (tokens == 1)
    counted.launches = plan->launches();
  counted.loadSeconds += monotonicSeconds() - begin;
  return *plan;
}

std::vector<float> LocalModel::read(const int32_t *tokens, size_t count) {
  PreparedPlan &plan = planFor(count);
  Memory &memory = *memories.at(count);
  Cache &cache = caches->only();
  cache.append(int64_t(count));
  std::copy_n(tokens, count, memory.tokens.begin());
  std::copy_n(static_cast<const int32_t *>(cache.positions().data), count,
              memory.positions.begin());
  memory.length = *static_cast<const int32_t *>(cache.lengthTensor().data);
  plan.run();
  std::vector<float> logits(size_t(llm.vocab));
  uint64_t bytes = logits.size() * sizeof(float);
  plan.read(0, (count - 1) * bytes, logits.data(), bytes);
  return logits;
}

Stop LocalModel::generate(const std::string &prompt, int64_t limit,
                          const Sampling &sampling,
                          const std::function<bool(std::string_view)> &emit,
                          bool marks) {
  std::vector<int32_t> tokens = words->encode(prompt, marks);
  if (tokens.empty())
    fail(AGT_BAD_INPUT, "the prompt is empty, and the tokenizer '" +
                            llm.tokenizer +
                            "' has no token that texts begin with");
  if (int64_t(tokens.size()) > llm.context)
    fail(AGT_BAD_INPUT, "the prompt has " + std::to_string(tokens.size()) +
                            " tokens, the context of llm '" + llm.name +
                            "' has room for " + std::to_string(llm.context));
  counted.promptTokens = int64_t(tokens.size());
  counted.newTokens = 0;
  counted.promptSeconds = counted.stepSeconds = 0;
  caches->only().truncate(0);
  Sampler sampler(sampling);
  std::vector<float> logits;
  for (size_t at = 0; at < tokens.size();) {
    size_t count = std::min(pieceTokens, tokens.size() - at);
    planFor(count);
    double begin = monotonicSeconds();
    logits = read(tokens.data() + at, count);
    counted.promptSeconds += monotonicSeconds() - begin;
    at += count;
  }
  int32_t last = tokens.back();
  while (limit < 0 || counted.newTokens < limit) {
    int32_t next = sampler.choose(logits);
    if (words->isEnd(next))
      return Stop::EndOfText;
    ++counted.newTokens;
    if (!emit(words->piece(last, next)))
      return Stop::Asked;
    last = next;
    if (limit >= 0 && counted.newTokens == limit)
      break;
    if (caches->only().length() == llm.context)
      return Stop::Context;
    planFor(1);
    double begin = monotonicSeconds();
    logits = read(&next, 1);
    counted.stepSeconds += monotonicSeconds() - begin;
  }
  return Stop::Tokens;
}

} // namespace agt::rt
