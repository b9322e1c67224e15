// Models that answer: one request, one reply, whoever gives it.
#ifndef AGT_RUNTIME_MODEL_MODEL_H
#define AGT_RUNTIME_MODEL_MODEL_H

#include "runtime/Agent/Effect.h"
#include "runtime/Generate/Fanout.h"

#include <optional>
#include <string>
#include <vector>

namespace agt::rt {

struct ModelToolCall {
  std::string id, name, arguments; // arguments: JSON as the model wrote it
};

struct ModelMessage {
  std::string role; // system, user, assistant, tool
  std::string text;
  std::vector<ModelToolCall> calls; // of an assistant
  std::string callId;               // of a tool
};

struct ModelTool {
  std::string name, description;
  Json parameters; // JSON Schema
};

struct ModelRequest {
  std::vector<ModelMessage> messages;
  std::vector<ModelTool> tools;
  std::string schemaName;
  Json schema; // of the answer; null: text
  int64_t maxTokens = -1;
  std::optional<double> temperature;
  std::optional<int64_t> seed;
  std::vector<std::string> stop;
  int64_t timeout = 0; // nanoseconds
  const CancelToken *cancel = nullptr;
  /// What a model from a graph has read before the messages (readPrefix).
  std::vector<int32_t> context;
};

/// `kind` is Done for every answer that has come whole; whether it is one that
/// can be acted on (finish reason, validity) is decided by who asked.
struct ModelReply {
  AttemptResult::Kind kind = AttemptResult::Unknown;
  std::string error; // not Done
  int64_t retryAfter = 0;
  std::string text, refusal;
  std::vector<ModelToolCall> calls;
  std::string finish; // stop, length, tool_calls, content_filter, ""
  std::string model;
  int64_t tokensIn = 0, tokensOut = 0;
  double cost = 0;
  int64_t entry = -1; // of a mock's file
  /// Until its first token was known, of a model that says so; not in the log.
  double readSeconds = -1;

  Json json() const; // for the log
  static ModelReply fromJson(const Json &json);
};

ModelReply askModel(Execution &run, uint32_t llm, const ModelRequest &request);

/// The tokens of a text that begins what a model from a graph reads, once they
/// are read; nothing of any other model, which is sent the text with each
/// request. Fails with AGT_BAD_INPUT where the model has no room for it.
std::optional<std::vector<int32_t>> readPrefix(Execution &run, uint32_t llm,
                                               std::string_view text);
std::vector<int32_t> readPrefixLocal(const agt_program &program,
                                     const LlmDecl &llm, std::string_view text);

ModelReply askMock(Execution &run, uint32_t llm, const std::string &file,
                   const ModelRequest &request);
/// The launches of the models from graphs that this process has asked.
struct LocalModelFigures {
  std::string llm;
  FanoutTotals totals;
  std::vector<LaunchNote> notes;
  uint64_t bytesOfPlace = 0;
};
std::vector<LocalModelFigures> localModelFigures(const agt_program &program);
ModelReply askLocal(const agt_program &program, const LlmDecl &llm,
                    const ModelRequest &request);
ModelReply askOpenAi(const LlmDecl &llm, const ModelRequest &request);

/// The step `ask` (Agent/StepAsk.cpp), for those that ask by themselves.
Value askStep(agt_scope *scope, const agt_site &site, const agt_ask &ask);

/// A rough count where a model says none: four bytes a token, rounded up.
int64_t roughTokens(std::string_view text);

} // namespace agt::rt

#endif // AGT_RUNTIME_MODEL_MODEL_H
