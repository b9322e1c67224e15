// The llm from a graph of the program itself. A model is loaded when it is
// first asked and kept by the process; those who ask at the same time share its
// launches (runtime/Generate/Scheduler.h).
//
// What it reads is the context it is asked with and the texts of the messages,
// one behind the other with a line break between: it knows no roles. A context
// is read once for all that ask with it. It goes on until it ends its text,
// says a `stop`, or has written as many tokens as were asked for, which is no
// fault where a text has no end of its own. An answer of a type is written
// under the grammar of its schema: it is JSON of that type, or cut off.
#include "runtime/Generate/SharedModel.h"
#include "runtime/Model/Model.h"

#include <map>
#include <mutex>

namespace agt::rt {
namespace {

struct Loaded {
  std::mutex mutex; // of loading
  Manifest manifest;
  std::unique_ptr<SharedModel> model;
};

/// Models by program and name. They are never closed: at the end of a process
/// the libraries of a device may be gone before they are.
struct All {
  std::mutex mutex; // of the map, not of what is in it
  std::map<std::pair<const agt_program *, std::string>, Loaded> models;
};

All &all() {
  static auto *all = new All;
  return *all;
}

/// The model of that name, loaded.
SharedModel &find(const agt_program &program, const std::string &name) {
  std::unique_lock<std::mutex> held(all().mutex);
  Loaded &loaded = all().models[{&program, name}];
  held.unlock();
  std::lock_guard<std::mutex> loading(loaded.mutex);
  if (loaded.model)
    return *loaded.model;
  loaded.manifest = parseManifest(program);
  for (const ManifestLlm &llm : loaded.manifest.llms)
    if (llm.name == name)
      loaded.model = std::make_unique<SharedModel>(
          program, loaded.manifest, llm, parseDevice("auto"),
          std::map<std::string, std::string>());
  if (!loaded.model)
    fail(AGT_FAILED,
         "the program's manifest is damaged: it has no llm '" + name + "'");
  return *loaded.model;
}

std::vector<int32_t> promptOf(const ModelRequest &request,
                              const Tokenizer &tokenizer) {
  std::string text;
  for (const ModelMessage &message : request.messages)
    addMessage(text, message.text);
  for (int32_t token : request.context)
    if (token < 0 || token >= tokenizer.size())
      fail(AGT_BAD_INPUT, "the context has the token " + std::to_string(token) +
                              ", the tokenizer has " +
                              std::to_string(tokenizer.size()));
  return request.context.empty() ? tokenizer.encode(text)
                                 : tokenizer.encodeMore(text);
}

} // namespace

std::vector<int32_t> readPrefixLocal(const agt_program &program,
                                     const LlmDecl &llm,
                                     std::string_view text) {
  SharedModel &model = find(program, llm.name);
  std::vector<int32_t> tokens = model.tokenizer().encode(text);
  model.read(tokens);
  return tokens;
}

std::vector<LocalModelFigures> localModelFigures(const agt_program &program) {
  std::vector<LocalModelFigures> figures;
  std::lock_guard<std::mutex> held(all().mutex);
  for (auto &[key, loaded] : all().models) {
    std::lock_guard<std::mutex> loading(loaded.mutex);
    if (key.first == &program && loaded.model)
      figures.push_back({key.second, loaded.model->totals(),
                         loaded.model->notes(), loaded.model->bytesOfPlace()});
  }
  return figures;
}

ModelReply askLocal(const agt_program &program, const LlmDecl &llm,
                    const ModelRequest &request) {
  ModelReply reply;
  reply.model = llm.name;
  TextResult written;
  try {
    SharedModel &model = find(program, llm.name);
    TextRequest wanted;
    wanted.context = request.context;
    wanted.prompt = promptOf(request, model.tokenizer());
    wanted.limit = request.maxTokens;
    wanted.sampling.temperature = request.temperature.value_or(0);
    wanted.sampling.seed = uint64_t(request.seed.value_or(0));
    wanted.stops = request.stop;
    wanted.schema = request.schema;
    wanted.cancelled = [&] {
      return request.cancel && request.cancel->cancelled();
    };
    reply.tokensIn = int64_t(wanted.prompt.size());
    written = model.write(wanted);
  } catch (const Failure &failure) {
    reply.kind = AttemptResult::Definite;
    reply.error = "cannot answer: " + failure.message;
    return reply;
  }
  reply.tokensOut = written.newTokens;
  reply.readSeconds = written.readSeconds;
  if (written.isCancelled) {
    reply.error = "was cancelled";
    return reply;
  }
  reply.text = std::move(written.text);
  reply.kind = AttemptResult::Done;
  bool cut = !request.schema.is_null() && !written.isWhole;
  reply.finish = cut ? "length" : "stop";
  return reply;
}

} // namespace agt::rt
