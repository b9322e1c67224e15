// fork: branches on threads of their own, at most `width` at a time.
//
// Results come in declared order whatever finished first. What depends on the
// order in which branches finished (who won, who was cancelled, what was there
// at the deadline) is a decision: an event that names each branch's part, in
// the same transaction as the result that decided it. A replay that finds the
// decision runs the branches that ended, one after the other, for their values,
// and no other; without one it starts all branches, which replay what they have
// done and go on.
//
// A branch that waits (an approval, a sleep) ends its thread and leaves its
// place to the next one; the fork then waits as a whole once nothing else can
// run.
#include "runtime/Agent/Execution.h"

#include <algorithm>
#include <condition_variable>
#include <set>
#include <thread>

namespace agt::rt {

namespace {

enum class Part { Open, Running, Ok, Failed, Suspended, Cancelled };
const char *const partNames[] = {"open",   "open",      "ok",
                                 "failed", "suspended", "cancelled"};

struct Branch {
  std::string key;
  Part part = Part::Open;
  bool counted = false; // ended before the fork was decided
  Value value = nullptr;
  std::string error, step, place;
  Strand *strand = nullptr;
};

class Fork {
public:
  Fork(agt_scope *scope, const agt_site &site, const agt_fork &fork)
      : scope(scope), strand(*scope->strand), run(strand.run), site(site),
        fork(fork), path(scope->path(site.name)) {}

  Value evaluate() {
    takeKeys();
    const PastStep *past = findPast(scope, site, args);
    strand.budget->countStep();
    if (past && past->state == PastState::Decided)
      return replay(parseJson(past->result));
    // A deadline counts from the first start, so that has to be known later.
    if (fork.deadline != AGT_NEVER)
      until = past && !past->until.empty() ? Instant::parse(past->until)
                                           : noteStart();
    // What the branches build on must not come into the log behind what they
    // do.
    strand.post();
    start();
    return conclude();
  }

private:
  void takeKeys() {
    size_t n = fork.items->count;
    if (fork.max != AGT_NEVER && int64_t(n) > fork.max)
      throw StepFailure("the fork has " + std::to_string(n) +
                        " branches, expected at most " +
                        std::to_string(fork.max));
    branches.resize(n);
    std::set<std::string> seen;
    args = "[";
    for (size_t i = 0; i < n; ++i) {
      std::string text;
      if (fork.keys)
        appendText(text, fork.keys->elements[i]);
      else
        text = std::to_string(i);
      if (!seen.insert(text).second)
        throw StepFailure("two branches of the fork have the key " +
                          jsonString(text));
      branches[i].key = text;
      args += (i ? "," : "") + jsonString(text);
    }
    args += "]";
  }

  Instant noteStart() {
    refuseNew(scope, path);
    Instant end = Instant::now().after(fork.deadline);
    Event event = makeEvent(EventKind::Intent, path);
    event.args = args;
    event.hash = site.hash ? site.hash : "";
    event.info = "{\"fork\":true,\"until\":" + jsonString(end.text()) + "}";
    strand.note(std::move(event));
    return end;
  }

  // ---- one branch ----------------------------------------------------------

  void enter(size_t index, Strand &own) {
    Branch &branch = branches[index];
    Budget *outer = strand.budget;
    own.budget = outer;
    own.depth = strand.depth;
    agt_scope *inner = makeScope(own, path + "[" + encodeKey(branch.key) + "]");
    Value value = nullptr;
    int32_t outcome =
        fork.branch(inner, fork.captures, fork.items->elements[index],
                    int64_t(index), &value);
    // What it has done must not wait for the slowest of its siblings.
    own.post();
    std::lock_guard<std::mutex> held(mutex);
    switch (outcome) {
    case AGT_STEP_OK:
      branch.part = Part::Ok;
      branch.value = value;
      break;
    case AGT_STEP_FAILED:
      branch.part = Part::Failed;
      branch.error = own.failure;
      branch.step = own.failedStep;
      branch.place = own.failedPlace;
      break;
    case AGT_STEP_SUSPENDED:
      branch.part = Part::Suspended;
      break;
    default:
      branch.part = Part::Cancelled;
    }
  }

  // ---- all of them ---------------------------------------------------------

  void start() {
    size_t width = fork.width > 0 ? size_t(fork.width) : branches.size();
    std::vector<std::thread> threads;
    size_t next = 0, running = 0;
    std::unique_lock<std::mutex> held(mutex);
    while (true) {
      while (!decided && next < branches.size() && running < width &&
             !run.stopped()) {
        Branch &branch = branches[next];
        branch.part = Part::Running;
        branch.strand = &run.newStrand(&strand);
        ++running;
        threads.emplace_back([this, index = next, &running] {
          enter(index, *branches[index].strand);
          std::lock_guard<std::mutex> inside(mutex);
          --running;
          changed.notify_all();
        });
        ++next;
      }
      decide();
      if (!running)
        break;
      changed.wait_for(held, std::chrono::milliseconds(20));
      if (!decided && fork.deadline != AGT_NEVER && until.remaining() == 0)
        late = true;
    }
    held.unlock();
    for (std::thread &thread : threads)
      thread.join();
    held.lock();
    decide();
  }

  size_t count(Part part) const {
    return size_t(std::count_if(
        branches.begin(), branches.end(),
        [&](const Branch &branch) { return branch.part == part; }));
  }

  // Whether the fork's result is settled; if so the rest is cancelled. Called
  // under the mutex after every change.
  void decide() {
    if (decided || run.stopped() || strand.cancel.cancelled())
      return;
    size_t ok = count(Part::Ok), failed = count(Part::Failed);
    size_t left = branches.size() - ok - failed;
    size_t wanted = size_t(std::max<int64_t>(fork.n, 0));
    switch (fork.policy) {
    case AGT_POLICY_ALL:
      decided = failed > 0 || left == 0;
      break;
    case AGT_POLICY_COLLECT:
      decided = left == 0 || ok + left < wanted;
      break;
    case AGT_POLICY_QUORUM:
      decided = ok >= wanted || ok + left < wanted;
      break;
    default:
      decided = ok >= 1 || left == 0;
    }
    decided |= late;
    if (!decided)
      return;
    for (Branch &branch : branches) {
      if (branch.part == Part::Running && branch.strand)
        branch.strand->cancel.cancel();
      // What ends from now on has lost, whatever it brings.
      branch.counted = branch.part == Part::Ok || branch.part == Part::Failed;
    }
  }

  Value conclude() {
    if (run.stopped())
      throw Unwind{AGT_STEP_STOPPED};
    if (strand.cancel.cancelled())
      throw Unwind{AGT_STEP_CANCELLED};
    if (!decided)
      throw Unwind{AGT_STEP_SUSPENDED};
    // What was decided is recorded with what decided it.
    refuseNew(scope, path, /*mayLeave=*/false);
    Json parts = Json::array();
    for (Branch &branch : branches) {
      if (!branch.counted) {
        branch.part = Part::Cancelled;
        run.dropWaits(path + "[" + encodeKey(branch.key) + "]");
      }
      parts.push_back(partNames[int(branch.part)]);
    }
    Event event = makeEvent(EventKind::Decision, path);
    event.args = args;
    event.hash = site.hash ? site.hash : "";
    event.result = late ? "{\"late\":true,\"parts\":" + parts.dump() + "}"
                        : "{\"parts\":" + parts.dump() + "}";
    strand.note(std::move(event));
    return result();
  }

  Value replay(const Json &decision) {
    late = decision.value("late", false);
    const Json &parts = decision.at("parts");
    for (size_t i = 0; i < branches.size(); ++i) {
      Branch &branch = branches[i];
      branch.part = Part::Cancelled;
      if (parts.at(i) != "ok" && parts.at(i) != "failed")
        continue;
      enter(i, run.newStrand(&strand));
      if (run.stopped())
        throw Unwind{AGT_STEP_STOPPED};
      bool ok = branch.part == Part::Ok;
      if (ok != (parts.at(i) == "ok") && branch.part != Part::Failed) {
        run.stop(AGT_FAILED, "replay of run '" + run.run.id +
                                 "' differs at the fork '" + path +
                                 "': the branch " + jsonString(branch.key) +
                                 " has ended in the log and does not here");
        throw Unwind{AGT_STEP_STOPPED};
      }
    }
    return result();
  }

  Value result() {
    size_t ok = count(Part::Ok);
    size_t wanted = size_t(std::max<int64_t>(fork.n, 0));
    switch (fork.policy) {
    case AGT_POLICY_ALL: {
      for (const Branch &branch : branches)
        if (branch.part == Part::Failed)
          throwOf(branch, "the branch " + jsonString(branch.key) +
                              " failed: " + branch.error);
      if (ok < branches.size())
        throw StepFailure(deadlineText(ok));
      std::vector<Value> all;
      for (const Branch &branch : branches)
        all.push_back(branch.value);
      return makeList(scope->arena(), all);
    }
    case AGT_POLICY_FIRST:
      for (const Branch &branch : branches)
        if (branch.part == Part::Ok)
          return branch.value;
      throw StepFailure(late ? deadlineText(ok)
                             : "no branch succeeded" + firstError());
    default:
      if (ok < wanted)
        throw StepFailure((late ? deadlineText(ok) + ": " : std::string()) +
                          "fewer than " + std::to_string(wanted) +
                          " branches succeeded" + firstError());
      if (late && fork.policy == AGT_POLICY_QUORUM)
        throw StepFailure(deadlineText(ok));
      return results();
    }
  }

  [[noreturn]] void throwOf(const Branch &branch, const std::string &message) {
    strand.failedPlace = branch.place; // where to look, not where it joins
    throw StepFailure(message);
  }

  std::string deadlineText(size_t ok) const {
    return "the fork's deadline came when " + std::to_string(ok) + " of " +
           std::to_string(branches.size()) + " branches had succeeded";
  }

  std::string firstError() const {
    for (const Branch &branch : branches)
      if (branch.part == Part::Failed)
        return "; the branch " + jsonString(branch.key) +
               " failed: " + branch.error;
    return "";
  }

  Value results() {
    Arena &arena = scope->arena();
    std::vector<Value> all;
    for (const Branch &branch : branches) {
      bool ok = branch.part == Part::Ok;
      std::string error = branch.part == Part::Failed ? branch.error
                          : late                      ? "too late"
                                                      : "cancelled";
      all.push_back(
          makeRecord(arena, resultShape(),
                     {makeBool(arena, ok), ok ? branch.value : nullptr,
                      ok ? nullptr : makeString(arena, error),
                      makeString(arena, branch.key)}));
    }
    return makeList(arena, all);
  }

  agt_scope *scope;
  Strand &strand;
  Execution &run;
  const agt_site &site;
  const agt_fork &fork;
  std::string path, args;
  Instant until;
  std::vector<Branch> branches;
  std::mutex mutex;
  std::condition_variable changed;
  bool decided = false, late = false;
};

} // namespace

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_step_fork(agt_scope *scope, const agt_site *site,
                      const agt_fork *fork, const agt_value **result) {
  return guardSite(scope, site, [&](const agt_site &at) {
    *result = Fork(scope, at, *fork).evaluate();
  });
}
