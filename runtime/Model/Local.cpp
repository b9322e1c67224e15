// The llm from a graph of the program itself. A model is loaded when it is first
// asked and kept by the process; one request runs on it at a time.
//
// What it reads is the texts of the messages, one behind the other with a line
// break between: it knows no roles. It goes on until it ends its text, says a
// `stop`, or has written as many tokens as were asked for, which is no fault
// where a text has no end of its own.
#include "runtime/Generate/LocalModel.h"
#include "runtime/Model/Model.h"

#include <map>
#include <mutex>

namespace agt::rt {
namespace {

struct Loaded {
  std::mutex mutex; // held by who asks
  Manifest manifest;
  std::unique_ptr<LocalModel> model;
};

/// The model of that name. They are never closed: at the end of a process the
/// libraries of a device may be gone before they are.
Loaded &find(const agt_program &program, const std::string &name) {
  static auto *all =
      new std::map<std::pair<const agt_program *, std::string>, Loaded>;
  static auto *mutex = new std::mutex;
  std::lock_guard<std::mutex> held(*mutex);
  return (*all)[{&program, name}];
}

void load(Loaded &loaded, const agt_program &program, const std::string &name) {
  if (loaded.model)
    return;
  loaded.manifest = parseManifest(program);
  for (const ManifestLlm &llm : loaded.manifest.llms)
    if (llm.name == name)
      loaded.model = std::make_unique<LocalModel>(
          program, loaded.manifest, llm, parseDevice("auto"),
          std::map<std::string, std::string>());
  if (!loaded.model)
    fail(AGT_FAILED, "the program's manifest is damaged: it has no llm '" +
                         name + "'");
}

std::string promptOf(const ModelRequest &request) {
  std::string prompt;
  for (const ModelMessage &message : request.messages)
    if (!message.text.empty())
      prompt += (prompt.empty() ? "" : "\n") + message.text;
  return prompt;
}

/// Where the first stop string begins, or npos.
size_t findStop(const std::string &text, const ModelRequest &request) {
  size_t first = std::string::npos;
  for (const std::string &stop : request.stop)
    if (!stop.empty())
      first = std::min(first, text.find(stop));
  return first;
}

/// A model that writes in bytes may write what is no text: U+FFFD stands for
/// each byte of that.
std::string asText(std::string_view bytes) {
  std::string text;
  for (size_t bad; (bad = findInvalidUtf8(bytes)) != std::string::npos;
       bytes.remove_prefix(bad + 1))
    text += std::string(bytes.substr(0, bad)) + "\xef\xbf\xbd";
  return text += bytes;
}

} // namespace

ModelReply askLocal(const agt_program &program, const LlmDecl &llm,
                    const ModelRequest &request) {
  Loaded &loaded = find(program, llm.name);
  std::lock_guard<std::mutex> held(loaded.mutex);
  load(loaded, program, llm.name);
  Sampling sampling;
  sampling.temperature = request.temperature.value_or(0);
  sampling.seed = uint64_t(request.seed.value_or(0));
  ModelReply reply;
  reply.model = llm.name;
  auto emit = [&](std::string_view piece) {
    reply.text += piece;
    return findStop(reply.text, request) == std::string::npos &&
           !(request.cancel && request.cancel->cancelled());
  };
  try {
    loaded.model->generate(promptOf(request), request.maxTokens, sampling,
                           emit);
  } catch (const Failure &failure) {
    reply.kind = AttemptResult::Definite;
    reply.error = "cannot answer: " + failure.message;
    return reply;
  }
  if (request.cancel && request.cancel->cancelled()) {
    reply.error = "was cancelled";
    return reply;
  }
  reply.text.resize(std::min(reply.text.size(), findStop(reply.text, request)));
  reply.text = asText(reply.text);
  reply.kind = AttemptResult::Done;
  reply.finish = "stop";
  reply.tokensIn = loaded.model->stats().promptTokens;
  reply.tokensOut = loaded.model->stats().newTokens;
  return reply;
}

} // namespace agt::rt
