// See EventJson.h.
#include "runtime/Log/EventJson.h"

#include "runtime/Log/Token.h"
#include "runtime/Value/Value.h"

namespace agt::rt {

static constexpr size_t largeText = 1 << 20; // as the log keeps them apart

void putJson(std::string &object, const char *key, const std::string &json) {
  if (json.empty())
    return;
  object += (object.size() > 1 ? ",\"" : "\"") + std::string(key) + "\":";
  if (json.size() <= largeText)
    object += json;
  else
    object += "{\"handle\":" + jsonString(sha256Hex(json)) +
              ",\"bytes\":" + std::to_string(json.size()) + "}";
}

void putText(std::string &object, const char *key, const std::string &text) {
  if (!text.empty())
    putJson(object, key, jsonString(text));
}

std::string eventJson(const Event &event) {
  std::string out = "{";
  putJson(out, "seq", std::to_string(event.seq));
  putText(out, "time", wallText(event.timeMs));
  putText(out, "run", event.run);
  putText(out, "path", event.path);
  if (event.attempt)
    putJson(out, "attempt", std::to_string(event.attempt));
  putJson(out, "epoch", std::to_string(event.epoch));
  putText(out, "kind", eventKindName(event.kind));
  putText(out, "token", event.token);
  putJson(out, "args", event.args);
  putJson(out, "result", event.result);
  putText(out, "error", event.error);
  if (event.tokensIn >= 0)
    putJson(out, "tokens_in", std::to_string(event.tokensIn));
  if (event.tokensOut >= 0)
    putJson(out, "tokens_out", std::to_string(event.tokensOut));
  return out + "}";
}

std::string statusText(const RunRow &run) {
  return run.status == RunStatus::Running && !run.owned
             ? "interrupted"
             : runStatusName(run.status);
}

} // namespace agt::rt
