// See Message.h.
#include "runtime/Mcp/Message.h"

#include "runtime/Value/Value.h"

namespace agt::rt {

namespace {

McpMessage garbage(std::string why) {
  McpMessage message;
  message.method = std::move(why);
  return message;
}

// JSON that loses something when it is read, such as an integer beyond 64 bits:
// whose answer it is can be told all the same.
McpMessage unreadable(std::string_view line, const std::string &why) {
  McpMessage message = garbage(why);
  Json json = Json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object() || json.contains("method") || !json.contains("id"))
    return message;
  message.kind = McpMessage::Unreadable;
  message.id = json["id"];
  return message;
}

std::string text(Json message) {
  message["jsonrpc"] = "2.0";
  return message.dump();
}

} // namespace

bool McpMessage::answers(int64_t request) const {
  return (kind == Result || kind == Error || kind == Unreadable) &&
         id.is_number_integer() && id.get<int64_t>() == request;
}

std::optional<int64_t> McpMessage::progressOf() const {
  if (kind != Notification || method != "notifications/progress" ||
      !body.is_object())
    return std::nullopt;
  auto token = body.find("progressToken");
  if (token == body.end() || !token->is_number_integer())
    return std::nullopt;
  return token->get<int64_t>();
}

McpMessage readMessage(std::string_view line) {
  Json json;
  try {
    json = parseJson(line);
  } catch (const StepFailure &failure) {
    return unreadable(line, failure.message);
  }
  if (!json.is_object())
    return garbage("no JSON object");
  McpMessage message;
  auto take = [&](const char *key) {
    auto found = json.find(key);
    return found == json.end() ? Json() : std::move(*found);
  };
  message.id = take("id");
  if (json.contains("method")) {
    if (!json["method"].is_string())
      return garbage("a method that is no string");
    message.method = json["method"].get<std::string>();
    message.body = take("params");
    message.kind =
        message.id.is_null() ? McpMessage::Notification : McpMessage::Request;
    return message;
  }
  if (json.contains("result") == json.contains("error"))
    return garbage("neither a method nor a result or an error");
  bool error = json.contains("error");
  message.kind = error ? McpMessage::Error : McpMessage::Result;
  message.body = take(error ? "error" : "result");
  return message;
}

std::string requestText(int64_t id, const std::string &method,
                        const Json &params) {
  return text({{"id", id}, {"method", method}, {"params", params}});
}

std::string notificationText(const std::string &method, const Json &params) {
  Json message = {{"method", method}};
  if (!params.is_null())
    message["params"] = params;
  return text(message);
}

std::string replyText(const McpMessage &request) {
  if (request.method == "ping")
    return text({{"id", request.id}, {"result", Json::object()}});
  return text(
      {{"id", request.id},
       {"error",
        {{"code", -32601}, {"message", "this client has no such method"}}}});
}

} // namespace agt::rt
