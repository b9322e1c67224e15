// See Client.h.
#include "runtime/Mcp/Client.h"

#include "runtime/Support/Text.h"
#include "runtime/Tool/Tool.h"

#include <algorithm>

namespace agt::rt {

namespace {

constexpr const char *versions[] = {"2025-11-25", "2025-06-18"};
constexpr int64_t startNs = 60'000'000'000; // a server may have to be fetched
constexpr size_t mostTools = 10'000;

std::string errorText(const Json &error) {
  std::string message = "an error without a message", code;
  if (error.is_object()) {
    auto text = error.find("message");
    if (text != error.end() && text->is_string())
      message = excerpt(text->get<std::string>());
    auto number = error.find("code");
    if (number != error.end() && number->is_number_integer())
      code = " (" + number->dump() + ")";
  }
  return message + code;
}

} // namespace

McpTransport::~McpTransport() = default;

std::string McpTime::text() const {
  double seconds = std::chrono::duration<double>(
                       touched.load() + idle < longest ? idle : longest)
                       .count();
  return secondsText(seconds) + (touched.load() > std::chrono::nanoseconds(0) &&
                                         touched.load() + idle < longest
                                     ? " without progress"
                                     : "");
}

McpClient::McpClient(std::unique_ptr<McpTransport> given,
                     const CancelToken *cancel)
    : transport(std::move(given)) {
  initialise(cancel);
  list(cancel);
}

Json McpClient::ask(const std::string &method, const Json &params,
                    const CancelToken *cancel) {
  McpRequest request;
  request.id = ++lastId;
  request.text = requestText(request.id, method, params);
  request.idleNs = request.longestNs = startNs;
  request.cancel = cancel;
  McpReply reply = transport->exchange(request);
  if (reply.kind != McpReply::Answered)
    throw StepFailure(method + ": " + reply.error);
  if (reply.answer.kind == McpMessage::Error)
    throw StepFailure(method + ": the server answered with the error " +
                      errorText(reply.answer.body));
  if (!reply.answer.body.is_object())
    throw StepFailure(method + ": the server's answer is no object" +
                      (reply.answer.kind == McpMessage::Unreadable
                           ? ": " + reply.answer.method
                           : ""));
  return std::move(reply.answer.body);
}

void McpClient::initialise(const CancelToken *cancel) {
  Json answer = ask("initialize",
                    {{"protocolVersion", versions[0]},
                     {"capabilities", Json::object()},
                     {"clientInfo", {{"name", "agt"}, {"version", "1"}}}},
                    cancel);
  auto found = answer.find("protocolVersion");
  std::string version = found != answer.end() && found->is_string()
                            ? found->get<std::string>()
                            : "";
  if (std::find(std::begin(versions), std::end(versions), version) ==
      std::end(versions))
    throw StepFailure(
        "the server speaks the protocol " +
        (version.empty() ? "of no version" : "'" + excerpt(version) + "'") +
        ", this program 2025-11-25 and 2025-06-18");
  auto capabilities = answer.find("capabilities");
  if (capabilities == answer.end() || !capabilities->is_object() ||
      !capabilities->contains("tools"))
    throw StepFailure("the server offers no tools");
  transport->agreed(version);
  transport->notify(notificationText("notifications/initialized", Json()));
}

void McpClient::list(const CancelToken *cancel) {
  for (Json params = Json::object();;) {
    Json page = ask("tools/list", params, cancel);
    auto listed = page.find("tools");
    if (listed == page.end() || !listed->is_array())
      throw StepFailure("tools/list: the server's answer has no list 'tools'");
    size_t before = tools.size();
    for (Json &tool : *listed)
      if (tool.is_object() && tool.contains("name") &&
          tool["name"].is_string()) {
        std::string name = tool["name"].get<std::string>();
        tools[name] = std::move(tool);
      }
    auto next = page.find("nextCursor");
    if (next == page.end() || next->is_null())
      return;
    if (tools.size() > mostTools || tools.size() == before)
      throw StepFailure("tools/list: the server lists tools without end");
    params = {{"cursor", *next}};
  }
}

const Json *McpClient::tool(const std::string &name) const {
  auto found = tools.find(name);
  return found == tools.end() ? nullptr : &found->second;
}

std::vector<std::string> McpClient::toolNames() const {
  std::vector<std::string> names;
  for (const auto &entry : tools)
    names.push_back(entry.first);
  return names;
}

McpReply McpClient::call(const Call &call) {
  McpRequest request;
  request.id = ++lastId;
  Json params = {
      {"name", call.tool}, {"arguments", call.arguments}, {"_meta", call.meta}};
  params["_meta"]["progressToken"] = request.id;
  request.text = requestText(request.id, "tools/call", params);
  request.idleNs = call.idleNs;
  request.longestNs = call.longestNs;
  request.cancel = call.cancel;
  McpReply reply = transport->exchange(request);
  if (reply.kind == McpReply::Answered &&
      reply.answer.kind == McpMessage::Error)
    reply.error = "was answered with the error " + errorText(reply.answer.body);
  return reply;
}

} // namespace agt::rt
