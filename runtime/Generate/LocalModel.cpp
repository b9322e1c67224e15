// See LocalModel.h. A prompt is read in pieces of at most `pieceTokens` tokens,
// and every step is a piece of one token.
#include "runtime/Generate/LocalModel.h"

#include "runtime/Support/Failure.h"

#include <algorithm>
#include <numeric>

namespace agt::rt {

// Beyond this, one launch more costs nothing beside the work.
static constexpr size_t pieceTokens = 256;

LocalModel::LocalModel(const agt_program &program, const Manifest &manifest,
                       const ManifestLlm &llm, DeviceChoice device,
                       const std::map<std::string, std::string> &weightPaths)
    : llm(llm), words(openTokenizer(llm)),
      decoder(program, manifest, llm,
              llm.pinned.empty() ? llm.graph : llm.pinned, words->size(),
              device, weightPaths,
              [&](const Decoder::Room &) { return llm.context; }) {}

GenerationStats LocalModel::stats() const {
  GenerationStats all = counted;
  all.loadSeconds = decoder.loadSeconds();
  all.peakBytes = decoder.peakBytes();
  all.launches = decoder.launches();
  return all;
}

/// Appends a piece to the cache.
void LocalModel::append(const int32_t *tokens, size_t count, double &seconds) {
  Decoder::Inputs &inputs = decoder.inputs(count);
  double begin = monotonicSeconds();
  std::copy_n(tokens, count, inputs.tokens.begin());
  std::iota(inputs.positions.begin(), inputs.positions.end(), int32_t(length));
  length += int64_t(count);
  inputs.length = int32_t(length);
  decoder.run(count);
  logits = decoder.logits(count, count - 1);
  seconds += monotonicSeconds() - begin;
}

Stop LocalModel::generate(const std::string &prompt, int64_t limit,
                          const Sampling &sampling,
                          const std::function<bool(std::string_view)> &emit,
                          bool marks) {
  std::vector<int32_t> tokens = words->encode(prompt, marks);
  checkPrompt(llm, tokens.size());
  counted.promptTokens = int64_t(tokens.size());
  counted.newTokens = 0;
  counted.promptSeconds = counted.stepSeconds = 0;
  length = 0;
  for (size_t at = 0; at < tokens.size();) {
    size_t count = std::min(pieceTokens, tokens.size() - at);
    append(tokens.data() + at, count, counted.promptSeconds);
    at += count;
  }
  Sampler sampler(sampling);
  int32_t last = tokens.back();
  while (limit < 0 || counted.newTokens < limit) {
    int32_t next = sampler.choose(std::move(logits), tokens);
    if (words->isEnd(next))
      return Stop::EndOfText;
    ++counted.newTokens;
    if (!emit(words->piece(last, next)))
      return Stop::Asked;
    last = next;
    if (limit >= 0 && counted.newTokens == limit)
      break;
    if (length == llm.context)
      return Stop::Context;
    tokens.push_back(next);
    append(&next, 1, counted.stepSeconds);
  }
  return Stop::Tokens;
}

} // namespace agt::rt
