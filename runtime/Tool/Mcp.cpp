// Tools of MCP servers: one call, and what its answer means (language.md
// section 4, the row `mcp`).
#include "runtime/Mcp/Client.h"
#include "runtime/Mcp/Schema.h"
#include "runtime/Mcp/Servers.h"
#include "runtime/Tool/Tool.h"

namespace agt::rt {

namespace {

// The texts of an answer's blocks, and the first of its binary data.
struct Content {
  std::string text, data;
  bool hasText = false, hasData = false;
  std::string other; // the kind of a block that is neither
};

std::string stringMember(const Json &block, const char *key) {
  auto found = block.find(key);
  return found != block.end() && found->is_string() ? found->get<std::string>()
                                                    : "";
}

void takeBlock(const Json &block, Content &content) {
  if (!block.is_object())
    throw StepFailure("expected a block of content, got " +
                      block.dump().substr(0, 60));
  std::string kind = stringMember(block, "type");
  const Json *source = &block;
  if (kind == "resource" && block.contains("resource") &&
      block["resource"].is_object())
    source = &block["resource"];
  bool isText =
      kind == "text" || (kind == "resource" && source->contains("text"));
  if (isText) {
    content.text +=
        (content.hasText ? "\n" : "") + stringMember(*source, "text");
    content.hasText = true;
    return;
  }
  content.other = kind;
  const char *key = kind == "resource" ? "blob" : "data";
  if (source->contains(key) && !content.hasData) {
    content.hasData = true;
    if (!fromBase64(stringMember(*source, key), content.data))
      throw StepFailure("a block of content is not base64");
  }
}

Content contentOf(const Json &result) {
  Content content;
  auto blocks = result.find("content");
  if (blocks == result.end() || blocks->is_null())
    return content;
  if (!blocks->is_array())
    throw StepFailure("expected a list of content");
  for (const Json &block : *blocks)
    takeBlock(block, content);
  return content;
}

Value readStructured(agt_scope *scope, uint32_t index, const Json &structured) {
  const Types &types = *scope->strand->run.program.types;
  const Type *type = &types.at(index);
  while (type->kind == TypeKind::Option)
    type = &types.at(type->of);
  // Servers wrap what is no object.
  bool wrapped = type->kind != TypeKind::Record && structured.is_object() &&
                 structured.size() == 1 && structured.contains("result");
  BlobSink sink = blobSink(*scope->strand);
  Reading reading;
  reading.blobs = &sink;
  return types.read(scope->arena(), wrapped ? structured["result"] : structured,
                    index, reading);
}

// What the tool gave as a value of its declared type.
Value readAnswer(agt_scope *scope, const ToolDecl &tool, const Json &result) {
  const Types &types = *scope->strand->run.program.types;
  const Type *type = &types.at(tool.result);
  while (type->kind == TypeKind::Option)
    type = &types.at(type->of);
  Content content = contentOf(result);
  auto structured = result.find("structuredContent");
  bool isStructured = structured != result.end() && !structured->is_null();
  if (type->kind == TypeKind::Bytes && content.hasData)
    return makeBytes(scope->arena(), content.data);
  // A text is what was said, not the form it was also given.
  bool wantsText = type->kind == TypeKind::String ||
                   type->kind == TypeKind::Bytes ||
                   (type->kind == TypeKind::Handle &&
                    types.at(type->of).kind == TypeKind::String);
  if (isStructured && !wantsText)
    return readStructured(scope, tool.result, *structured);
  if (!content.hasText && isStructured)
    content.text = structured->dump();
  else if (!content.hasText && !content.other.empty())
    throw StepFailure("expected " + types.text(tool.result) +
                      ", got content of the type '" + content.other + "'");
  return readOutput(scope, tool.result, content.text);
}

std::string errorOf(const Json &result) {
  try {
    std::string said = excerpt(contentOf(result).text);
    return said.empty() ? "" : ": " + said;
  } catch (const StepFailure &) {
    return "";
  }
}

AttemptResult answered(agt_scope *scope, const ToolDecl &tool,
                       const McpReply &reply) {
  auto failed = [&](const std::string &what) {
    return AttemptResult::failed(AttemptResult::Definite,
                                 "'" + tool.name + "' " + what);
  };
  if (reply.answer.kind == McpMessage::Error)
    return failed(reply.error);
  if (reply.answer.kind == McpMessage::Unreadable)
    return failed("gave no valid answer: " + reply.answer.method);
  const Json &result = reply.answer.body;
  try {
    if (!result.is_object())
      throw StepFailure("expected an object");
    auto error = result.find("isError");
    if (error != result.end() && error->is_boolean() && error->get<bool>())
      return failed("failed" + errorOf(result));
    return AttemptResult::done(readAnswer(scope, tool, result));
  } catch (StepFailure &failure) {
    return failed("gave no valid answer: " + failure.message);
  }
}

} // namespace

AttemptResult performMcp(agt_scope *scope, const ToolDecl &tool,
                         const Attempt &attempt) {
  const AgentProgram &program = scope->strand->run.program;
  for (bool again = false;; again = true) {
    std::shared_ptr<McpClient> client;
    try {
      client = program.mcp->ready(tool.server, attempt.cancel);
    } catch (StepFailure &failure) {
      return AttemptResult::failed(AttemptResult::NotSent, failure.message);
    }
    McpClient::Call call;
    call.tool = tool.listedAs;
    const Json &listed = *client->tool(tool.listedAs);
    call.arguments = fitArguments(
        parseJson(attempt.args),
        listed.contains("inputSchema") ? listed["inputSchema"] : Json());
    call.meta = {{"agt/token", attempt.token},
                 {"agt/run", scope->strand->run.run.id},
                 {"agt/step", attempt.path},
                 {"agt/attempt", attempt.number}};
    call.longestNs = attempt.timeout;
    call.idleNs = std::min(tool.timeout, attempt.timeout);
    call.cancel = attempt.cancel;
    if (attempt.isLate()) // the server may have taken long to be there
      return AttemptResult::failed(AttemptResult::NotSent,
                                   "'" + tool.name +
                                       "' was announced too long ago");
    McpReply reply = client->call(call);
    AttemptResult::Kind kind = AttemptResult::Unknown;
    switch (reply.kind) {
    case McpReply::Answered:
      return answered(scope, tool, reply);
    case McpReply::Expired: // the next session is asked at once, once
      if (!again)
        continue;
      kind = AttemptResult::NotSent;
      break;
    case McpReply::NotSent:
      kind = AttemptResult::NotSent;
      break;
    case McpReply::Refused:
      kind = AttemptResult::Definite;
      break;
    default:
      break;
    }
    AttemptResult result =
        AttemptResult::failed(kind, "'" + tool.name + "' " + reply.error);
    result.retryAfter = reply.retryAfterNs;
    return result;
  }
}

} // namespace agt::rt
