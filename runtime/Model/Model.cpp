// Replies as the log keeps them, and who answers for which llm.
#include "runtime/Model/Model.h"

namespace agt::rt {

int64_t roughTokens(std::string_view text) {
  return int64_t((text.size() + 3) / 4);
}

Json ModelReply::json() const {
  Json all = {{"text", text},
              {"finish", finish},
              {"model", model},
              {"tokens_in", tokensIn},
              {"tokens_out", tokensOut}};
  if (!refusal.empty())
    all["refusal"] = refusal;
  for (const ModelToolCall &call : calls)
    all["calls"].push_back(
        {{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  if (entry >= 0)
    all["entry"] = entry;
  if (cost != 0)
    all["cost"] = cost;
  return all;
}

ModelReply ModelReply::fromJson(const Json &json) {
  ModelReply reply;
  reply.kind = AttemptResult::Done;
  reply.text = json.at("text");
  reply.finish = json.at("finish");
  reply.model = json.at("model");
  reply.tokensIn = json.at("tokens_in");
  reply.tokensOut = json.at("tokens_out");
  reply.refusal = json.value("refusal", "");
  if (json.contains("calls"))
    for (const Json &call : json["calls"])
      reply.calls.push_back(
          {call.at("id"), call.at("name"), call.at("arguments")});
  reply.entry = json.value("entry", int64_t(-1));
  reply.cost = json.value("cost", 0.0);
  return reply;
}

/// The script that answers for an llm; "" where there is none.
static std::string mockOf(Execution &run, uint32_t llm) {
  std::lock_guard<std::mutex> held(run.counts.mutex);
  auto replaced = run.counts.mocks.find(llm);
  if (replaced != run.counts.mocks.end())
    return replaced->second;
  const LlmDecl &declared = run.program.llms[llm];
  return declared.kind == "mock" ? declared.file : "";
}

std::optional<std::vector<int32_t>> readPrefix(Execution &run, uint32_t llm,
                                               std::string_view text) {
  const LlmDecl &declared = run.program.llms[llm];
  if (declared.kind != "graph" || !run.program.program ||
      !mockOf(run, llm).empty())
    return std::nullopt;
  return readPrefixLocal(*run.program.program, declared, text);
}

ModelReply askModel(Execution &run, uint32_t llm, const ModelRequest &request) {
  const LlmDecl &declared = run.program.llms[llm];
  {
    std::lock_guard<std::mutex> held(run.counts.mutex);
    ++run.counts.calls[{AGT_WITH_LLM, llm}];
  }
  if (std::string mock = mockOf(run, llm); !mock.empty())
    return askMock(run, llm, mock, request);
  if (declared.kind == "openai")
    return askOpenAi(declared, request);
  if (declared.kind == "graph" && run.program.program)
    return askLocal(*run.program.program, declared, request);
  fail(AGT_MISSING, "the llm '" + declared.name + "' is of the kind '" +
                        declared.kind + "', which agents cannot ask yet");
}

} // namespace agt::rt
