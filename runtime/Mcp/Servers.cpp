// See Servers.h.
#include "runtime/Mcp/Servers.h"

#include "runtime/Agent/Secrets.h"
#include "runtime/Log/Token.h"
#include "runtime/Mcp/Client.h"
#include "runtime/Mcp/Schema.h"
#include "runtime/Support/Text.h"
#include "runtime/Tool/Sandbox.h"
#include "runtime/Tool/Tool.h"

namespace agt::rt {

struct McpServers::Entry {
  std::mutex mutex; // one starts it, the others wait for that
  std::shared_ptr<McpClient> client;
};

McpServers::McpServers(const AgentProgram &program) : program(program) {}
McpServers::~McpServers() = default;

std::string serverGuard(const std::string &owner, const std::string &server) {
  return sha256Hex("mcp " + server + " " + owner);
}

static std::shared_ptr<McpClient> startServer(const AgentProgram &program,
                                              const ServerDecl &decl,
                                              const CancelToken *cancel) {
  ProcessSpec spec;
  for (const TextSource &word : decl.command)
    spec.argv.push_back(word.resolve());
  for (const std::string &word : spec.argv)
    if (holdsSecret(word))
      throw StepFailure("its command holds a secret, which others could read");
  spec.environment = decl.sandbox ? sandboxEnvironment(*decl.sandbox)
                                  : plainEnvironment(program);
  if (decl.sandbox)
    enterSandbox(*decl.sandbox, decl.name, spec);
  spec.guard = serverGuard(thisProcess(), decl.name);
  return std::make_shared<McpClient>(startStdioServer(spec), cancel);
}

std::shared_ptr<McpClient> McpServers::open(const ServerDecl &decl,
                                            const CancelToken *cancel) {
  try {
    if (!decl.url.given())
      return startServer(program, decl, cancel);
    std::vector<std::pair<std::string, std::string>> headers;
    for (const auto &[name, value] : decl.headers)
      headers.emplace_back(name, value.resolve());
    return std::make_shared<McpClient>(
        reachHttpServer(decl.url.resolve(), headers), cancel);
  } catch (StepFailure &failure) {
    throw StepFailure("the MCP server '" + decl.name +
                      "' is not there: " + redact(failure.message));
  }
}

void McpServers::checkTools(uint32_t server, const McpClient &client) {
  const std::string &name = program.servers[server].name;
  for (const ToolDecl &tool : program.tools) {
    if (tool.server != server)
      continue;
    const Json *listed = client.tool(tool.listedAs);
    if (!listed) {
      std::vector<std::string> names = client.toolNames();
      std::string guess = didYouMean(tool.listedAs, names);
      fail(AGT_MISSING, "the MCP server '" + name + "' has no tool '" +
                            tool.listedAs + "'" +
                            (!guess.empty()  ? guess
                             : names.empty() ? ", it has none"
                                             : ", it has " + listText(names)));
    }
    std::string why = misfit(*program.types, tool, *listed);
    if (!why.empty())
      fail(AGT_MISSING, "the tool '" + tool.name +
                            "' is not what its MCP server offers: " + why);
  }
}

std::shared_ptr<McpClient> McpServers::ready(uint32_t server,
                                             const CancelToken *cancel) {
  Entry *entry;
  {
    std::lock_guard<std::mutex> held(mutex);
    std::unique_ptr<Entry> &place = entries[server];
    if (!place)
      place = std::make_unique<Entry>();
    entry = place.get();
  }
  std::lock_guard<std::mutex> held(entry->mutex);
  if (entry->client && entry->client->dead().empty())
    return entry->client;
  entry->client = nullptr; // what is left of it goes first
  std::shared_ptr<McpClient> client = open(program.servers[server], cancel);
  checkTools(server, *client);
  return entry->client = client;
}

} // namespace agt::rt
