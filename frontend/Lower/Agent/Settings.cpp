// What the runtime is told of models, tools and agents, as attributes of the
// shape that docs/Agents.md gives the JSON.
#include "frontend/Lower/Agent/AgentLowering.h"

using namespace agt;
using namespace agt::sema::agents;
using namespace mlir;

namespace {
/// A dictionary under construction.
class Settings {
public:
  explicit Settings(Builder &builder) : builder(builder) {}

  Settings &add(llvm::StringRef name, Attribute value) {
    entries.push_back(builder.getNamedAttr(name, value));
    return *this;
  }
  Settings &add(llvm::StringRef name, int64_t value) {
    return add(name, builder.getI64IntegerAttr(value));
  }
  Settings &add(llvm::StringRef name, llvm::StringRef value) {
    return add(name, Attribute(builder.getStringAttr(value)));
  }
  template <typename T>
  Settings &add(llvm::StringRef name, const std::optional<T> &value) {
    return value ? add(name, *value) : *this;
  }
  DictionaryAttr get() { return builder.getDictionaryAttr(entries); }
  bool empty() const { return entries.empty(); }

private:
  Builder &builder;
  llvm::SmallVector<NamedAttribute> entries;
};
} // namespace

Attribute AgentLowering::text(const Text &text) {
  llvm::SmallVector<Attribute> parts;
  for (const TextPart &part : text) {
    if (part.kind == TextPart::Constant)
      parts.push_back(builder.getStringAttr(part.text));
    else
      parts.push_back(
          Settings(builder)
              .add(part.kind == TextPart::Env ? "env" : "secret", part.text)
              .get());
  }
  if (parts.size() == 1)
    return parts.front();
  if (parts.empty())
    return builder.getStringAttr("");
  return Settings(builder)
      .add("parts", Attribute(builder.getArrayAttr(parts)))
      .get();
}

DictionaryAttr AgentLowering::retry(int64_t attempts, int64_t base,
                                    int64_t max) {
  return Settings(builder)
      .add("attempts", attempts)
      .add("base", base)
      .add("max", max)
      .get();
}

// Empty where there is none.
static Settings limitOf(OpBuilder &builder, const CallLimit &limit) {
  Settings settings(builder);
  if (limit.calls > 0)
    settings.add("calls", limit.calls).add("per", limit.nanoseconds);
  if (limit.concurrent > 0)
    settings.add("concurrent", limit.concurrent);
  return settings;
}

void AgentLowering::lowerLlm(const LlmInfo &llm) {
  Settings settings(builder);
  if (llm.provider == "mock") {
    settings.add("file", llm.file);
  } else {
    settings.add("model", text(llm.model)).add("endpoint", text(llm.endpoint));
    if (!llm.key.empty())
      settings.add("key", text(llm.key));
    settings.add("timeout", llm.timeoutNanoseconds)
        .add("retry",
             Attribute(retry(llm.retries, 500'000'000, 30'000'000'000)));
    if (Settings shared = limitOf(builder, llm.limit); !shared.empty())
      settings.add("limit", Attribute(shared.get()));
  }
  LlmOp::create(builder, locations.get(llm.decl->name.range),
                llm.decl->name.text, llm.provider, settings.get());
}

DictionaryAttr AgentLowering::sandbox(const Sandbox &sandbox) {
  Settings settings(builder);
  if (sandbox.untrusted)
    settings.add("untrusted", Attribute(builder.getBoolAttr(true)));
  if (sandbox.hostNetwork)
    settings.add("network", llvm::StringRef("host"));
  auto paths = [&](llvm::StringRef name, const std::vector<std::string> &list) {
    llvm::SmallVector<llvm::StringRef> refs(list.begin(), list.end());
    if (!refs.empty())
      settings.add(name, Attribute(builder.getStrArrayAttr(refs)));
  };
  paths("read", sandbox.read);
  paths("write", sandbox.write);
  llvm::SmallVector<Attribute> env;
  for (const auto &[name, value] : sandbox.env)
    env.push_back(
        builder.getArrayAttr({builder.getStringAttr(name), text(value)}));
  if (!env.empty())
    settings.add("env", Attribute(builder.getArrayAttr(env)));
  settings.add("memory", sandbox.memoryBytes)
      .add("cpu", sandbox.cpuNanoseconds)
      .add("processes", sandbox.processes)
      .add("files", sandbox.fileBytes);
  return settings.get();
}

DictionaryAttr AgentLowering::server(const McpServer &server) {
  Settings settings(builder);
  settings.add("name", server.decl->name.text);
  llvm::SmallVector<Attribute> list;
  for (const Text &word : server.command)
    list.push_back(text(word));
  if (!list.empty())
    settings.add("command", Attribute(builder.getArrayAttr(list)));
  if (!server.url.empty())
    settings.add("url", text(server.url));
  list.clear();
  for (const auto &[name, value] : server.headers)
    list.push_back(
        builder.getArrayAttr({builder.getStringAttr(name), text(value)}));
  if (!list.empty())
    settings.add("headers", Attribute(builder.getArrayAttr(list)));
  if (server.sandbox)
    settings.add("sandbox", Attribute(sandbox(*server.sandbox)));
  return settings.get();
}

DictionaryAttr AgentLowering::toolSettings(const ToolInfo &tool) {
  Settings settings(builder);
  if (tool.reconciler)
    settings
        .add("reconcile", Attribute(FlatSymbolRefAttr::get(
                              builder.getContext(), tool.reconciler->name)))
        .add("settle", tool.settleNanoseconds);
  settings.add("timeout", tool.timeoutNanoseconds)
      .add("longest", tool.longestNanoseconds);
  if (tool.server)
    settings.add("server", Attribute(server(*tool.server)));
  if (tool.retries > 0)
    settings.add("retry", Attribute(retry(tool.retries, tool.backoffNanoseconds,
                                          tool.maxBackoffNanoseconds)));
  if (Settings shared = limitOf(builder, tool.limit); !shared.empty())
    settings.add("limit", Attribute(shared.get()));
  if (tool.stdinJson)
    settings.add("stdin", llvm::StringRef("json"));
  if (!tool.method.empty())
    settings.add("method", tool.method);
  if (tool.sandbox)
    settings.add("sandbox", Attribute(sandbox(*tool.sandbox)));
  return settings.get();
}

DictionaryAttr AgentLowering::agentSettings(const AgentInfo &agent) {
  Settings settings(builder), budget(builder);
  budget.add("tokens", agent.budget.tokens.value)
      .add("steps", agent.budget.steps.value)
      .add("wall", agent.budget.wallNanoseconds.value);
  if (agent.budget.usd.value)
    budget.add("usd",
               Attribute(builder.getF64FloatAttr(*agent.budget.usd.value)));
  if (!budget.empty())
    settings.add("budget", Attribute(budget.get()));
  settings.add("attempts", agent.attempts);
  llvm::SmallVector<llvm::StringRef> servers;
  for (const McpServer *server : agent.servers)
    servers.push_back(server->decl->name.text);
  if (!servers.empty())
    settings.add("servers", Attribute(builder.getStrArrayAttr(servers)));
  return settings.empty() ? DictionaryAttr() : settings.get();
}
