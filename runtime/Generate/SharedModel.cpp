// See SharedModel.h. Launches have sizes of powers of two, so that few plans
// are made: what is left over are rows that see nothing and are stored nowhere.
#include "runtime/Generate/SharedModel.h"

#include "runtime/Support/Failure.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace agt::rt {

static constexpr int64_t mostTexts = 8;

void addMessage(std::string &prompt, std::string_view said) {
  if (!said.empty() && !prompt.empty())
    prompt += "\n";
  prompt += said;
}

static int64_t pagesOfText(const ManifestLlm &llm) {
  return (llm.context + llm.page - 1) / llm.page;
}

/// The pages of the cache take at most half of the memory that weights leave;
/// also where the device reads these as they are mapped, for they are better
/// kept in memory than read again.
static int64_t placesFor(const ManifestLlm &llm, const Decoder::Room &room) {
  int64_t ofText = pagesOfText(llm) * llm.page;
  uint64_t free = room.context.device().memoryBudget().free;
  uint64_t half = (free - std::min(free, room.bytesOfWeights)) / 2;
  uint64_t most = half / std::max<uint64_t>(room.bytesOfToken, 1);
  int64_t texts = mostTexts;
  while (texts > 1 && uint64_t(texts * ofText) > most)
    --texts;
  return std::min<int64_t>(texts * ofText, INT32_MAX / llm.page * llm.page);
}

SharedModel::SharedModel(const agt_program &program, const Manifest &manifest,
                         const ManifestLlm &llm, DeviceChoice device,
                         const std::map<std::string, std::string> &weightPaths)
    : llm(llm), words(openTokenizer(llm)),
      decoder(program, manifest, llm, llm.pages, words->size(), device,
              weightPaths,
              [&](const Decoder::Room &room) { return placesFor(llm, room); }) {
  pool = std::make_unique<PagePool>(decoder.capacity() / llm.page, llm.page);
  scheduler = std::make_unique<Scheduler>(
      *pool, llm.context,
      [this](const std::vector<Row> &rows, const std::vector<size_t> &wanted) {
        return launch(rows, wanted);
      },
      std::chrono::nanoseconds(llm.waitNanoseconds));
}

const TokenOrder &SharedModel::order() {
  std::call_once(orderOnce, [this] { orderOfAll.emplace(*words); });
  return *orderOfAll;
}

void SharedModel::read(const std::vector<int32_t> &context) {
  checkPrompt(llm, context.size());
  GenerationRequest request;
  request.context = context;
  request.limit = 0;
  scheduler->generate(request);
}

void SharedModel::check(const TextRequest &request) const {
  checkPrompt(llm, request.context.size() + request.prompt.size());
  if (!request.schema.is_null())
    JsonGrammar grammar(request.schema);
}

TextResult SharedModel::write(const TextRequest &wanted) {
  checkPrompt(llm, wanted.context.size() + wanted.prompt.size());
  TextResult result;
  TextStream stream(wanted.stops);
  std::optional<JsonGrammar> grammar;
  std::optional<Restraint> restraint;
  if (!wanted.schema.is_null()) {
    grammar.emplace(wanted.schema);
    restraint.emplace(*grammar, order());
  }
  auto show = [&](const std::string &text) {
    result.text += text;
    return text.empty() || !wanted.show || wanted.show(text);
  };
  GenerationRequest request;
  request.context = wanted.context;
  request.prompt = wanted.prompt;
  request.limit = wanted.limit;
  request.sampling = wanted.sampling;
  request.isEnd = [&](int32_t token) { return words->isEnd(token); };
  request.cancelled = wanted.cancelled;
  if (restraint)
    request.restrain = [&](std::vector<float> &logits) {
      restraint->apply(logits);
    };
  if (wanted.weigh)
    request.weigh = [&](const std::vector<float> &logits, int32_t previous,
                        int32_t token) {
      wanted.weigh(chanceOf(logits, previous, token, wanted.likeliest));
    };
  request.emit = [&](int32_t previous, int32_t token) {
    std::string_view bytes = words->piece(previous, token);
    if (restraint)
      restraint->take(bytes);
    if (!show(stream.take(bytes))) {
      result.isCancelled = true;
      return false;
    }
    return !stream.isStopped() && !(restraint && restraint->isOver());
  };
  GenerationResult generated = scheduler->generate(request);
  result.newTokens = generated.newTokens;
  result.readSeconds = generated.readSeconds;
  result.isCancelled |= wanted.cancelled && wanted.cancelled();
  if (!result.isCancelled)
    result.isCancelled = !show(stream.end());
  bool cut = generated.stop == Stop::Tokens || generated.stop == Stop::Context;
  result.isWhole = restraint ? restraint->isWhole() : !cut;
  return result;
}

std::vector<std::vector<float>>
SharedModel::launch(const std::vector<Row> &rows,
                    const std::vector<size_t> &wanted) {
  size_t count = size_t(roundedRows(rows.size()));
  Decoder::Inputs &inputs = decoder.inputs(count);
  size_t capacity = size_t(pool->capacity());
  std::copy(pool->positionOf().begin(), pool->positionOf().end(),
            inputs.keyPositions.begin());
  std::fill(inputs.visible.begin(), inputs.visible.end(), 0);
  for (size_t i = 0; i < count; ++i) {
    bool used = i < rows.size();
    inputs.tokens[i] = used ? rows[i].token : 0;
    inputs.positions[i] = used ? rows[i].position : 0;
    inputs.places[i] = used ? rows[i].place : -1;
    if (!used)
      continue;
    uint8_t *sees = inputs.visible.data() + i * capacity;
    if (i > 0 && rows[i].sequence == rows[i - 1].sequence)
      std::memcpy(sees, sees - capacity, capacity);
    else
      rows[i].sequence->forEachRun([&](int32_t first, int64_t run) {
        std::memset(sees + first, 1, size_t(run));
      });
  }
  decoder.run(count);
  std::vector<std::vector<float>> result;
  for (size_t row : wanted)
    result.push_back(decoder.logits(count, row));
  return result;
}

} // namespace agt::rt
