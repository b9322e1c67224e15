// See Tool.h: what all kinds of tools share.
#include "runtime/Tool/Tool.h"

#include "runtime/Log/Token.h"
#include "runtime/Mcp/Servers.h"
#include "runtime/Telemetry/StepNote.h"
#include "runtime/Tool/Limit.h"
#include "runtime/Tool/Process.h"

#include <algorithm>

namespace agt::rt {

std::string namedArguments(const ToolDecl &tool,
                           const std::vector<Value> &args) {
  std::vector<std::string> names;
  for (const ParamDecl &param : tool.params)
    names.push_back(param.name);
  Shape shape(names);
  Arena arena;
  return canonicalJson(makeRecord(arena, shape, args));
}

bool isOutputRecord(const Type &type) {
  return type.kind == TypeKind::Record && type.name == "Output" &&
         type.shape->names ==
             std::vector<std::string>{"ok", "exit", "stdout", "stderr"};
}

std::string excerpt(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos)
    return "";
  std::string part = text.substr(begin, 300);
  part.erase(part.find_last_not_of(" \t\r\n") + 1);
  size_t bad;
  while ((bad = findInvalidUtf8(part)) != std::string::npos)
    part.replace(bad, 1, "?");
  return text.size() > begin + 300 ? part + "..." : part;
}

BlobSink blobSink(Strand &strand) {
  return [&strand](const std::string &content) {
    std::string id = sha256Hex(content);
    strand.keepBlob({id, content});
    return id;
  };
}

static void checkUtf8(const std::string &text) {
  size_t bad = findInvalidUtf8(text);
  if (bad != std::string::npos)
    throw StepFailure("the output is not UTF-8, at byte " +
                      std::to_string(bad));
}

Value readOutput(agt_scope *scope, uint32_t index, const std::string &output) {
  const Types &types = *scope->strand->run.program.types;
  const Type &type = types.at(index);
  bool empty = output.find_first_not_of(" \t\r\n") == std::string::npos;
  if (type.kind == TypeKind::Option)
    return empty ? nullptr : readOutput(scope, type.of, output);
  if (type.kind == TypeKind::Bytes)
    return makeBytes(scope->arena(), output);
  bool handleOfText = type.kind == TypeKind::Handle &&
                      types.at(type.of).kind == TypeKind::String;
  BlobSink sink = blobSink(*scope->strand);
  if (type.kind == TypeKind::String || handleOfText) {
    std::string text = output;
    if (!text.empty() && text.back() == '\n')
      text.pop_back();
    checkUtf8(text);
    if (type.kind == TypeKind::String)
      return makeString(scope->arena(), text);
    std::string content = jsonString(text);
    return makeHandle(scope->arena(), sink(content), int64_t(content.size()));
  }
  if (empty)
    throw StepFailure("expected " + types.text(index) + ", got no output");
  Reading reading;
  reading.blobs = &sink;
  return types.read(scope->arena(), parseJson(output), index, reading);
}

Value toolRequest(agt_scope *scope, uint32_t index,
                  const std::vector<Value> &args, const Attempt &attempt) {
  std::vector<Value> all = args;
  all.push_back(makeString(scope->arena(), attempt.token));
  Value request = nullptr;
  agt_agent_fn function = scope->strand->run.program.code.tools[index].request;
  if (function(scope, all.data(), &request) != AGT_STEP_OK) {
    throw StepFailure(scope->strand->takeFailure());
  }
  return request;
}

AttemptResult performTool(agt_scope *scope, uint32_t index,
                          const std::vector<Value> &args,
                          const Attempt &attempt) {
  const ToolDecl &tool = scope->strand->run.program.tools[index];
  {
    CallCounts &counts = scope->strand->run.counts;
    std::lock_guard<std::mutex> held(counts.mutex);
    ++counts.calls[{AGT_WITH_TOOL, index}];
  }
  try {
    if (tool.kind == "exec")
      return performExec(scope, tool, index, args, attempt);
    if (tool.kind == "http")
      return performHttp(scope, tool, index, args, attempt);
    if (tool.kind == "mcp")
      return performMcp(scope, tool, attempt);
  } catch (StepFailure &failure) { // a request that cannot be formed
    return AttemptResult::failed(AttemptResult::Definite, failure.message);
  }
  fail(AGT_MISSING, "the tool '" + tool.name + "' is of the kind '" +
                        tool.kind + "', which this program cannot call");
}

// Asks F as often as F's own `retry` allows.
static Found askReconcile(agt_scope *scope, uint32_t index,
                          const std::vector<Value> &args,
                          const Attempt &attempt) {
  const AgentProgram &program = scope->strand->run.program;
  uint32_t asked = program.tools[index].reconcile;
  const ToolDecl &question = program.tools[asked];
  std::vector<Value> all = args;
  all.push_back(makeString(scope->arena(), attempt.token));
  Value list = nullptr;
  if (program.code.tools[index].reconcile(scope, all.data(), &list) !=
      AGT_STEP_OK)
    return {Found::CannotTell, nullptr, scope->strand->takeFailure()};
  std::vector<Value> arguments(list->elements, list->elements + list->count);
  for (int64_t n = 1;; ++n) {
    Attempt call = attempt;
    call.args = namedArguments(question, arguments);
    call.timeout = question.longestTime();
    call.number = n;
    LimitSlot slot(scope->strand->run.log, question, *attempt.cancel);
    AttemptResult result = performTool(scope, asked, arguments, call);
    if (result.kind == AttemptResult::Done)
      return {result.value ? Found::Yes : Found::No, result.value, ""};
    if (n > question.retry.attempts || attempt.cancel->cancelled())
      return {Found::CannotTell, nullptr,
              "the tool '" + question.name + "' failed: " + result.error};
    pauseStrand(*scope->strand, question.retry.delay(n));
  }
}

std::string callGuard(const std::string &owner, const std::string &token) {
  return sha256Hex("call " + token + " " + owner);
}

Value callTool(agt_scope *scope, const agt_site &site, uint32_t index,
               const std::vector<Value> &args) {
  Execution &run = scope->strand->run;
  const ToolDecl &tool = run.program.tools[index];
  Effect effect;
  effect.noun = "the tool '" + tool.name + "'";
  effect.effect = tool.effect;
  effect.retry = tool.retry;
  effect.timeout = tool.longestTime();
  effect.type = tool.result;
  const ServerDecl *server =
      tool.kind == "mcp" ? &run.program.servers[tool.server] : nullptr;
  effect.endsWithProcess = server ? !server->url.given() : tool.kind == "exec";
  effect.settle = tool.settle;
  if (run.trace)
    effect.note = noteOfTool(tool);
  bool limited = tool.limit.given();
  std::string notReady; // why an MCP server is not
  auto admit = [&](const Attempt &attempt) -> std::shared_ptr<void> {
    notReady.clear();
    if (server)
      try { // its start is no part of the call's time
        run.program.mcp->ready(tool.server, attempt.cancel);
      } catch (StepFailure &failure) {
        notReady = failure.message;
        return nullptr;
      }
    if (!limited)
      return nullptr;
    return std::make_shared<LimitSlot>(run.log, tool, *attempt.cancel);
  };
  if (server || limited)
    effect.admit = admit;
  effect.perform = [&](const Attempt &attempt) {
    return notReady.empty()
               ? performTool(scope, index, args, attempt)
               : AttemptResult::failed(AttemptResult::NotSent, notReady);
  };
  effect.reconcile = [&](const Attempt &attempt) {
    return askReconcile(scope, index, args, attempt);
  };
  effect.awaitEnd = [&](const PastStep &past) {
    awaitGuard(server ? serverGuard(past.owner, server->name)
                      : callGuard(past.owner, past.token),
               [&] { return scope->strand->cancel.cancelled(); });
  };
  return runEffect(scope, site, namedArguments(tool, args), effect);
}

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_step_tool(agt_scope *scope, const agt_site *site, uint32_t tool,
                      const agt_value *const *args, const agt_value **result) {
  return guardSite(scope, site, [&](const agt_site &at) {
    size_t n = scope->strand->run.program.tools[tool].params.size();
    *result = callTool(scope, at, tool, std::vector<Value>(args, args + n));
  });
}
