// See Runner.h. A run is claimed, its agent's function is called, and what it
// returns becomes the run's state in the same transaction as the last results.
// While it works, a watcher looks for what others write into the log (a cancel,
// or that somebody else owns the run) and renews the claim.
#include "runtime/Agent/Runner.h"

#include "runtime/Mcp/Servers.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <condition_variable>
#include <random>
#include <thread>

namespace agt::rt {

std::string newRunId() {
  std::random_device random;
  char text[32];
  std::snprintf(text, sizeof text, "r%llx%04x",
                (unsigned long long)Instant::now().wallMs, random() & 0xffff);
  return text;
}

std::string checkArguments(const AgentProgram &program, const AgentDecl &agent,
                           const Json &given) {
  if (!given.is_object())
    fail(AGT_BAD_INPUT,
         "expected the arguments of " + agent.name + " as a JSON object");
  std::vector<std::string> names;
  for (const ParamDecl &param : agent.params)
    names.push_back(param.name);
  for (const auto &entry : given.items())
    if (std::find(names.begin(), names.end(), entry.key()) == names.end())
      fail(AGT_BAD_INPUT, agent.name + " has no parameter '" + entry.key() +
                              "'" + didYouMean(entry.key(), names));
  Arena arena;
  Shape shape(names);
  std::vector<Value> values;
  for (const ParamDecl &param : agent.params) {
    auto found = given.find(param.name);
    bool optional = program.types->at(param.type).kind == TypeKind::Option;
    if (found == given.end() && !optional)
      fail(AGT_BAD_INPUT, "the argument '" + param.name + "' of " + agent.name +
                              " is missing; its type is " +
                              program.types->text(param.type));
    try {
      values.push_back(
          found == given.end()
              ? nullptr
              : program.types->read(arena, *found, param.type, {}));
    } catch (StepFailure &failure) {
      fail(AGT_BAD_INPUT,
           "the argument '" + param.name + "': " + failure.message);
    }
  }
  return canonicalJson(makeRecord(arena, shape, values));
}

void Runner::create(const std::string &id, const AgentDecl &agent,
                    const std::string &args, bool argsGiven,
                    const std::string &owner) {
  if (std::optional<RunRow> run = log.run(id)) {
    if (run->agent != agent.name)
      fail(AGT_BAD_INPUT, "the run '" + id + "' is one of " + run->agent +
                              ", not of " + agent.name);
    if (argsGiven && run->args != args)
      fail(AGT_BAD_INPUT,
           "the run '" + id +
               "' was started with other arguments: " + run->args);
    return;
  }
  RunRow run;
  run.id = id;
  run.agent = agent.name;
  run.program = program.hash;
  run.args = args;
  run.owner = owner;
  if (!log.create(run)) // somebody was faster
    create(id, agent, args, argsGiven, owner);
}

RunOutcome Runner::ofEnded(const RunRow &run) {
  RunOutcome outcome;
  if (run.status == RunStatus::Done) {
    outcome.result = run.result;
  } else {
    outcome.code =
        run.status == RunStatus::Cancelled ? AGT_CANCELLED : AGT_FAILED;
    outcome.message = run.status == RunStatus::Cancelled
                          ? "the run '" + run.id + "' was cancelled"
                          : run.error;
  }
  if (run.status == RunStatus::Failed)
    for (const Event &event : log.events(run.id, 0))
      if (Json place = infoMember(event.info, "place");
          event.kind == EventKind::RunFailed && place.is_string())
        outcome.place = place.get<std::string>();
  return outcome;
}

namespace {

// Looks into the log while the run works.
class Watcher {
public:
  explicit Watcher(Execution &run)
      : run(run), seq(run.history.lastSeq), thread([this] { watch(); }) {}
  ~Watcher() {
    {
      std::lock_guard<std::mutex> held(mutex);
      ending = true;
    }
    wake.notify_one();
    thread.join();
  }

private:
  void watch() {
    using Clock = std::chrono::steady_clock;
    std::chrono::nanoseconds third(run.log.leaseNs() / 3);
    auto renewal = Clock::now() + third;
    int64_t version = -1;
    std::unique_lock<std::mutex> held(mutex);
    while (!wake.wait_for(held, std::chrono::milliseconds(100),
                          [&] { return ending; })) {
      const std::atomic<bool> *stopping = run.options.stopping;
      if (stopping && *stopping)
        run.stop(AGT_WAITING, "the process that worked on it ends");
      if (Clock::now() >= renewal) {
        renew();
        renewal = Clock::now() + third;
      }
      try {
        int64_t now = run.log.version();
        if (now == version)
          continue;
        version = now;
        look();
      } catch (const Failure &) {
        // Whoever writes next is told; looking is no reason to stop.
      }
    }
  }

  // Refused: somebody else has the run, or the log is out of reach. The end of
  // the run waits for the writer's queue, so the run is still there.
  void renew() {
    Write write;
    write.run = run.run.id;
    write.epoch = run.run.epoch;
    write.renew = true;
    Execution *owner = &run;
    run.writer.queue(std::move(write), [owner](const Failure &failure) {
      owner->stop(failure.code, failure.message);
    });
  }

  void look() {
    for (const Event &event : run.log.events(run.run.id, seq)) {
      seq = event.seq;
      if (event.kind == EventKind::Cancel)
        run.cancel.cancel();
      if (event.epoch > run.run.epoch)
        run.stop(AGT_FAILED, "the run '" + run.run.id +
                                 "' was taken over by another process; this "
                                 "one lets go of it");
    }
    if (run.stopped())
      run.cancel.cancel(); // its tools go at once
  }

  Execution &run;
  int64_t seq;
  std::mutex mutex;
  std::condition_variable wake;
  bool ending = false;
  std::thread thread;
};

// Before the first step of a run: what it may call is there, and is what was
// declared.
void checkServers(Execution &run, const AgentDecl &agent) {
  for (uint32_t server : agent.servers)
    try {
      run.program.mcp->ready(server, &run.cancel);
    } catch (const StepFailure &failure) {
      run.stop(AGT_MISSING, failure.message);
    } catch (const Failure &failure) {
      run.stop(failure.code, failure.message);
    }
}

std::string waitText(const PendingWait &wait) {
  if (wait.parked)
    return "the step '" + wait.path + "' is parked: " + wait.what;
  return wait.what + " at '" + wait.path + "'";
}

} // namespace

const AgentDecl &Runner::agentOf(const RunRow &run) const {
  if (const AgentDecl *agent = program.agent(run.agent))
    return *agent;
  fail(AGT_BAD_INPUT, "the run '" + run.id + "' is one of " + run.agent +
                          ", which this program has not");
}

RunOutcome Runner::resumeClaimed(const RunRow &run, ExecutionOptions options) {
  bool again = false;
  RunOutcome outcome = execute(run, agentOf(run), options, again);
  return again ? resume(run.id, options) : outcome;
}

RunOutcome Runner::resume(const std::string &id, ExecutionOptions options) {
  for (bool again = true; again;) {
    std::optional<RunRow> known = log.run(id);
    if (!known)
      fail(AGT_BAD_INPUT, "there is no run '" + id + "' in the step log");
    const AgentDecl *agent = &agentOf(*known);
    Claim claim = log.claim(id, thisProcess(), agent->attempts);
    switch (claim.result) {
    case Claim::Claimed:
      break;
    case Claim::Terminal:
      return ofEnded(claim.run);
    case Claim::Busy:
      fail(AGT_WAITING, "the run '" + id + "' is being worked on by " +
                            ownerText(claim.run.owner));
    case Claim::Exhausted:
      fail(AGT_WAITING,
           "the run '" + id + "' is parked: it ended " +
               std::to_string(agent->attempts) +
               " processes that worked on it without letting go of it");
    case Claim::NoRun:
      fail(AGT_BAD_INPUT, "there is no run '" + id + "' in the step log");
    }
    RunOutcome outcome = execute(claim.run, *agent, options, again);
    if (!again)
      return outcome;
  }
  return {};
}

RunOutcome Runner::replay(const std::string &id, Survey *survey) {
  std::optional<RunRow> run = log.run(id);
  if (!run)
    fail(AGT_BAD_INPUT, "there is no run '" + id + "' in the step log");
  const AgentDecl *agent = &agentOf(*run);
  ExecutionOptions options;
  options.replayOnly = true;
  options.survey = survey;
  bool again = false;
  return execute(*run, *agent, options, again);
}

RunOutcome Runner::execute(RunRow row, const AgentDecl &agent,
                           const ExecutionOptions &options, bool &again) {
  Execution run(program, log, writer, row, options);
  Strand &strand = run.newStrand(nullptr);
  Budget budget(nullptr, agent.budget, agent.name, 0);
  strand.budget = &budget;
  Json given = parseJson(row.args);
  std::vector<Value> args;
  try {
    for (const ParamDecl &param : agent.params)
      args.push_back(program.types->read(
          strand.arena, given.value(param.name, Json()), param.type, {}));
  } catch (StepFailure &failure) {
    run.stop(AGT_FAILED, "the run '" + row.id +
                             "' has arguments that no longer fit " +
                             agent.name + ": " + failure.message);
  }
  if (run.history.cancelRequested)
    run.cancel.cancel();
  Value result = nullptr;
  int32_t outcome = AGT_STEP_STOPPED;
  size_t index = size_t(&agent - program.agents.data());
  auto call = [&] {
    if (!run.stopped())
      outcome = program.code.agents[index](makeScope(strand, ""), args.data(),
                                           &result);
  };
  if (options.replayOnly) {
    call();
  } else {
    Watcher watcher(run);
    if (run.history.steps.empty() && !run.stopped())
      checkServers(run, agent);
    call();
  }
  return finish(run, strand, outcome, result, again);
}

// The run stays as it is, free for the next one; if the log refuses even that,
// the next claim finds that this process is gone.
RunOutcome Runner::letGo(Execution &run, Strand &strand) {
  constexpr int64_t tryAgainNs = 30'000'000'000;
  Failure reason = run.stopReason();
  RunChange change{RunStatus::Waiting, true, "", reason.message, ""};
  const ExecutionOptions &options = run.options;
  if (options.stopping && *options.stopping && reason.code == AGT_WAITING)
    change = {RunStatus::Queued, true, "", "", ""};
  else if (options.queued && reason.code == AGT_MISSING)
    change.wake = Instant::now().after(tryAgainNs).text();
  if (!options.replayOnly)
    try {
      strand.note(makeEvent(EventKind::Released, ""));
      strand.commit(change);
    } catch (const Unwind &) {
    }
  return {reason.code, "", reason.message, {}, reason.place};
}

RunOutcome Runner::finish(Execution &run, Strand &strand, int32_t outcome,
                          Value result, bool &again) {
  RunOutcome out;
  again = false;
  RunChange change{RunStatus::Done, true, "", "", ""};
  Event event = makeEvent(EventKind::RunDone, "");
  bool stopped = run.stopped() || outcome == AGT_STEP_STOPPED;
  if (run.options.replayOnly && !stopped) {
    if (outcome == AGT_STEP_OK)
      out.result = canonicalJson(result);
    else if (outcome == AGT_STEP_SUSPENDED)
      out.code = AGT_WAITING;
    else
      out = {AGT_FAILED, "", strand.failureText(), {}, strand.failedPlace};
    return out;
  }
  if (stopped)
    return letGo(run, strand);
  switch (outcome) {
  case AGT_STEP_OK:
    out.result = event.result = canonicalJson(result);
    break;
  case AGT_STEP_FAILED:
    event.kind = EventKind::RunFailed;
    out.code = AGT_FAILED;
    out.message = change.error = event.error = strand.failureText();
    if (!strand.failedPlace.empty()) {
      out.place = strand.failedPlace;
      event.info = "{\"place\":" + jsonString(out.place) + "}";
    }
    change.status = RunStatus::Failed;
    break;
  case AGT_STEP_CANCELLED:
    event.kind = EventKind::Cancelled;
    out.code = AGT_CANCELLED;
    out.message = "the run '" + run.run.id + "' was cancelled";
    change.status = RunStatus::Cancelled;
    break;
  default: {
    event.kind = EventKind::Released;
    out.code = AGT_WAITING;
    out.waits = run.waits();
    bool parked = false, leaving = false;
    const PendingWait *first = nullptr;
    for (const PendingWait &wait : out.waits) {
      parked |= wait.parked;
      leaving |= wait.leaving;
      if (!wait.until.empty() &&
          (!first || Instant::parse(wait.until).remaining() <
                         Instant::parse(first->until).remaining()))
        first = &wait;
      out.message += (out.message.empty() ? "" : "; ") + waitText(wait);
    }
    change.status = leaving  ? RunStatus::Queued
                    : parked ? RunStatus::Parked
                             : RunStatus::Waiting;
    if (first)
      change.wake = first->until;
  }
  }
  try {
    strand.note(std::move(event));
    strand.commit(change);
  } catch (const Unwind &) {
    Failure reason = run.stopReason();
    return {reason.code, "", reason.message, {}, reason.place};
  }
  // What came in while the branches were still working may be what the run
  // waits for.
  if (change.status == RunStatus::Waiting ||
      change.status == RunStatus::Parked) {
    History now;
    now.load(log, run.run.id);
    again = now.cancelRequested;
    for (const PendingWait &wait : out.waits) {
      const PastStep &step = now.steps[wait.path];
      again |= wait.parked ? step.state != PastState::Parked
                           : step.state != PastState::Waiting;
      for (const PastSignal &signal : now.signals)
        again |= wait.what ==
                     "signal " + parseJson(signal.name).get<std::string>() &&
                 !now.taken.count(signal.seq);
    }
  }
  return out;
}

} // namespace agt::rt
