// A conversation with one MCP server: initialisation, the tools that it lists,
// calls of them.
#ifndef AGT_RUNTIME_MCP_CLIENT_H
#define AGT_RUNTIME_MCP_CLIENT_H

#include "runtime/Mcp/Transport.h"

#include <map>

namespace agt::rt {

class McpClient {
public:
  /// Initialises and lists. Throws StepFailure when the server cannot be
  /// reached or speaks no protocol that we know.
  McpClient(std::unique_ptr<McpTransport> transport, const CancelToken *cancel);

  /// What tools/list says of a tool; NULL: nothing.
  const Json *tool(const std::string &name) const;
  std::vector<std::string> toolNames() const;

  struct Call {
    std::string tool;
    Json arguments, meta;
    int64_t idleNs = 0, longestNs = 0;
    const CancelToken *cancel = nullptr;
  };
  McpReply call(const Call &call);
  /// "": it can be called.
  std::string dead() { return transport->dead(); }

private:
  Json ask(const std::string &method, const Json &params,
           const CancelToken *cancel);
  void initialise(const CancelToken *cancel);
  void list(const CancelToken *cancel);

  std::unique_ptr<McpTransport> transport;
  std::atomic<int64_t> lastId{0};
  std::map<std::string, Json> tools;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_MCP_CLIENT_H
