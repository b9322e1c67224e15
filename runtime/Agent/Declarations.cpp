// See Declarations.h.
#include "runtime/Agent/Declarations.h"

#include "runtime/Agent/Secrets.h"
#include "runtime/Mcp/Servers.h"
#include "runtime/Support/FailPoint.h"
#include "runtime/Support/Failure.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <random>

namespace agt::rt {

std::string TextSource::resolve() const {
  if (json.is_null())
    return "";
  if (json.is_string())
    return json.get<std::string>();
  if (json.contains("secret"))
    return readSecret(json["secret"]);
  if (json.contains("env")) {
    std::string name = json["env"];
    const char *value = std::getenv(name.c_str());
    if (!value)
      throw StepFailure("the variable " + name +
                        " is not set in the environment");
    return value;
  }
  std::string all;
  for (const Json &part : json.at("parts"))
    all += TextSource(part).resolve();
  return all;
}

bool TextSource::isSecret() const {
  if (!json.is_object())
    return false;
  if (json.contains("secret"))
    return true;
  auto parts = json.find("parts");
  return parts != json.end() &&
         std::any_of(parts->begin(), parts->end(), [](const Json &part) {
           return TextSource(part).isSecret();
         });
}

int64_t Retry::delay(int64_t n) const {
  static std::mutex mutex;
  static std::mt19937_64 random{std::random_device()()};
  int64_t bound = base;
  for (int64_t i = 1; i < n && bound < max; ++i)
    bound *= 2;
  bound = std::max<int64_t>(std::min(bound, max), 1);
  if (FailPoint::isOff("jitter"))
    return bound;
  std::lock_guard<std::mutex> held(mutex);
  return std::uniform_int_distribution<int64_t>(1, bound)(random);
}

static Retry readRetry(const Json &json) {
  Retry retry;
  auto found = json.find("retry");
  if (found == json.end())
    return retry;
  retry.attempts = found->at("attempts");
  retry.base = found->value("base", retry.base);
  retry.max = found->value("max", std::max(retry.max, retry.base));
  return retry;
}

static LimitDecl readLimit(const Json &json) {
  auto found = json.find("limit");
  if (found == json.end())
    return {};
  return {found->value("calls", int64_t(0)), found->value("per", int64_t(0)),
          found->value("concurrent", int64_t(0))};
}

static std::vector<ParamDecl> readParams(const Json &json) {
  std::vector<ParamDecl> params;
  if (json.contains("params"))
    for (const Json &param : json["params"])
      params.push_back(
          {param.at("name"), param.value("doc", ""), param.at("type")});
  return params;
}

static TextSource textSource(const Json &json, const char *key) {
  auto found = json.find(key);
  return found == json.end() ? TextSource() : TextSource(*found);
}

template <typename T>
static std::optional<T> given(const Json &json, const char *key) {
  auto found = json.find(key);
  if (found == json.end())
    return std::nullopt;
  return found->get<T>();
}

static std::vector<std::pair<std::string, TextSource>>
namedTexts(const Json &json, const char *key) {
  std::vector<std::pair<std::string, TextSource>> all;
  if (json.contains(key))
    for (const Json &entry : json[key])
      all.emplace_back(entry.at(0).get<std::string>(), TextSource(entry.at(1)));
  return all;
}

static SandboxDecl readSandbox(const Json &json) {
  SandboxDecl box;
  box.untrusted = json.value("untrusted", false);
  box.network = json.value("network", "none") == "host";
  box.read = json.value("read", std::vector<std::string>());
  box.write = json.value("write", std::vector<std::string>());
  box.env = namedTexts(json, "env");
  box.memory = given<int64_t>(json, "memory");
  box.cpu = given<int64_t>(json, "cpu");
  box.processes = json.value("processes", box.processes);
  box.files = json.value("files", box.files);
  return box;
}

static EffectClass effectNamed(const std::string &name) {
  if (name == "pure")
    return EffectClass::Pure;
  if (name == "idempotent")
    return EffectClass::Idempotent;
  if (name == "reconcile")
    return EffectClass::Reconcile;
  return EffectClass::Once;
}

static ServerDecl readServer(const Json &json) {
  ServerDecl server;
  server.name = json.at("name");
  if (json.contains("command"))
    for (const Json &word : json["command"])
      server.command.emplace_back(word);
  server.url = textSource(json, "url");
  server.headers = namedTexts(json, "headers");
  if (json.contains("sandbox"))
    server.sandbox = readSandbox(json["sandbox"]);
  return server;
}

static ToolDecl readTool(const Json &json) {
  ToolDecl tool;
  tool.name = json.at("name");
  tool.modelName = tool.name;
  std::replace(tool.modelName.begin(), tool.modelName.end(), '.', '_');
  tool.doc = json.value("doc", "");
  tool.kind = json.at("kind");
  tool.params = readParams(json);
  tool.result = json.at("result");
  tool.effect = effectNamed(json.at("effect"));
  tool.reconcile = json.value("reconcile", tool.reconcile);
  tool.settle = json.value("settle", tool.settle);
  tool.timeout = json.value("timeout", tool.timeout);
  constexpr int64_t byDefault = 4; // times `timeout`
  tool.longest = json.value("longest", tool.timeout > INT64_MAX / byDefault
                                           ? tool.timeout
                                           : tool.timeout * byDefault);
  tool.retry = readRetry(json);
  tool.limit = readLimit(json);
  tool.stdinJson = json.value("stdin", "") == "json";
  tool.method = json.value("method", "");
  if (json.contains("sandbox"))
    tool.sandbox = readSandbox(json["sandbox"]);
  return tool;
}

static LlmDecl readLlm(const Json &json) {
  LlmDecl llm;
  llm.name = json.at("name");
  llm.kind = json.at("kind");
  llm.file = json.value("file", "");
  llm.graph = json.value("graph", "");
  llm.model = textSource(json, "model");
  llm.endpoint = textSource(json, "endpoint");
  llm.key = textSource(json, "key");
  llm.timeout = json.value("timeout", llm.timeout);
  llm.retry = readRetry(json);
  llm.limit = readLimit(json);
  return llm;
}

// The server of a tool of kind mcp, which every one of its tools describes.
static void placeTool(ToolDecl &tool, const Json &json,
                      std::vector<ServerDecl> &servers) {
  if (tool.kind != "mcp")
    return;
  ServerDecl server = readServer(json.at("server"));
  tool.listedAs = tool.name.substr(server.name.size() + 1);
  auto same = [&](const ServerDecl &other) {
    return other.name == server.name;
  };
  auto found = std::find_if(servers.begin(), servers.end(), same);
  tool.server = uint32_t(found - servers.begin());
  if (found == servers.end())
    servers.push_back(std::move(server));
}

static AgentDecl readAgent(const Json &json) {
  AgentDecl agent;
  agent.name = json.at("name");
  agent.doc = json.value("doc", "");
  agent.params = readParams(json);
  agent.result = json.at("result");
  agent.attempts = json.value("attempts", int64_t(0));
  if (json.contains("budget")) {
    const Json &budget = json["budget"];
    agent.budget = {
        given<int64_t>(budget, "tokens"), given<int64_t>(budget, "steps"),
        given<int64_t>(budget, "wall"), given<double>(budget, "usd")};
  }
  return agent;
}

AgentProgram::~AgentProgram() = default;

AgentProgram::AgentProgram(const agt_program *program, const agt_agents &agents)
    : program(program), code(agents), mcp(std::make_unique<McpServers>(*this)) {
  try {
    if (program && program->manifest)
      hash = Json::parse(program->manifest).value("hash", "");
    Json json = Json::parse(agents.declarations);
    types = std::make_unique<Types>(json.at("types"));
    if (json.contains("llms"))
      for (const Json &llm : json["llms"])
        llms.push_back(readLlm(llm));
    if (json.contains("tools"))
      for (const Json &tool : json["tools"]) {
        tools.push_back(readTool(tool));
        placeTool(tools.back(), tool, servers);
      }
    for (const Json &agent : json.at("agents")) {
      this->agents.push_back(readAgent(agent));
      for (const std::string &name :
           agent.value("servers", std::vector<std::string>()))
        for (size_t i = 0; i < servers.size(); ++i)
          if (servers[i].name == name)
            this->agents.back().servers.push_back(uint32_t(i));
    }
    secrets = json.value("secrets", secrets);
  } catch (const Json::exception &error) {
    fail(AGT_FAILED, std::string("the program's declarations are damaged: ") +
                         error.what());
  }
  if (tools.size() != agents.n_tools || this->agents.size() != agents.n_agents)
    fail(AGT_FAILED, "the program's declarations are damaged: they differ "
                     "from the program's functions");
}

const AgentDecl *AgentProgram::agent(const std::string &name) const {
  auto found = std::find_if(agents.begin(), agents.end(),
                            [&](const AgentDecl &a) { return a.name == name; });
  return found == agents.end() ? nullptr : &*found;
}

} // namespace agt::rt
