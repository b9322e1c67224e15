// See Api.h.
#include "runtime/Ui/Api.h"

#include "runtime/Agent/Answers.h"
#include "runtime/Log/EventJson.h"
#include "runtime/Ui/RunJson.h"
#include "runtime/Value/Value.h"
#include "runtime/Web/Guard.h"

#include <algorithm>
#include <cstdlib>

namespace agt::rt {

namespace {

constexpr size_t mostRuns = 200, mostEvents = 1000;
constexpr int64_t beatNs = 15'000'000'000; // a word for readers and proxies
constexpr int64_t look = 250'000'000;      // whether the reader is still there

WebReply jsonReply(std::string body) {
  WebReply reply;
  reply.type = "application/json";
  reply.body = std::move(body) + "\n";
  return reply;
}

WebReply failureReply(const Failure &failure, int status = 0) {
  if (!status)
    status = failure.code == AGT_BAD_INPUT ? 400
             : failure.code == AGT_WAITING ? 409
             : failure.code == AGT_MISSING ? 503
                                           : 500;
  return errorReply(status, failure.message);
}

WebReply streamReply(std::function<void(const WebSink &)> stream) {
  WebReply reply;
  reply.type = "text/event-stream";
  reply.stream = std::move(stream);
  return reply;
}

bool wantsStream(const WebRequest &request) {
  return request.header("accept").find("text/event-stream") !=
         std::string::npos;
}

int64_t numberOf(const WebRequest &request, const char *name,
                 int64_t otherwise) {
  std::string text = request.parameter(name);
  if (text.empty())
    return otherwise;
  if (text.size() > 18 ||
      text.find_first_not_of("0123456789") != std::string::npos)
    fail(AGT_BAD_INPUT, "expected '" + std::string(name) +
                            "' as a number of at most 18 digits, got '" + text +
                            "'");
  return std::atoll(text.c_str());
}

// A member of a request's body that has to be a text.
std::string needText(const Json &body, const char *name) {
  auto found = body.find(name);
  if (found == body.end() || !found->is_string())
    fail(AGT_BAD_INPUT,
         "expected a member '" + std::string(name) + "' that is a text");
  return found->get<std::string>();
}

std::string textOr(const Json &body, const char *name) {
  return body.contains(name) ? needText(body, name) : "";
}

Json needObject(const std::string &text) {
  try {
    Json body = parseJson(text);
    if (body.is_object())
      return body;
  } catch (const StepFailure &failure) {
    fail(AGT_BAD_INPUT, "the body is " + failure.message);
  }
  fail(AGT_BAD_INPUT, "expected a JSON object as the body");
}

void checkMembers(const Json &body, const std::vector<std::string> &known) {
  for (const auto &entry : body.items())
    if (std::find(known.begin(), known.end(), entry.key()) == known.end())
      fail(AGT_BAD_INPUT,
           "the body has an unknown member '" + entry.key() + "'");
}

std::vector<std::string> partsOf(const std::string &path) {
  std::vector<std::string> parts;
  for (size_t at = 1; at <= path.size();) {
    size_t end = std::min(path.find('/', at), path.size());
    std::string part;
    if (!decodePercent(std::string_view(path).substr(at, end - at), part) ||
        findInvalidUtf8(part) != std::string::npos ||
        part.find('\0') != std::string::npos)
      fail(AGT_BAD_INPUT, "the path is not percent-encoded UTF-8");
    parts.push_back(part);
    at = end + 1;
  }
  return parts;
}

std::string eventOf(const std::string &name, const std::string &data) {
  return "event: " + name + "\ndata: " + data + "\n\n";
}

} // namespace

WebReply Api::answer(const WebRequest &request) {
  try {
    return route(request);
  } catch (const NotThere &failure) {
    return failureReply(failure, 404);
  } catch (const Overtaken &failure) {
    return failureReply(failure, 409);
  } catch (const Failure &failure) {
    return failureReply(failure);
  } catch (const StepFailure &failure) {
    return errorReply(500, failure.message);
  }
}

WebReply Api::route(const WebRequest &request) {
  std::vector<std::string> parts = partsOf(request.path);
  bool reads = request.method != "POST";
  if (parts.size() == 2 && parts[1] == "program" && reads)
    return about();
  if (parts.size() < 2 || parts[1] != "runs" || parts.size() > 5)
    return errorReply(404, "there is no '" + request.path + "'");
  if (parts.size() == 2 && reads)
    return wantsStream(request) ? liveRuns() : runs(request);
  if (parts.size() == 3 && reads)
    return run(parts[2], request);
  if (parts.size() == 4 && parts[3] == "events" && reads)
    return events(parts[2], request);
  if (parts.size() == 5 && parts[3] == "values" && reads)
    return value(parts[2], parts[4]);
  const std::vector<std::string> actions = {"approve", "resolve", "cancel",
                                            "signal"};
  bool acts = parts.size() == 4 && std::find(actions.begin(), actions.end(),
                                             parts[3]) != actions.end();
  if (acts && !reads)
    return act(parts[2], parts[3], request);
  if (!acts && reads)
    return errorReply(404, "there is no '" + request.path + "'");
  return errorReply(405, "expected " + std::string(acts ? "POST" : "GET") +
                             " for '" + request.path + "', got " +
                             request.method);
}

WebReply Api::about() {
  std::string out = "{";
  putText(out, "program", title);
  putText(out, "hash", program.hash);
  Json agents = Json::array();
  for (const AgentDecl &agent : program.agents)
    agents.push_back(agent.name);
  putJson(out, "agents", agents.dump());
  putText(out, "db", access.name());
  return jsonReply(out + "}");
}

WebReply Api::runs(const WebRequest &request) {
  RunQuery query;
  query.agent = request.parameter("agent");
  std::string state = request.parameter("state");
  if (!state.empty()) {
    query.status = runStatusNamed(state);
    if (!query.status)
      fail(AGT_BAD_INPUT, "no run is '" + state +
                              "', expected queued, running, waiting, parked, "
                              "done, failed or cancelled");
  }
  // Where the last page ended: MS.ID.
  std::string before = request.parameter("before");
  if (!before.empty()) {
    size_t point = before.find('.');
    if (point == 0 || point > 15 ||
        before.find_first_not_of("0123456789") != point)
      fail(AGT_BAD_INPUT,
           "expected 'before' as a list's 'next', got '" + before + "'");
    query.beforeMs = std::atoll(before.c_str());
    query.beforeId = before.substr(point + 1);
  }
  if (findInvalidUtf8(query.agent + query.beforeId) != std::string::npos ||
      (query.agent + query.beforeId).find('\0') != std::string::npos)
    fail(AGT_BAD_INPUT, "a parameter is not UTF-8");
  size_t most = size_t(std::clamp<int64_t>(numberOf(request, "limit", 50), 1,
                                           int64_t(mostRuns)));
  query.most = most + 1;
  std::vector<RunSummary> page = access.log()->page(query);
  bool more = page.size() > most;
  page.resize(std::min(page.size(), most));
  std::string list, out = "{";
  for (const RunSummary &summary : page)
    list += (list.empty() ? "" : ",") + runJson(summary);
  out += "\"runs\":[" + list + "]";
  if (more)
    putText(out, "next",
            std::to_string(page.back().run.createdMs) + "." +
                page.back().run.id);
  return jsonReply(out + "}");
}

WebReply Api::run(const std::string &id, const WebRequest &request) {
  std::shared_ptr<StepLog> log = access.log();
  RunRow row =
      needRun(*log, id); // before its events: none of its end is missed
  return jsonReply(
      timelineJson(row, log->events(id, 0), numberOf(request, "after", 0)));
}

WebReply Api::events(const std::string &id, const WebRequest &request) {
  std::shared_ptr<StepLog> log = access.log();
  needRun(*log, id);
  int64_t after = numberOf(request, "after", 0);
  if (wantsStream(request)) {
    std::string last = request.header("last-event-id");
    if (!last.empty() && last.size() <= 18 &&
        last.find_first_not_of("0123456789") == std::string::npos)
      after = std::atoll(last.c_str());
    return liveEvents(id, after);
  }
  std::vector<Event> all = log->events(id, after);
  std::string list;
  bool more = all.size() > mostEvents;
  all.resize(std::min(all.size(), mostEvents));
  for (const Event &event : all)
    list += (list.empty() ? "" : ",") + eventJson(event);
  std::string out = "{\"events\":[" + list + "]";
  if (more)
    putJson(out, "next", std::to_string(all.back().seq));
  return jsonReply(out + "}");
}

// `handle`: SEQ.args or SEQ.result.
WebReply Api::value(const std::string &id, const std::string &handle) {
  std::shared_ptr<StepLog> log = access.log();
  needRun(*log, id);
  size_t point = handle.find('.');
  bool digits = point != 0 && point <= 18 &&
                handle.find_first_not_of("0123456789") == point;
  std::string column = digits ? handle.substr(point + 1) : "";
  int64_t seq = std::atoll(handle.c_str());
  if (column == "args" || column == "result")
    for (Event &event : log->events(id, seq - 1)) {
      if (event.seq != seq)
        break;
      std::string &json = column == "args" ? event.args : event.result;
      if (!json.empty())
        return jsonReply(std::move(json));
    }
  throw NotThere("the run '" + id + "' has no value '" + handle + "'");
}

WebReply Api::act(const std::string &id, const std::string &action,
                  const WebRequest &request) {
  std::shared_ptr<StepLog> log = access.log();
  needRun(*log, id);
  Json body = needObject(request.body.empty() ? "{}" : request.body);
  if (action == "approve") {
    checkMembers(body, {"step", "answer", "by", "shown"});
    auto answer = body.find("answer");
    if (answer == body.end() || !answer->is_boolean())
      fail(AGT_BAD_INPUT, "expected a member 'answer' that is true or false");
    approveStep(*log, id, needText(body, "step"), answer->get<bool>(),
                textOr(body, "by"), textOr(body, "shown"));
  } else if (action == "resolve") {
    checkMembers(body, {"step", "how", "value", "by"});
    std::optional<std::string> value;
    if (body.contains("value"))
      value = body["value"].dump();
    resolveStep(program, *log, id, needText(body, "step"),
                needText(body, "how"), value, textOr(body, "by"));
  } else if (action == "signal") {
    checkMembers(body, {"name", "value"});
    if (!body.contains("value"))
      fail(AGT_BAD_INPUT, "expected a member 'value'");
    sendSignal(*log, id, needText(body, "name"), body["value"].dump());
  } else {
    checkMembers(body, {});
    cancelRun(program, *log, id, spans);
  }
  return jsonReply("{\"run\":" + jsonString(id) + ",\"status\":" +
                   jsonString(statusText(needRun(*log, id))) + "}");
}

//===----------------------------------------------------------------------===//
// Live
//===----------------------------------------------------------------------===//

// A change for each time that somebody has written.
WebReply Api::liveRuns() {
  return streamReply([this](const WebSink &send) {
    LogNews::State seen = news.now();
    if (!send("retry: 1000\n\n"))
      return;
    for (int64_t beat = 0;;) {
      LogNews::State now = news.await(seen, look);
      bool changed = now.changes != seen.changes;
      beat = changed ? 0 : beat + look;
      std::string text;
      if (!now.lost.empty() && changed)
        text = eventOf("lost", "{\"error\":" + jsonString(now.lost) + "}");
      else if (changed)
        text = eventOf("change",
                       "{\"changes\":" + std::to_string(now.changes) + "}");
      else if (beat >= beatNs)
        text = ": still here\n\n";
      seen = now;
      if (text.empty() ? !send("") : !send(text))
        return;
      if (beat >= beatNs)
        beat = 0;
    }
  });
}

// The events of a run as they are written; `end` behind the last one.
WebReply Api::liveEvents(const std::string &id, int64_t after) {
  return streamReply([this, id, after](const WebSink &send) {
    int64_t seq = after;
    LogNews::State seen = news.now();
    if (!send("retry: 1000\n\n"))
      return;
    while (true) {
      try {
        std::shared_ptr<StepLog> log = access.log();
        RunRow run = needRun(*log, id); // before the events: none is missed
        std::string text;
        for (const Event &event : log->events(id, seq)) {
          text += "id: " + std::to_string(event.seq) + "\n" +
                  eventOf("event", eventJson(event));
          seq = event.seq;
        }
        if (isTerminal(run.status))
          text += eventOf("end",
                          "{\"status\":" + jsonString(statusText(run)) + "}");
        if (!send(text) || isTerminal(run.status))
          return;
      } catch (const NotThere &failure) { // `gc` took it away
        send(
            eventOf("gone", "{\"error\":" + jsonString(failure.message) + "}"));
        return;
      } catch (const Failure &failure) {
        if (!send(eventOf("lost",
                          "{\"error\":" + jsonString(failure.message) + "}")))
          return;
      }
      for (int64_t beat = 0;;) {
        LogNews::State now = news.await(seen, look);
        bool changed = now.changes != seen.changes;
        seen = now;
        if (changed)
          break;
        if (!send((beat += look) % beatNs ? "" : ": still here\n\n"))
          return;
      }
    }
  });
}

} // namespace agt::rt
