// fork, export, import, gc: runs as a whole.
//
// An export is JSON lines: the run, its events in order, the blobs it needs
// (base64). All of it, so that an import in another step log can go on.
#include "runtime/Cli/AgentCommands.h"
#include "runtime/Support/File.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>

namespace agt::rt {

namespace {

void collectHandles(const Json &json, std::set<std::string> &ids) {
  if (json.is_object() && json.size() == 2 && json.contains("handle") &&
      json.contains("bytes") && json["handle"].is_string())
    ids.insert(json["handle"].get<std::string>());
  if (json.is_structured())
    for (const Json &inner : json)
      collectHandles(inner, ids);
}

std::vector<Blob> blobsOf(StepLog &log, const std::vector<Event> &events) {
  std::set<std::string> ids;
  for (const Event &event : events)
    for (const std::string *column : {&event.args, &event.result})
      if (column->find("\"handle\"") != std::string::npos)
        collectHandles(parseJson(*column), ids);
  std::vector<Blob> blobs;
  for (const std::string &id : ids)
    if (std::optional<std::string> content = log.blob(id))
      blobs.push_back({id, *content});
  return blobs;
}

Json runJson(const RunRow &run) {
  return {{"id", run.id},           {"agent", run.agent},
          {"program", run.program}, {"status", runStatusName(run.status)},
          {"epoch", run.epoch},     {"error", run.error}};
}

Json eventJson(const Event &event) {
  Json json = {{"path", event.path},
               {"kind", eventKindName(event.kind)},
               {"attempt", event.attempt},
               {"epoch", event.epoch},
               {"time", event.timeMs}};
  auto put = [&](const char *key, const std::string &text) {
    if (!text.empty())
      json[key] = text;
  };
  put("token", event.token);
  put("hash", event.hash);
  put("args", event.args);
  put("result", event.result);
  put("error", event.error);
  put("info", event.info);
  if (event.tokensIn >= 0)
    json["tokens_in"] = event.tokensIn;
  if (event.tokensOut >= 0)
    json["tokens_out"] = event.tokensOut;
  return json;
}

Event eventOf(const Json &json, const std::string &run) {
  Event event;
  event.run = run;
  event.path = json.at("path");
  event.kind = eventKindNamed(json.at("kind")).value_or(EventKind::RunFailed);
  event.attempt = json.at("attempt");
  event.epoch = json.at("epoch");
  event.timeMs = json.at("time");
  event.token = json.value("token", "");
  event.hash = json.value("hash", "");
  event.args = json.value("args", "");
  event.result = json.value("result", "");
  event.error = json.value("error", "");
  event.info = json.value("info", "");
  event.tokensIn = json.value("tokens_in", int64_t(-1));
  event.tokensOut = json.value("tokens_out", int64_t(-1));
  return event;
}

RunStatus statusNamed(const std::string &name) {
  if (std::optional<RunStatus> status = runStatusNamed(name))
    return *status;
  throw StepFailure("no run is '" + name + "'");
}

// What a fork takes along: steps that had ended before `limit`.
std::vector<Event> eventsBefore(const std::vector<Event> &all, int64_t limit) {
  History before;
  for (const Event &event : all)
    if (event.seq < limit)
      before.apply(event);
  std::vector<Event> kept;
  for (const Event &event : all) {
    if (event.seq >= limit)
      break;
    if (event.kind == EventKind::RunStarted ||
        event.kind == EventKind::Signal) {
      kept.push_back(event);
      continue;
    }
    auto step = before.steps.find(event.path);
    if (step == before.steps.end())
      continue; // claims, cancels
    PastState state = step->second.state;
    if (state == PastState::Done || state == PastState::Failed ||
        state == PastState::Decided)
      kept.push_back(event);
  }
  return kept;
}

} // namespace

int64_t parseDuration(const std::string &text) {
  static const std::pair<const char *, int64_t> units[] = {
      {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}};
  char *end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  for (auto [unit, seconds] : units)
    if (end != text.c_str() && std::string(end) == unit && number >= 0 &&
        number < 1e6)
      return int64_t(number * double(seconds) * 1e9);
  fail(AGT_BAD_INPUT,
       "expected a time such as 30d, 12h, 5m or 10s, got '" + text + "'");
}

int forkCommand(StepLog &log, const AgentOptions &options) {
  const std::string &id = options.words[0];
  if (options.at.empty())
    fail(AGT_BAD_INPUT, "expected --at STEP: the step that is done anew");
  RunRow run = needRun(log, id);
  std::vector<Event> events = log.events(id, 0);
  History history;
  for (const Event &event : events)
    history.apply(event);
  std::string path = findStep(history, id, options.at, "step",
                              [](const PastStep &) { return true; });
  auto first = std::find_if(events.begin(), events.end(),
                            [&](const Event &e) { return e.path == path; });
  std::vector<Event> kept = eventsBefore(events, first->seq);
  RunRow copy = run;
  copy.id = options.run.empty() ? newRunId() : options.run;
  copy.status = RunStatus::Waiting;
  copy.epoch = 0;
  copy.error = copy.wake = copy.owner = "";
  for (Event &event : kept) {
    event.run = copy.id;
    event.epoch = 0;
  }
  if (!log.import(copy, kept, blobsOf(log, kept)))
    fail(AGT_BAD_INPUT, "there is a run '" + copy.id + "' already");
  printText(copy.id + "\n");
  return AGT_OK;
}

int exportCommand(StepLog &log, const std::string &id) {
  RunRow run = needRun(log, id);
  std::vector<Event> events = log.events(id, 0);
  printText(Json{{"agt_export", 1}, {"run", runJson(run)}}.dump() + "\n");
  for (const Event &event : events)
    printText(eventJson(event).dump() + "\n");
  for (const Blob &blob : blobsOf(log, events))
    printText(
        Json{{"blob", blob.id}, {"content", base64(blob.content)}}.dump() +
        "\n");
  return AGT_OK;
}

int importCommand(StepLog &log, const std::string &path) {
  MappedFile file(path);
  std::string_view text(reinterpret_cast<const char *>(file.data()),
                        file.size());
  RunRow run;
  std::vector<Event> events;
  std::vector<Blob> blobs;
  int line = 0;
  try {
    while (!text.empty()) {
      size_t end = std::min(text.find('\n'), text.size());
      Json json = parseJson(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line++ == 0) {
        if (json.value("agt_export", 0) != 1)
          throw StepFailure("expected a file that `export` has written");
        const Json &row = json.at("run");
        run.id = row.at("id");
        run.agent = row.at("agent");
        run.program = row.at("program");
        run.status = statusNamed(row.at("status"));
        run.epoch = row.at("epoch");
        run.error = row.value("error", "");
      } else if (json.contains("blob")) {
        Blob blob{json["blob"], ""};
        if (!fromBase64(json.at("content").get<std::string>(), blob.content))
          throw StepFailure("the content of a blob is not base64");
        blobs.push_back(std::move(blob));
      } else {
        events.push_back(eventOf(json, run.id));
      }
    }
    if (!line)
      throw StepFailure("the file is empty");
  } catch (const Failure &) {
    throw;
  } catch (const std::exception &error) {
    fail(AGT_BAD_INPUT, "'" + path + "', line " +
                            std::to_string(std::max(line, 1)) + ": " +
                            error.what());
  }
  if (run.status == RunStatus::Running)
    run.status = RunStatus::Waiting; // nobody works on it here
  if (!log.import(run, events, blobs))
    fail(AGT_BAD_INPUT, "there is a run '" + run.id + "' already");
  printText(run.id + "\n");
  return AGT_OK;
}

int gcCommand(StepLog &log, const std::string &older) {
  if (older.empty())
    fail(AGT_BAD_INPUT, "expected --older TIME: how long a run must be over");
  int64_t before = Instant::now().wallMs - parseDuration(older) / 1000000;
  int removed = 0;
  for (const RunRow &run : log.runs())
    if (isTerminal(run.status) && run.changedMs <= before) {
      log.remove(run.id);
      ++removed;
    }
  printText("removed " + std::to_string(removed) +
            (removed == 1 ? " run\n" : " runs\n"));
  return AGT_OK;
}

} // namespace agt::rt
