// Chat completions of OpenAI's form, streamed.
//
// The stream is read to its [DONE] and put together; an answer that ends before
// it, or whose last choice names no finish reason, is no answer. Servers that
// do not stream (they answer with one JSON object) are understood as well.
#include "runtime/Http/Http.h"
#include "runtime/Model/Model.h"
#include "runtime/Support/Text.h"
#include "runtime/Tool/Tool.h"

namespace agt::rt {

namespace {

Json messageJson(const ModelMessage &message) {
  Json json = {{"role", message.role}, {"content", message.text}};
  if (!message.callId.empty())
    json["tool_call_id"] = message.callId;
  for (const ModelToolCall &call : message.calls)
    json["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  return json;
}

// Endpoints want an object at the top: another type travels in its only field.
bool isObject(const Json &schema) {
  return schema.contains("$ref") || schema.value("type", "") == "object";
}

Json wrappedSchema(const Json &schema) {
  Json inner = schema;
  Json root = {{"type", "object"},
               {"required", {"value"}},
               {"additionalProperties", false}};
  if (inner.contains("$defs")) {
    root["$defs"] = inner["$defs"];
    inner.erase("$defs");
  }
  root["properties"] = {{"value", inner}};
  return root;
}

std::string bodyOf(const ModelRequest &request, const std::string &model) {
  Json body = {{"model", model},
               {"stream", true},
               {"stream_options", {{"include_usage", true}}},
               {"messages", Json::array()}};
  for (const ModelMessage &message : request.messages)
    body["messages"].push_back(messageJson(message));
  for (const ModelTool &tool : request.tools)
    body["tools"].push_back({{"type", "function"},
                             {"function",
                              {{"name", tool.name},
                               {"description", tool.description},
                               {"parameters", tool.parameters},
                               {"strict", true}}}});
  if (!request.schema.is_null())
    body["response_format"] = {
        {"type", "json_schema"},
        {"json_schema",
         {{"name", request.schemaName},
          {"strict", true},
          {"schema", isObject(request.schema)
                         ? request.schema
                         : wrappedSchema(request.schema)}}}};
  if (request.maxTokens > 0)
    body["max_tokens"] = request.maxTokens;
  if (request.temperature)
    body["temperature"] = *request.temperature;
  if (request.seed)
    body["seed"] = *request.seed;
  if (!request.stop.empty())
    body["stop"] = request.stop;
  return body.dump();
}

// The answer as it comes together from pieces or from one object.
class Answer {
public:
  explicit Answer(ModelReply &reply) : reply(reply) {}

  void take(std::string_view data) {
    buffer += data;
    size_t end;
    while ((end = buffer.find('\n')) != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      if (!line.empty() && line.back() == '\r')
        line.pop_back();
      takeLine(line);
    }
  }

  /// `body`: all that came. Throws StepFailure for what cannot be read.
  void finish(const std::string &body) {
    if (!streamed) {
      takeWhole(parseJson(body));
      return;
    }
    if (!ended)
      throw StepFailure("the stream ended before its end was said");
  }

private:
  void takeLine(const std::string &line) {
    if (line.rfind("data:", 0) != 0)
      return; // comments that keep the connection open, blank lines
    streamed = true;
    size_t begin = line.find_first_not_of(' ', 5);
    std::string text = begin == std::string::npos ? "" : line.substr(begin);
    if (text == "[DONE]") {
      ended = true;
      return;
    }
    Json json = parseJson(text);
    if (json.contains("error"))
      throw StepFailure("the endpoint says " + json["error"].dump());
    takeCommon(json);
    if (!json.contains("choices") || json["choices"].empty())
      return;
    const Json &choice = json["choices"][0];
    if (choice.contains("delta"))
      takeMessage(choice["delta"]);
    takeFinish(choice);
  }

  void takeWhole(const Json &json) {
    if (!json.is_object() || !json.contains("choices") ||
        json["choices"].empty())
      throw StepFailure("the answer has no choices");
    takeCommon(json);
    takeMessage(json["choices"][0].at("message"));
    takeFinish(json["choices"][0]);
  }

  void takeCommon(const Json &json) {
    if (json.contains("model") && json["model"].is_string())
      reply.model = json["model"];
    auto usage = json.find("usage");
    if (usage == json.end() || !usage->is_object())
      return;
    reply.tokensIn = usage->value("prompt_tokens", int64_t(0));
    reply.tokensOut = usage->value("completion_tokens", int64_t(0));
    if (usage->contains("cost") && (*usage)["cost"].is_number())
      reply.cost = (*usage)["cost"];
  }

  void takeFinish(const Json &choice) {
    auto finish = choice.find("finish_reason");
    if (finish != choice.end() && finish->is_string())
      reply.finish = *finish;
  }

  static void append(std::string &to, const Json &json, const char *key) {
    auto found = json.find(key);
    if (found != json.end() && found->is_string())
      to += found->get_ref<const std::string &>();
  }

  // Pieces of one call have its number; whole messages have them in order.
  void takeMessage(const Json &message) {
    append(reply.text, message, "content");
    append(reply.refusal, message, "refusal");
    auto calls = message.find("tool_calls");
    if (calls == message.end() || !calls->is_array())
      return;
    for (size_t i = 0; i < calls->size(); ++i) {
      const Json &piece = (*calls)[i];
      size_t index = piece.value("index", i);
      if (index > 1000)
        throw StepFailure("the answer asks for more than 1000 calls");
      if (reply.calls.size() <= index)
        reply.calls.resize(index + 1);
      append(reply.calls[index].id, piece, "id");
      auto function = piece.find("function");
      if (function != piece.end()) {
        append(reply.calls[index].name, *function, "name");
        append(reply.calls[index].arguments, *function, "arguments");
      }
    }
  }

  ModelReply &reply;
  std::string buffer;
  bool streamed = false, ended = false;
};

void unwrap(const ModelRequest &request, ModelReply &reply) {
  if (request.schema.is_null() || isObject(request.schema) ||
      reply.text.empty())
    return;
  Json json = Json::parse(reply.text, nullptr, false);
  // Anything else stays as it is and is told to be invalid.
  if (json.is_object() && json.size() == 1 && json.contains("value"))
    reply.text = json["value"].dump();
}

std::string errorOf(const std::string &body) {
  Json json = Json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_object() &&
      json["error"].contains("message") && json["error"]["message"].is_string())
    return excerpt(json["error"]["message"].get<std::string>());
  return excerpt(body);
}

void judge(const HttpReply &http, const ModelRequest &request,
           ModelReply &reply) {
  reply.retryAfter = http.retryAfterNs;
  std::string status = "answered " + std::to_string(http.status);
  std::string said = http.kind == HttpReply::Answered ? errorOf(http.body) : "";
  if (!said.empty())
    said = ": " + said;
  switch (http.kind) {
  case HttpReply::NotConnected:
    reply.kind = AttemptResult::NotSent;
    reply.error = "could not be reached: " + http.error;
    return;
  case HttpReply::TimedOut:
    reply.error =
        "gave no answer within " + secondsText(double(request.timeout) / 1e9);
    return;
  case HttpReply::Cancelled:
    reply.error = "was cancelled";
    return;
  case HttpReply::Lost:
    reply.error = "was cut off in the middle of its answer: " + http.error;
    return;
  case HttpReply::Answered:
    break;
  }
  if (http.status == 429) {
    reply.kind = AttemptResult::NotSent;
    reply.error = status + said;
  } else if (http.status / 100 == 4 && http.status != 408) {
    reply.kind = AttemptResult::Definite;
    reply.error = status + said;
  } else if (http.status / 100 != 2) {
    reply.error = status + said;
  } else {
    reply.kind = AttemptResult::Done;
  }
}

} // namespace

ModelReply askOpenAi(const LlmDecl &llm, const ModelRequest &request) {
  std::string endpoint = llm.endpoint.resolve();
  while (!endpoint.empty() && endpoint.back() == '/')
    endpoint.pop_back();
  if (endpoint.empty())
    throw StepFailure("the llm '" + llm.name + "' has no endpoint");
  HttpRequest http;
  http.method = "POST";
  http.url = endpoint + "/chat/completions";
  http.headers = {{"Content-Type", "application/json"},
                  {"Accept", "text/event-stream, application/json"}};
  if (llm.key.given())
    http.headers.emplace_back("Authorization", "Bearer " + llm.key.resolve());
  http.body = bodyOf(request, llm.model.resolve());
  http.hasBody = true;
  http.timeoutNs = request.timeout;
  http.cancel = request.cancel;
  http.keep = 64 << 20;
  ModelReply reply;
  Answer answer(reply);
  std::string unreadable;
  http.onData = [&](std::string_view data) {
    try {
      answer.take(data);
      return true;
    } catch (const std::exception &error) {
      unreadable = error.what();
      return false;
    }
  };
  HttpReply got = httpRequest(http);
  judge(got, request, reply);
  if (reply.kind != AttemptResult::Done)
    return reply;
  try {
    if (!unreadable.empty())
      throw StepFailure(unreadable);
    answer.finish(got.body);
    unwrap(request, reply);
  } catch (const std::exception &error) {
    reply.kind = AttemptResult::Unknown;
    reply.error =
        std::string("was cut off in the middle of its answer: ") + error.what();
    return reply;
  }
  if (reply.tokensIn + reply.tokensOut == 0) { // it said no usage
    for (const ModelMessage &message : request.messages)
      reply.tokensIn += roughTokens(message.text);
    reply.tokensOut = roughTokens(reply.text);
  }
  return reply;
}

} // namespace agt::rt
