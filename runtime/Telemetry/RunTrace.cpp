// See RunTrace.h.
#include "runtime/Telemetry/RunTrace.h"

#include "runtime/Agent/Execution.h"
#include "runtime/Agent/Secrets.h"
#include "runtime/Telemetry/Content.h"
#include "runtime/Telemetry/Ids.h"

#include <algorithm>

namespace agt::rt {

namespace {

constexpr size_t mostEvents = 128; // of a span, as OpenTelemetry has it
constexpr size_t longestMessage = 4096;

const char *const kindNames[] = {"attempt", "wait",   "parked", "agent",
                                 "fork",    "branch", "join"};

// "found[editor]/i#1/f#0": "f"
std::string segmentOf(const std::string &path) {
  std::string segment = path.substr(path.rfind('/') + 1);
  return segment.substr(0, segment.find_first_of("#["));
}

void mark(TraceSpan &span, const char *name, int64_t timeNs,
          Attributes attributes = {}) {
  if (span.events.size() == mostEvents)
    ++span.droppedEvents;
  else
    span.events.push_back({name, timeNs, std::move(attributes)});
}

bool isFlag(const std::string &info, const char *key) {
  return infoMember(info, key) == true;
}

std::string jsonText(const Json &json) {
  return json.is_string() ? json.get<std::string>() : "";
}

} // namespace

std::string ownWords(const std::string &error) {
  size_t end = std::min({error.find(": "), error.find('"'), error.find('\n')});
  std::string words = error.substr(0, end);
  words.erase(words.find_last_not_of(" :") + 1);
  return words;
}

RunTrace::RunTrace(SpanSink &sink, const AgentProgram &program,
                   const RunRow &row)
    : sink(sink), run(row.id), trace(traceIdOf(row.id, row.createdMs)),
      epoch(row.epoch) {
  root.trace = trace;
  root.id = spanIdOf(trace, "run", "", 0, 0);
  root.name = "invoke_agent " + row.agent;
  root.beginNs = row.createdMs * 1'000'000;
  root.set("gen_ai.operation.name", std::string("invoke_agent"));
  root.set("gen_ai.agent.name", row.agent);
  if (const AgentDecl *agent = program.agent(row.agent);
      agent && !agent->doc.empty())
    root.set("gen_ai.agent.description", agent->doc);
  root.set("agt.run.id", run);
  root.set("agt.program.hash", program.hash);
  if (sink.wantsContent())
    root.set("agt.run.arguments", shortened(row.args));
}

//===----------------------------------------------------------------------===//
// Which events count
//===----------------------------------------------------------------------===//

void RunTrace::past(const Event &event) {
  std::lock_guard<std::mutex> held(mutex);
  const Open *entry = find(event.path);
  bool parked = entry && entry->kind == Kind::Parked;
  bool outside =
      event.kind == EventKind::Approval || (parked && !event.attempt);
  fold({event, event.epoch, event.timeMs * 1'000'000,
        outside && event.epoch == epoch - 1});
}

void RunTrace::durable(const std::vector<Event> &events) {
  std::lock_guard<std::mutex> held(mutex);
  for (const Event &event : events)
    fold({event, epoch, event.notedNs, true});
}

// A pure call is in the log when it is over, with the time that it took.
int64_t RunTrace::Seen::beginNs() const {
  if (event.beganNs)
    return event.beganNs;
  Json took = infoMember(event.info, "took");
  return timeNs - (took.is_number_integer() ? took.get<int64_t>() : 0);
}

void RunTrace::fold(const Seen &seen) {
  if (seen.event.path.empty())
    foldRun(seen);
  else
    foldStep(seen);
}

void RunTrace::foldRun(const Seen &seen) {
  const Event &event = seen.event;
  switch (event.kind) {
  case EventKind::RunStarted:
    root.beginNs = seen.timeNs;
    break;
  case EventKind::Claimed:
    mark(root, "agt.claimed", seen.timeNs, {{"agt.epoch", seen.epoch}});
    break;
  case EventKind::Released:
    mark(root, "agt.released", seen.timeNs, {{"agt.epoch", seen.epoch}});
    break;
  case EventKind::Signal:
    mark(root, "agt.signal", seen.timeNs,
         {{"agt.signal.name",
           jsonText(Json::parse(event.args, nullptr, false))}});
    break;
  case EventKind::Cancel:
    mark(root, "agt.cancel", seen.timeNs);
    break;
  case EventKind::RunDone:
    endRun(seen, "done");
    break;
  case EventKind::RunFailed: {
    std::string place = jsonText(infoMember(event.info, "place"));
    setFailure(root, "failed",
               sink.wantsContent() ? event.error
               : place.empty()     ? "the run failed"
                                   : "the run failed at " + place);
    endRun(seen, "failed");
    break;
  }
  case EventKind::Cancelled:
    endRun(seen, "cancelled");
    break;
  default:
    break;
  }
}

void RunTrace::foldStep(const Seen &seen) {
  const Event &event = seen.event;
  switch (event.kind) {
  case EventKind::Intent:
    foldIntent(seen);
    break;
  case EventKind::ApprovalAsked:
    begin(seen, Kind::Wait, event.path, "approval");
    break;
  case EventKind::Sleep:
    begin(seen, Kind::Wait, event.path, "sleep");
    break;
  case EventKind::Result:
    foldEnd(seen, true);
    break;
  case EventKind::Failure:
    foldEnd(seen, false);
    break;
  case EventKind::Approval:
    if (Open *entry = find(event.path))
      entry->span.set("agt.approval.answer", event.result == "true");
    end(seen, event.path, "done");
    break;
  case EventKind::Unknown: {
    Open &entry = beginAttempt(seen);
    bool crash = isFlag(event.info, "crash");
    entry.unknown = true;
    entry.span.endNs = seen.timeNs;
    setFailure(entry.span, crash ? "crash" : "unknown",
               sink.wantsContent() ? event.error : ownWords(event.error));
    mark(entry.span, "agt.unknown", seen.timeNs);
    break;
  }
  case EventKind::Reconciled: {
    Open &entry = beginAttempt(seen);
    bool found = isFlag(event.info, "found");
    mark(entry.span, "agt.reconcile", seen.timeNs, {{"agt.found", found}});
    entry.span.endNs = seen.timeNs;
    if (found)
      end(seen, event.path, "done");
    break;
  }
  case EventKind::Parked:
    end(seen, event.path, "unknown");
    begin(seen, Kind::Parked, event.path, "parked");
    break;
  case EventKind::Decision:
    if (Open *entry = find(event.path); entry && entry->kind == Kind::Parked)
      end(seen, event.path, "retry");
    else if (!event.result.empty())
      foldFork(seen);
    else if (event.args.find("\"dropped\"") != std::string::npos) {
      Json dropped = infoMember(event.args, "dropped");
      structure(seen, Kind::Join, event.path)
          .span.set("agt.join.dropped",
                    int64_t(dropped.is_array() ? dropped.size() : 0));
    }
    break;
  case EventKind::Cancelled:
    beginAttempt(seen);
    end(seen, event.path, "cancelled");
    break;
  default:
    break;
  }
}

void RunTrace::foldIntent(const Seen &seen) {
  const Event &event = seen.event;
  if (infoMember(event.info, "wait").is_string()) {
    std::string name = jsonText(infoMember(event.args, "name"));
    begin(seen, Kind::Wait, event.path, "receive " + name);
  } else if (isFlag(event.info, "fork")) {
    structure(seen, Kind::Fork, event.path);
  } else if (Json agent = infoMember(event.info, "agent"); agent.is_string()) {
    Open &entry =
        begin(seen, Kind::Child, event.path, "invoke_agent " + jsonText(agent));
    entry.span.set("gen_ai.operation.name", std::string("invoke_agent"));
    entry.span.set("gen_ai.agent.name", jsonText(agent));
  } else {
    if (Open *before = find(event.path))
      end(seen, event.path, before->unknown ? "unknown" : "cancelled");
    beginAttempt(seen);
  }
}

void RunTrace::foldEnd(const Seen &seen, bool done) {
  const Event &event = seen.event;
  Open *entry = find(event.path);
  if (entry && entry->kind != Kind::Attempt) {
    if (!done)
      setFailure(entry->span, "failed", "");
    if (entry->kind == Kind::Child)
      endWithin(seen, event.path + "/");
    end(seen, event.path, done ? "done" : "failed");
    return;
  }
  Open &attempt = beginAttempt(seen);
  if (!done) {
    setFailure(attempt.span, attempt.unknown ? "unknown" : "failed",
               sink.wantsContent() ? event.error : ownWords(event.error));
    if (!isFlag(event.info, "final"))
      mark(attempt.span, "agt.retry", seen.timeNs);
  }
  end(seen, event.path, done ? "done" : "failed");
}

// The decision says what became of each branch.
void RunTrace::foldFork(const Seen &seen) {
  const Event &event = seen.event;
  Json keys = Json::parse(event.args, nullptr, false),
       parts = infoMember(event.result, "parts");
  if (!keys.is_array() || !parts.is_array())
    return;
  structure(seen, Kind::Fork, event.path);
  int64_t ok = 0, failed = 0;
  for (size_t i = 0; i < std::min(keys.size(), parts.size()); ++i) {
    std::string path = event.path + "[" + encodeKey(jsonText(keys[i])) + "]",
                part = jsonText(parts[i]);
    Open &branch = structure(seen, Kind::Branch, path);
    ok += part == "ok";
    failed += part == "failed";
    if (part == "failed")
      setFailure(branch.span, "failed", "");
    endWithin(seen, path + "/");
    end(seen, path,
        part == "ok"       ? "done"
        : part == "failed" ? "failed"
                           : "cancelled");
  }
  Open &entry = structure(seen, Kind::Fork, event.path);
  entry.span.set("agt.fork.branches", int64_t(parts.size()));
  entry.span.set("agt.fork.ok", ok);
  entry.span.set("agt.fork.failed", failed);
  if (isFlag(event.result, "late"))
    mark(entry.span, "agt.fork.deadline", seen.timeNs);
  entry.insideNs = seen.timeNs;
  end(seen, event.path, "done");
}

//===----------------------------------------------------------------------===//
// What begins
//===----------------------------------------------------------------------===//

RunTrace::Open *RunTrace::find(const std::string &path) {
  auto found = entries.find(path);
  return found == entries.end() ? nullptr : &found->second;
}

RunTrace::Open &RunTrace::begin(const Seen &seen, Kind kind,
                                const std::string &path,
                                const std::string &name) {
  end(seen, path, "cancelled"); // begun anew as something else
  Open entry;
  entry.kind = kind;
  entry.parent = parentOf(seen, path);
  entry.attempt = seen.event.attempt;
  int64_t attempt = kind == Kind::Attempt ? entry.attempt : 0;
  TraceSpan &span = entry.span;
  span.trace = trace;
  span.id = spanIdOf(trace, kindNames[int(kind)], path, attempt, seen.epoch);
  const Open *parent = find(entry.parent);
  span.parent = parent ? parent->span.id : root.id;
  span.name = name;
  span.beginNs = seen.beginNs();
  span.set("agt.run.id", run);
  span.set("agt.step.path", path);
  span.set("agt.step.kind", std::string(kindNames[int(kind)]));
  span.set("agt.epoch", seen.epoch);
  if (kind == Kind::Attempt && entry.attempt)
    span.set("agt.step.attempt", entry.attempt);
  return entries[path] = std::move(entry);
}

// That of the event: the one that is open, or one that nobody has announced.
RunTrace::Open &RunTrace::beginAttempt(const Seen &seen) {
  const Event &event = seen.event;
  endUnknown(seen);
  Open *entry = find(event.path);
  if (!entry) {
    std::string segment = event.path.substr(event.path.rfind('/') + 1);
    if (segment.rfind("reduce#", 0) == 0 && segment.size() < event.path.size())
      structure(seen, Kind::Join,
                event.path.substr(0, event.path.size() - segment.size() - 1));
    entry = &begin(seen, Kind::Attempt, event.path,
                   isFlag(event.info, "emit") ? "emit" : segmentOf(event.path));
  }
  if (event.note)
    entry->note = event.note;
  if (sink.wantsContent() && !event.args.empty())
    entry->args = event.args;
  return *entry;
}

RunTrace::Open &RunTrace::structure(const Seen &seen, Kind kind,
                                    const std::string &path) {
  if (Open *entry = find(path))
    return *entry;
  std::string name = kind == Kind::Branch
                         ? segmentOf(path.substr(0, path.rfind('[')))
                         : segmentOf(path);
  Open &entry =
      begin(seen, kind, path, std::string(kindNames[int(kind)]) + " " + name);
  entry.insideNs = entry.span.beginNs;
  return entry;
}

// The nearest thing around it that has a span of its own; "": the run.
std::string RunTrace::parentOf(const Seen &seen, std::string path) {
  while (true) {
    size_t cut = path.find_last_of("/[");
    if (cut == std::string::npos)
      return "";
    bool isBranch = path[cut] == '[';
    path.resize(cut);
    if (isBranch)
      structure(seen, Kind::Fork, path);
    else if (path.back() == ']')
      structure(seen, Kind::Branch, path);
    if (find(path))
      return path;
  }
}

//===----------------------------------------------------------------------===//
// What ends
//===----------------------------------------------------------------------===//

void RunTrace::endUnknown(const Seen &seen) {
  Open *entry = find(seen.event.path);
  if (entry && entry->kind == Kind::Attempt &&
      entry->attempt != seen.event.attempt)
    end(seen, seen.event.path, entry->unknown ? "unknown" : "cancelled");
}

void RunTrace::end(const Seen &seen, const std::string &path,
                   const char *outcome) {
  auto found = entries.find(path);
  if (found == entries.end())
    return;
  Open entry = std::move(found->second);
  entries.erase(found);
  TraceSpan &span = entry.span;
  bool known = std::string_view(outcome) == "done";
  switch (entry.kind) {
  case Kind::Fork:
  case Kind::Branch:
  case Kind::Join:
    span.endNs = entry.insideNs;
    break;
  default:
    if (!entry.unknown || known) // else it was over before
      span.endNs = seen.timeNs;
    break;
  }
  span.endNs = std::max(span.endNs, span.beginNs);
  if (known && entry.kind == Kind::Attempt) { // found out after all
    span.failed = false;
    span.message.clear();
    auto isError = [](const auto &entry) {
      return entry.first == "error.type";
    };
    span.attributes.erase(
        std::remove_if(span.attributes.begin(), span.attributes.end(), isError),
        span.attributes.end());
  }
  for (std::string around = entry.parent; Open *parent = find(around);
       around = parent->parent)
    parent->insideNs = std::max(parent->insideNs, span.endNs);
  if (entry.kind == Kind::Attempt)
    describe(seen, path, entry);
  if (!seen.ours)
    return;
  span.set("agt.outcome", std::string(outcome));
  handOver(std::move(span));
}

// What is deeper comes behind in the map.
void RunTrace::endWithin(const Seen &seen, const std::string &prefix) {
  std::vector<std::string> paths;
  for (auto entry = entries.lower_bound(prefix);
       entry != entries.end() &&
       entry->first.compare(0, prefix.size(), prefix) == 0;
       ++entry)
    if (entry->second.kind >= Kind::Fork)
      paths.push_back(entry->first);
  for (auto path = paths.rbegin(); path != paths.rend(); ++path)
    end(seen, *path, find(*path)->kind == Kind::Join ? "done" : "cancelled");
}

void RunTrace::endRun(const Seen &seen, const char *outcome) {
  while (!entries.empty()) {
    auto last = std::prev(entries.end());
    std::string path = last->first;
    const Open &entry = last->second;
    end(seen, path,
        entry.unknown              ? "unknown"
        : entry.kind == Kind::Join ? "done"
                                   : "cancelled");
  }
  if (!seen.ours)
    return;
  root.endNs = std::max(seen.timeNs, root.beginNs);
  root.set("agt.outcome", std::string(outcome));
  if (sink.wantsContent() && !seen.event.result.empty())
    root.set("agt.run.result", shortened(seen.event.result));
  handOver(root);
}

//===----------------------------------------------------------------------===//
// What is said of it
//===----------------------------------------------------------------------===//

void RunTrace::describe(const Seen &seen, const std::string &path,
                        Open &entry) {
  addUsage(seen, path, entry);
  if (!seen.ours)
    return;
  TraceSpan &span = entry.span;
  // An attempt that an earlier process has announced is described by whoever
  // finds out what became of it; one that is over with its run, by nobody.
  if (const StepNote *note = entry.note.get()) {
    span.name = note->name;
    span.kind = note->kind;
    span.attributes.insert(span.attributes.begin(), note->attributes.begin(),
                           note->attributes.end());
  }
  std::string model = jsonText(infoMember(seen.event.info, "model")),
              finish = jsonText(infoMember(seen.event.info, "finish"));
  if (!model.empty())
    span.set("gen_ai.response.model", model);
  if (!finish.empty())
    span.set("gen_ai.response.finish_reasons",
             std::vector<std::string>{finish});
  if (Json cost = infoMember(seen.event.info, "cost"); cost.is_number())
    span.set("agt.cost.usd", cost.get<double>());
  if (sink.wantsContent())
    addContent(seen.event, entry);
}

// An ask counts the tokens of its turns, which have spans of their own: what is
// summed over spans must not be counted twice.
void RunTrace::addUsage(const Seen &seen, const std::string &path,
                        Open &entry) {
  const Event &event = seen.event;
  if (event.path != path || (event.tokensIn < 0 && event.tokensOut < 0))
    return;
  int64_t in = std::max<int64_t>(event.tokensIn, 0),
          out = std::max<int64_t>(event.tokensOut, 0);
  if (isFlag(event.info, "part")) {
    auto &sums = turns[entry.parent];
    sums.first += in;
    sums.second += out;
  } else if (auto parts = turns.find(path); parts != turns.end()) {
    in -= parts->second.first;
    out -= parts->second.second;
    turns.erase(parts);
    if (in <= 0 && out <= 0)
      return;
  }
  entry.span.set("gen_ai.usage.input_tokens", in);
  entry.span.set("gen_ai.usage.output_tokens", out);
}

void RunTrace::addContent(const Event &event, Open &entry) {
  const StepNote *note = entry.note.get();
  if (!note)
    return;
  Attributes content =
      note->tool ? contentOfTool(entry.args, event.result)
                 : contentOfModel(entry.args, event.result, event.info);
  for (auto &attribute : content)
    entry.span.attributes.push_back(std::move(attribute));
}

void RunTrace::setFailure(TraceSpan &span, const char *type,
                          const std::string &message) {
  if (!span.failed)
    span.set("error.type", std::string(type));
  span.failed = true;
  if (!message.empty())
    span.message = message.substr(0, longestMessage);
}

// Nothing that is secret leaves, wherever it has come from.
void RunTrace::handOver(TraceSpan span) {
  auto clean = [](Attributes &attributes) {
    for (auto &[key, value] : attributes)
      if (auto *text = std::get_if<std::string>(&value))
        *text = redact(std::move(*text));
      else if (auto *texts = std::get_if<std::vector<std::string>>(&value))
        for (std::string &one : *texts)
          one = redact(std::move(one));
  };
  span.name = redact(std::move(span.name));
  span.message = redact(std::move(span.message));
  clean(span.attributes);
  for (SpanEvent &event : span.events)
    clean(event.attributes);
  sink.take(std::move(span));
}

} // namespace agt::rt
