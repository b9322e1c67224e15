// The MCP servers of a program: each is started, or reached, when it is first
// needed, and again when it has died. They end with the object.
#ifndef AGT_RUNTIME_MCP_SERVERS_H
#define AGT_RUNTIME_MCP_SERVERS_H

#include "runtime/Agent/Declarations.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace agt::rt {

class McpClient;
class CancelToken;

class McpServers {
public:
  explicit McpServers(const AgentProgram &program);
  ~McpServers();

  /// A client whose server lists all that is declared of it, as it is declared.
  /// Throws StepFailure when it cannot be reached, and Failure (AGT_MISSING)
  /// when it is another server than the one that was declared.
  std::shared_ptr<McpClient> ready(uint32_t server, const CancelToken *cancel);

private:
  struct Entry;
  std::shared_ptr<McpClient> open(const ServerDecl &decl,
                                  const CancelToken *cancel);
  void checkTools(uint32_t server, const McpClient &client);

  const AgentProgram &program;
  std::mutex mutex;
  std::map<uint32_t, std::unique_ptr<Entry>> entries;
};

/// Bound as long as a server that the process `owner` started is alive.
std::string serverGuard(const std::string &owner, const std::string &server);

} // namespace agt::rt

#endif // AGT_RUNTIME_MCP_SERVERS_H
