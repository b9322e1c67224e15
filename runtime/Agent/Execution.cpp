// See Execution.h.
#include "runtime/Agent/Execution.h"

#include "runtime/Agent/Survey.h"
#include "runtime/Telemetry/RunTrace.h"

#include <algorithm>
#include <ctime>

namespace agt::rt {

static int64_t monotonicNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

Execution::Execution(const AgentProgram &program, StepLog &log, Writer &writer,
                     RunRow run, ExecutionOptions options)
    : program(program), log(log), writer(writer), run(std::move(run)),
      options(std::move(options)), startedNs(monotonicNs()) {
  if (this->options.spans && !this->options.replayOnly)
    trace =
        std::make_shared<RunTrace>(*this->options.spans, program, this->run);
  for (const Event &event : log.events(this->run.id, 0)) {
    history.apply(event);
    if (trace)
      trace->past(event);
  }
  counts.used = history.mockUses;
}

Execution::~Execution() = default;

int64_t Execution::activeNs() const {
  return history.activeMs * 1000000 + monotonicNs() - startedNs;
}

void Execution::stop(agt_code code, std::string message, std::string place) {
  std::lock_guard<std::mutex> held(mutex);
  if (hasStopped)
    return;
  stopCode = code;
  stopMessage = std::move(message);
  stopPlace = std::move(place);
  hasStopped = true;
  cancel.cancel(); // tools and models of other strands go at once
}

Failure Execution::stopReason() {
  std::lock_guard<std::mutex> held(mutex);
  return Failure(stopCode, stopMessage, stopPlace);
}

void Execution::suspend(PendingWait wait) {
  std::lock_guard<std::mutex> held(mutex);
  pending.push_back(std::move(wait));
}

void Execution::dropWaits(const std::string &prefix) {
  std::lock_guard<std::mutex> held(mutex);
  std::vector<PendingWait> kept;
  for (PendingWait &wait : pending)
    if (wait.path.compare(0, prefix.size(), prefix) != 0)
      kept.push_back(std::move(wait));
  pending.swap(kept);
}

std::vector<PendingWait> Execution::waits() {
  std::lock_guard<std::mutex> held(mutex);
  return pending;
}

std::optional<PastSignal> Execution::takeSignal(const std::string &name) {
  std::lock_guard<std::mutex> held(mutex);
  for (const PastSignal &signal : history.signals)
    if (signal.name == name && history.taken.insert(signal.seq).second)
      return signal;
  return std::nullopt;
}

const PastStep *Execution::past(const std::string &path) const {
  auto found = history.steps.find(path);
  if (found == history.steps.end() || isAside(path))
    return nullptr;
  return &found->second;
}

void Execution::setAside(const std::string &path) {
  std::lock_guard<std::mutex> held(mutex);
  aside.push_back(path + "/");
  hasAside = true;
}

bool Execution::isAside(const std::string &path) const {
  if (!hasAside)
    return false;
  std::lock_guard<std::mutex> held(mutex);
  return std::any_of(aside.begin(), aside.end(),
                     [&](const std::string &prefix) {
                       return path.compare(0, prefix.size(), prefix) == 0;
                     });
}

Strand &Execution::newStrand(Strand *parent) {
  std::lock_guard<std::mutex> held(mutex);
  strands.push_back(std::make_unique<Strand>(*this, parent));
  return *strands.back();
}

Write Strand::takePending() {
  Write write;
  write.run = run.run.id;
  write.epoch = run.run.epoch;
  write.events = std::move(pending);
  write.blobs = std::move(blobs);
  pending.clear();
  blobs.clear();
  if (run.trace)
    write.onDurable = [trace = run.trace](std::vector<Event> events) {
      trace->durable(events);
    };
  return write;
}

void Strand::commit(std::optional<RunChange> change) {
  if (pending.empty() && blobs.empty() && !change)
    return;
  Write write = takePending();
  if (run.options.replayOnly)
    return;
  write.change = std::move(change);
  try {
    run.writer.write(std::move(write));
  } catch (const Failure &failure) {
    run.stop(failure.code, failure.message);
    throw Unwind{AGT_STEP_STOPPED};
  }
}

void Strand::post() {
  if (pending.empty() && blobs.empty())
    return;
  if (run.options.replayOnly) {
    takePending();
    return;
  }
  Execution *owner = &run; // outlives the writer's queue: the end waits for it
  run.writer.queue(takePending(), [owner](const Failure &failure) {
    owner->stop(failure.code, failure.message);
  });
}

void Strand::check() {
  if (run.stopped())
    throw Unwind{AGT_STEP_STOPPED};
  if (cancel.cancelled())
    throw Unwind{AGT_STEP_CANCELLED};
}

void Strand::leaveIfAsked() {
  if (!run.options.leaving || !*run.options.leaving)
    return;
  PendingWait wait;
  wait.what = "another process";
  wait.leaving = true;
  run.suspend(std::move(wait));
  throw Unwind{AGT_STEP_SUSPENDED};
}

int64_t Strand::confirmOwner(int64_t bootNs) {
  // Renewed every third: half of it is left of any lease that holds.
  int64_t half = run.log.leaseNs() / 2, now = Instant::now().bootNs;
  if (now - bootNs < run.log.leaseNs() / 3)
    return bootNs + half;
  Write write;
  write.run = run.run.id;
  write.epoch = run.run.epoch;
  write.renew = true;
  try {
    run.writer.write(std::move(write));
  } catch (const Failure &failure) {
    run.stop(failure.code, failure.message);
    throw Unwind{AGT_STEP_STOPPED};
  }
  return now + half;
}

agt_scope *makeScope(Strand &strand, std::string_view prefix) {
  return strand.arena.make<agt_scope>(&strand, strand.arena.copy(prefix));
}

std::string encodeKey(std::string_view key) {
  static const char *digits = "0123456789ABCDEF";
  std::string out;
  for (unsigned char letter : key) {
    bool plain = (letter >= 'A' && letter <= 'Z') ||
                 (letter >= 'a' && letter <= 'z') ||
                 (letter >= '0' && letter <= '9') || letter == '.' ||
                 letter == '_' || letter == '-';
    if (plain) {
      out += char(letter);
    } else {
      out += '%';
      out += digits[letter >> 4];
      out += digits[letter & 15];
    }
  }
  return out;
}

Event makeEvent(EventKind kind, const std::string &path) {
  Event event;
  event.kind = kind;
  event.path = path;
  return event;
}

agt_site resolveSite(agt_scope *scope, const agt_site &site) {
  agt_site resolved = site;
  if (!site.was)
    return resolved;
  resolved.was = nullptr;
  std::string older = scope->path(site.was);
  for (const auto &entry : scope->strand->run.history.steps) {
    const std::string &path = entry.first;
    bool below = path.size() > older.size() &&
                 (path[older.size()] == '/' || path[older.size()] == '[');
    if (path.compare(0, older.size(), older) == 0 &&
        (below || path.size() == older.size())) {
      resolved.name = site.was;
      break;
    }
  }
  return resolved;
}

static std::string shorten(const std::string &text) {
  return text.size() <= 400 ? text : text.substr(0, 397) + "...";
}

const PastStep *findPast(agt_scope *scope, const agt_site &site,
                         const std::string &args, bool mayRepeat) {
  Strand &strand = *scope->strand;
  if (strand.run.stopped())
    throw Unwind{AGT_STEP_STOPPED};
  std::string path = scope->path(site.name);
  const PastStep *past = strand.run.past(path);
  if (!past)
    return nullptr;
  bool changed = site.hash && !past->hash.empty() && past->hash != site.hash;
  int32_t onChange = site.on_change;
  bool isOpen = past->state == PastState::InFlight ||
                past->state == PastState::Unknown ||
                past->state == PastState::Parked;
  if (changed && onChange == AGT_CHANGE_RERUN && isOpen && !mayRepeat)
    onChange = AGT_CHANGE_KEEP; // it may have happened
  if (Survey *survey = strand.run.options.survey) {
    survey->visit(path, past->state == PastState::Done ||
                            past->state == PastState::Failed ||
                            past->state == PastState::Decided ||
                            past->state == PastState::Cancelled);
    if (changed)
      survey->change({path, site.place ? site.place : "", past->hash, site.hash,
                      onChange});
    if (changed && onChange == AGT_CHANGE_FAIL)
      return past;
  }
  if (changed && onChange == AGT_CHANGE_RERUN) {
    strand.run.setAside(path);
    return nullptr;
  }
  if (changed && onChange == AGT_CHANGE_KEEP)
    return past;
  if (changed) {
    strand.run.stop(AGT_FAILED,
                    "the step '" + path + "' of run '" + strand.run.run.id +
                        "' means something else in this program: the log has " +
                        past->hash.substr(0, 12) + ", the program " +
                        std::string(site.hash).substr(0, 12) +
                        "; say `on_change: keep` or `rerun` at the step",
                    site.place ? site.place : "");
    throw Unwind{AGT_STEP_STOPPED};
  }
  // A pure call is in the log only when it has ended, if need be without them.
  if (!past->args.empty() && past->args != args) {
    strand.run.stop(AGT_FAILED,
                    "replay of run '" + strand.run.run.id +
                        "' differs at the step '" + path +
                        "': the log has the arguments " + shorten(past->args) +
                        ", the program now gives " + shorten(args),
                    site.place ? site.place : "");
    throw Unwind{AGT_STEP_STOPPED};
  }
  return past;
}

Value readLogged(agt_scope *scope, const std::string &json, uint32_t type) {
  if (type == AGT_NO_INDEX) // a text of the runtime's own
    return makeString(scope->arena(), parseJson(json).get<std::string>());
  try {
    return scope->strand->run.program.types->read(scope->arena(),
                                                  parseJson(json), type, {});
  } catch (StepFailure &failure) {
    // No failure of the step: the program has changed below its log.
    fail(AGT_FAILED, "a result in the log of run '" +
                         scope->strand->run.run.id +
                         "' does not fit this program: " + failure.message);
  }
}

void refuseNew(agt_scope *scope, const std::string &path, bool mayLeave) {
  Execution &run = scope->strand->run;
  scope->strand->check();
  if (mayLeave)
    scope->strand->leaveIfAsked();
  if (!run.options.replayOnly)
    return;
  if (run.options.survey) { // other branches go on
    run.options.survey->end(path);
    PendingWait wait;
    wait.path = path;
    run.suspend(std::move(wait));
    throw Unwind{AGT_STEP_SUSPENDED};
  }
  run.stop(AGT_WAITING, "the log of run '" + run.run.id +
                            "' ends before the step '" + path + "'");
  throw Unwind{AGT_STEP_STOPPED};
}

} // namespace agt::rt

std::string agt_scope::path(std::string_view segment) const {
  std::string all(prefix);
  if (!all.empty() && !segment.empty())
    all += '/';
  return all += segment;
}
