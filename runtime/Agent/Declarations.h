// What a program declares of agents, tools, llms and types, read from the JSON
// that docs/Agents.md describes.
#ifndef AGT_RUNTIME_AGENT_DECLARATIONS_H
#define AGT_RUNTIME_AGENT_DECLARATIONS_H

#include "agt/agent.h"
#include "runtime/Value/Types.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agt::rt {

/// A text of a declaration that may read the environment: resolved at use.
class TextSource {
public:
  TextSource() = default;
  explicit TextSource(Json json) : json(std::move(json)) {}
  bool given() const { return !json.is_null(); }
  /// Whether a secret is a part of it.
  bool isSecret() const;
  /// Throws StepFailure for a variable that is not set.
  std::string resolve() const;

private:
  Json json;
};

struct Retry {
  int64_t attempts = 0; // further ones
  int64_t base = 500'000'000, max = 30'000'000'000;

  /// Nanoseconds to wait before further attempt n (from 1): full jitter.
  int64_t delay(int64_t n) const;
};

/// Calls in any time of a length, and calls at once; 0: as many as there are.
struct LimitDecl {
  int64_t calls = 0, per = 0, concurrent = 0;
  bool given() const { return calls || concurrent; }
};

enum class EffectClass { Pure, Idempotent, Reconcile, Once };

struct ParamDecl {
  std::string name, doc;
  uint32_t type = 0;
};

struct SandboxDecl {
  bool untrusted = false;
  bool network = false;
  std::vector<std::string> read, write;
  std::vector<std::pair<std::string, TextSource>> env;
  std::optional<int64_t> memory, cpu;
  int64_t processes = 64, files = 16 << 20;
};

/// `tool NAME = mcp {...}`: a server that is started, or one behind a URL.
struct ServerDecl {
  std::string name;
  std::vector<TextSource> command;
  TextSource url;
  std::vector<std::pair<std::string, TextSource>> headers;
  std::optional<SandboxDecl> sandbox;
};

struct ToolDecl {
  std::string name, doc, kind;
  uint32_t server = AGT_NO_INDEX; // of kind mcp
  /// Its name on the server, and as models call it: without dots.
  std::string listedAs, modelName;
  std::vector<ParamDecl> params;
  uint32_t result = 0;
  EffectClass effect = EffectClass::Once;
  uint32_t reconcile = AGT_NO_INDEX;
  int64_t settle = 0, timeout = 15'000'000'000;
  int64_t longest = 0; // of kind mcp: as far as progress extends `timeout`
  Retry retry;
  LimitDecl limit; // over all processes on one step log
  bool stdinJson = false;
  std::string method;
  std::optional<SandboxDecl> sandbox;

  /// After which a call is over whatever happens.
  int64_t longestTime() const { return kind == "mcp" ? longest : timeout; }
};

struct LlmDecl {
  std::string name, kind, file, graph;
  TextSource model, endpoint, key;
  int64_t timeout = 60'000'000'000;
  Retry retry;
  LimitDecl limit; // of its endpoint, over all processes on one step log
};

struct BudgetDecl {
  std::optional<int64_t> tokens, steps, wall;
  std::optional<double> usd;
};

struct AgentDecl {
  std::string name, doc;
  std::vector<ParamDecl> params;
  uint32_t result = 0;
  int64_t attempts = 0;
  BudgetDecl budget;
  std::vector<uint32_t> servers; // that a run may call
};

class McpServers;

/// The whole of it, with the functions that belong to it.
struct AgentProgram {
  /// Throws Failure when the declarations do not fit the functions.
  AgentProgram(const agt_program *program, const agt_agents &agents);
  ~AgentProgram(); // and the MCP servers that were started

  const agt_program *program; // NULL in tests of agents alone
  const agt_agents &code;
  std::string hash; // of the program
  std::unique_ptr<Types> types;
  std::vector<ServerDecl> servers;
  std::vector<ToolDecl> tools;
  std::vector<LlmDecl> llms;
  std::vector<AgentDecl> agents;
  std::vector<std::string> secrets; // variables named in secret()

  const AgentDecl *agent(const std::string &name) const;

  /// Those that run, or were reached.
  const std::unique_ptr<McpServers> mcp;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_DECLARATIONS_H
