// See Limit.h. The step log counts; within one process, one call at a time asks
// it for its tool, the others wait for their turn, and a call that ends here is
// noticed at once. Calls of other processes are asked after again and again,
// with a jitter so that those who wait for one moment do not meet.
#include "runtime/Tool/Limit.h"

#include "runtime/Log/Token.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <random>

namespace agt::rt {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;

static constexpr int64_t graceNs = 5'000'000'000; // behind a call's time limit
static constexpr int64_t lookNs = 20'000'000;     // whether it is cancelled

struct LimitSlot::Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool asking = false;
  int64_t ended = 0; // calls of this process
};

LimitSlot::Gate &LimitSlot::gateOf(const std::string &name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Gate>> gates;
  std::lock_guard<std::mutex> held(mutex);
  std::unique_ptr<Gate> &gate = gates[name];
  if (!gate)
    gate = std::make_unique<Gate>();
  return *gate;
}

static std::string newCallName() {
  static std::atomic<int64_t> number{0};
  return thisProcess() + "#" + std::to_string(++number);
}

static int64_t jitter(int64_t ns) {
  thread_local std::minstd_rand random{std::random_device()()};
  int64_t most = std::clamp<int64_t>(ns / 4, 1, 50'000'000);
  return std::uniform_int_distribution<int64_t>(0, most)(random);
}

// Llms that name one endpoint and one limit share it. An endpoint may hold a
// password: the log has its digest. No tool's name has a blank.
static std::string endpointName(const LlmDecl &llm) {
  std::string endpoint;
  try {
    endpoint = llm.endpoint.resolve();
  } catch (const StepFailure &) { // the call itself says so
  }
  const LimitDecl &limit = llm.limit;
  return "llm " +
         digestFields({"agt-limit1", endpoint, std::to_string(limit.calls),
                       std::to_string(limit.per),
                       std::to_string(limit.concurrent)});
}

LimitSlot::LimitSlot(StepLog &log, const ToolDecl &tool,
                     const CancelToken &cancel)
    : log(log) {
  if (tool.limit.given())
    enter(tool.name, tool.limit, tool.timeout, cancel);
}

LimitSlot::LimitSlot(StepLog &log, const LlmDecl &llm,
                     const CancelToken &cancel)
    : log(log) {
  if (!llm.limit.given())
    return;
  // A question takes a moment to arrive, and never the same one.
  LimitDecl limit = llm.limit;
  limit.per += std::min<int64_t>(limit.per / 20, 50'000'000);
  enter(endpointName(llm), limit, llm.timeout, cancel);
}

void LimitSlot::enter(const std::string &name, const LimitDecl &limit,
                      int64_t timeoutNs, const CancelToken &cancel) {
  call.tool = name;
  call.call = newCallName();
  call.owner = thisProcess();
  call.calls = limit.calls;
  call.perNs = limit.per;
  call.concurrent = limit.concurrent;
  call.timeoutNs = timeoutNs + graceNs;
  gate = &gateOf(name);
  bool mayStart = false;
  try {
    mayStart = wait(cancel);
  } catch (...) {
    gate = nullptr;
    throw;
  }
  if (!mayStart)
    gate = nullptr;
}

bool LimitSlot::wait(const CancelToken &cancel) {
  std::unique_lock<std::mutex> held(gate->mutex);
  while (gate->asking && !cancel.cancelled())
    gate->changed.wait_for(held, Nanoseconds(lookNs));
  if (cancel.cancelled())
    return false;
  struct Turn {
    Gate &gate;
    std::unique_lock<std::mutex> &held;
    ~Turn() {
      if (!held.owns_lock())
        held.lock();
      gate.asking = false;
      gate.changed.notify_all();
    }
  } turn{*gate, held};
  gate->asking = true;
  while (!cancel.cancelled()) {
    int64_t ended = gate->ended;
    held.unlock();
    int64_t left = log.acquire(call);
    if (left == 0)
      return true;
    left += jitter(left);
    held.lock();
    for (auto end = Clock::now() + Nanoseconds(left);
         Clock::now() < end && gate->ended == ended && !cancel.cancelled();)
      gate->changed.wait_for(
          held, std::min<Nanoseconds>(end - Clock::now(), Nanoseconds(lookNs)));
  }
  return false;
}

LimitSlot::~LimitSlot() {
  if (!gate || !call.concurrent)
    return;
  try {
    log.release(call);
  } catch (const Failure &) {
    // It is over for others when this process is gone, or with its time limit.
  }
  std::lock_guard<std::mutex> held(gate->mutex);
  ++gate->ended;
  gate->changed.notify_all();
}

} // namespace agt::rt
