// See StepNote.h. Names and attributes are those of OpenTelemetry's semantic
// conventions for generative AI, which are still in development: docs/Traces.md
// lists what is said.
#include "runtime/Telemetry/StepNote.h"

#include "runtime/Value/Value.h"

namespace agt::rt {

namespace {

// What the endpoint knows the model as. One that comes from a secret stays
// unsaid.
std::string modelOf(const LlmDecl &llm) {
  if (llm.kind == "graph")
    return llm.graph;
  if (llm.kind != "openai" || llm.model.isSecret())
    return llm.name;
  try {
    return llm.model.resolve();
  } catch (const StepFailure &) {
    return llm.name; // the call itself says that the variable is not set
  }
}

// http://user:password@HOST:PORT/path
void addServer(Attributes &attributes, const LlmDecl &llm) {
  if (llm.kind != "openai" || llm.endpoint.isSecret())
    return;
  std::string url;
  try {
    url = llm.endpoint.resolve();
  } catch (const StepFailure &) {
    return;
  }
  size_t begin = url.find("://");
  if (begin == std::string::npos)
    return;
  int64_t port = url.compare(0, begin, "https") == 0 ? 443 : 80;
  url = url.substr(begin + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (size_t at = url.rfind('@'); at != std::string::npos)
    url = url.substr(at + 1);
  size_t colon = url.rfind(':');
  bool hasPort =
      colon != std::string::npos && colon + 1 < url.size() &&
      url.size() - colon <= 6 &&
      url.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  if (hasPort) {
    port = std::atoll(url.c_str() + colon + 1);
    url.resize(colon);
  }
  attributes.emplace_back("server.address", url);
  attributes.emplace_back("server.port", port);
}

StepNote ofLlm(const LlmDecl &llm, const char *operation) {
  StepNote note;
  std::string model = modelOf(llm);
  note.name = std::string(operation) + " " + model;
  note.kind = llm.kind == "openai" ? SpanKind::Client : SpanKind::Internal;
  note.attributes = {
      {"gen_ai.provider.name",
       std::string(llm.kind == "openai" ? "openai" : "agt." + llm.kind)},
      {"gen_ai.request.model", model},
      {"agt.llm", llm.name}};
  return note;
}

std::shared_ptr<const StepNote> shared(StepNote note) {
  return std::make_shared<const StepNote>(std::move(note));
}

} // namespace

std::shared_ptr<const StepNote> noteOfModel(const LlmDecl &llm,
                                            const ModelWishes &wishes) {
  StepNote note = ofLlm(llm, "chat");
  note.model = true;
  Attributes &all = note.attributes;
  all.emplace_back("gen_ai.operation.name", std::string("chat"));
  all.emplace_back("gen_ai.output.type",
                   std::string(wishes.json ? "json" : "text"));
  if (wishes.maxTokens)
    all.emplace_back("gen_ai.request.max_tokens", *wishes.maxTokens);
  if (wishes.temperature)
    all.emplace_back("gen_ai.request.temperature", *wishes.temperature);
  if (wishes.seed)
    all.emplace_back("gen_ai.request.seed", *wishes.seed);
  if (!wishes.stop.empty())
    all.emplace_back("gen_ai.request.stop_sequences", wishes.stop);
  addServer(all, llm);
  return shared(std::move(note));
}

std::shared_ptr<const StepNote> noteOfConversation(const LlmDecl &llm) {
  StepNote note;
  note.name = "ask " + llm.name;
  note.attributes = {{"agt.llm", llm.name}};
  return shared(std::move(note));
}

std::shared_ptr<const StepNote> noteOfPrefix(const LlmDecl &llm) {
  StepNote note;
  note.name = "prefix " + llm.name;
  note.attributes = {{"agt.llm", llm.name}};
  return shared(std::move(note));
}

std::shared_ptr<const StepNote> noteOfTool(const ToolDecl &tool) {
  StepNote note;
  note.tool = true;
  note.name = "execute_tool " + tool.name;
  note.attributes = {{"gen_ai.operation.name", std::string("execute_tool")},
                     {"gen_ai.tool.name", tool.name},
                     {"gen_ai.tool.type", std::string("function")},
                     {"agt.tool.kind", tool.kind}};
  if (!tool.doc.empty())
    note.attributes.emplace_back("gen_ai.tool.description", tool.doc);
  return shared(std::move(note));
}

} // namespace agt::rt
