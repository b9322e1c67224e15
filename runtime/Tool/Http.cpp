// HTTP tools: one request, and what its answer means (language.md section 4).
#include "runtime/Http/Http.h"
#include "runtime/Agent/Secrets.h"
#include "runtime/Support/Text.h"
#include "runtime/Tool/Tool.h"

namespace agt::rt {

static HttpRequest requestOf(agt_scope *scope, const ToolDecl &tool,
                             uint32_t index, const std::vector<Value> &args,
                             const Attempt &attempt) {
  Value made = toolRequest(scope, index, args, attempt);
  HttpRequest request;
  request.method = tool.method;
  request.url = textOf(made->elements[0]);
  request.timeoutNs = attempt.timeout;
  request.cancel = attempt.cancel;
  if (attempt.startByBootNs)
    request.mayBegin = [&attempt] { return !attempt.isLate(); };
  bool typed = false;
  if (Value list = made->elements[2])
    for (uint64_t i = 0; i < list->count; ++i) {
      Value pair = list->elements[i];
      request.headers.emplace_back(textOf(pair->elements[0]),
                                   textOf(pair->elements[1]));
      std::string name = request.headers.back().first;
      for (char &letter : name)
        letter = char(std::tolower((unsigned char)letter));
      typed |= name == "content-type";
    }
  if (Value body = made->elements[1]) {
    request.hasBody = true;
    bool raw = body->kind == AGT_BYTES || isString(body);
    request.body = raw ? std::string(textOf(body)) : canonicalJson(body);
    if (!typed)
      request.headers.emplace_back(
          "Content-Type", body->kind == AGT_BYTES ? "application/octet-stream"
                          : raw                   ? "text/plain; charset=utf-8"
                                                  : "application/json");
  }
  return request;
}

AttemptResult performHttp(agt_scope *scope, const ToolDecl &tool,
                          uint32_t index, const std::vector<Value> &args,
                          const Attempt &attempt) {
  HttpRequest request = requestOf(scope, tool, index, args, attempt);
  HttpReply reply = httpRequest(request);
  auto failed = [&](AttemptResult::Kind kind, const std::string &what) {
    AttemptResult result =
        AttemptResult::failed(kind, "'" + tool.name + "' " + what);
    result.retryAfter = reply.retryAfterNs;
    return result;
  };
  switch (reply.kind) {
  case HttpReply::NotConnected:
    return failed(AttemptResult::NotSent, "made no connection: " + reply.error);
  case HttpReply::Lost:
    return failed(AttemptResult::Unknown,
                  "got no whole answer: " + reply.error);
  case HttpReply::TimedOut:
    return failed(AttemptResult::Unknown,
                  "got no answer within " +
                      secondsText(double(attempt.timeout) / 1e9));
  case HttpReply::Cancelled:
    return failed(AttemptResult::Unknown, "was cancelled");
  case HttpReply::Answered:
    break;
  }
  std::string said = excerpt(reply.body);
  std::string behind = said.empty() ? "" : ": " + said;
  std::string answered = "was answered " + std::to_string(reply.status);
  if (reply.status == 429)
    return failed(AttemptResult::NotSent, answered + behind);
  if (reply.status >= 500 || reply.status == 408)
    return failed(AttemptResult::Unknown, answered + behind);
  if (reply.status / 100 != 2)
    return failed(AttemptResult::Definite, answered + behind);
  if (reply.bodyBytes > reply.body.size())
    return failed(AttemptResult::Definite,
                  answered + " with " + bytesText(reply.bodyBytes) +
                      ", more than the 8 MiB that are kept");
  try {
    return AttemptResult::done(readOutput(scope, tool.result, reply.body));
  } catch (StepFailure &failure) {
    return failed(AttemptResult::Definite,
                  answered + ", but not validly: " + failure.message);
  }
}

} // namespace agt::rt
