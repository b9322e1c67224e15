// JSON-RPC 2.0 as MCP speaks it: one message, read without trusting who wrote
// it, and the texts of ours.
#ifndef AGT_RUNTIME_MCP_MESSAGE_H
#define AGT_RUNTIME_MCP_MESSAGE_H

#include "runtime/Value/Json.h"

#include <optional>
#include <string>

namespace agt::rt {

struct McpMessage {
  enum Kind {
    Result,       // body: the result
    Error,        // body: {"code", "message"}
    Request,      // body: the params
    Notification, // body: the params
    Unreadable, // an answer with what cannot be read exactly; `method` says why
    Garbage     // none of them; `method` says why
  } kind = Garbage;
  Json id;
  std::string method;
  Json body;

  /// Whether it answers our request of that number.
  bool answers(int64_t request) const;
  /// The request of ours that a progress notification is about.
  std::optional<int64_t> progressOf() const;
};

/// Never throws.
McpMessage readMessage(std::string_view text);

std::string requestText(int64_t id, const std::string &method,
                        const Json &params);
std::string notificationText(const std::string &method, const Json &params);
/// What a request of the server is answered: a ping with an empty result, all
/// else with "method not found", since this client offers nothing.
std::string replyText(const McpMessage &request);

} // namespace agt::rt

#endif // AGT_RUNTIME_MCP_MESSAGE_H
