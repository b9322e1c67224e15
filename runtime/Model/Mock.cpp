// The scripted model: a file of entries, the first that matches and is not
// used up answers. How often an entry was used is kept for the run and comes
// back from its log, so that a run that is continued gets the same answers.
#include "runtime/Model/Model.h"
#include "runtime/Support/File.h"
#include "runtime/Value/Regex.h"

#include <chrono>
#include <thread>

namespace agt::rt {

static Json readScript(const std::string &file) {
  try {
    MappedFile mapped(file);
    Json json = parseJson(
        {reinterpret_cast<const char *>(mapped.data()), mapped.size()});
    if (!json.is_array())
      throw StepFailure("expected a list of entries");
    for (const Json &entry : json)
      if (!entry.is_object() ||
          (!entry.contains("reply") && !entry.contains("error")))
        throw StepFailure("expected entries with a 'reply' or an 'error'");
    return json;
  } catch (StepFailure &failure) {
    fail(AGT_BAD_INPUT, "the mock's file '" + file + "': " + failure.message);
  }
}

static const std::string *lastOf(const ModelRequest &request,
                                 const char *role) {
  for (size_t i = request.messages.size(); i-- > 0;)
    if (request.messages[i].role == role)
      return &request.messages[i].text;
  return nullptr;
}

static bool matches(const Json &entry, const ModelRequest &request) {
  auto match = entry.find("match");
  if (match == entry.end())
    return true;
  for (const char *role : {"system", "user"}) {
    auto pattern = match->find(role);
    if (pattern == match->end())
      continue;
    const std::string *text = lastOf(request, role);
    if (!Regex(pattern->get<std::string>())
             .matches(text ? *text : std::string_view()))
      return false;
  }
  return true;
}

// The number of the entry that answers, -1 for none; counts it as used.
static int64_t choose(Execution &run, uint32_t llm, const Json &script,
                      const ModelRequest &request) {
  std::lock_guard<std::mutex> held(run.counts.mutex);
  std::map<size_t, int64_t> &used = run.counts.used[llm];
  for (size_t i = 0; i < script.size(); ++i) {
    bool left = !script[i].contains("times") ||
                used[i] < script[i]["times"].get<int64_t>();
    if (left && matches(script[i], request)) {
      ++used[i];
      return int64_t(i);
    }
  }
  return -1;
}

static void takeReply(ModelReply &reply, const Json &json) {
  reply.finish = "stop";
  if (json.is_object() && json.size() == 1 && json.contains("tool_calls")) {
    reply.finish = "tool_calls";
    for (const Json &call : json["tool_calls"])
      reply.calls.push_back({"call_" + std::to_string(reply.calls.size()),
                             call.at("name"),
                             call.value("arguments", Json::object()).dump()});
    return;
  }
  reply.text = json.is_string() ? json.get<std::string>() : json.dump();
}

static void takeError(ModelReply &reply, const Json &error) {
  if (error == 429) {
    reply.kind = AttemptResult::NotSent;
    reply.error = "answered 429 (too many requests)";
  } else if (error == "cut") {
    reply.error = "was cut off in the middle of its answer";
  } else {
    reply.error = "answered " + error.dump();
  }
}

static void delay(const Json &entry, const CancelToken *cancel) {
  auto end = std::chrono::steady_clock::now() +
             std::chrono::duration<double>(entry.value("delay", 0.0));
  while (std::chrono::steady_clock::now() < end &&
         !(cancel && cancel->cancelled()))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

ModelReply askMock(Execution &run, uint32_t llm, const std::string &file,
                   const ModelRequest &request) {
  Json script = readScript(file);
  ModelReply reply;
  reply.model = "mock";
  reply.entry = choose(run, llm, script, request);
  if (reply.entry < 0) {
    reply.kind = AttemptResult::Definite;
    const std::string *user = lastOf(request, "user");
    const std::string *system = lastOf(request, "system");
    reply.error =
        "has no entry for the prompt" +
        (system ? " with system " + jsonString(*system) : "") +
        (user ? (system ? " and user " : " with user ") + jsonString(*user)
              : "");
    return reply;
  }
  const Json &entry = script[size_t(reply.entry)];
  delay(entry, request.cancel);
  if (entry.contains("error")) {
    takeError(reply, entry["error"]);
    return reply;
  }
  reply.kind = AttemptResult::Done;
  takeReply(reply, entry["reply"]);
  for (const ModelMessage &message : request.messages)
    reply.tokensIn += roughTokens(message.text);
  reply.tokensOut = roughTokens(reply.text);
  for (const ModelToolCall &call : reply.calls)
    reply.tokensOut += roughTokens(call.arguments);
  return reply;
}

} // namespace agt::rt
