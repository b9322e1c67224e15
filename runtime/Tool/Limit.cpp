// See Limit.h.
#include "runtime/Tool/Limit.h"

#include <chrono>
#include <condition_variable>
#include <deque>

namespace agt::rt {

using Clock = std::chrono::steady_clock;

struct LimitSlot::State {
  std::mutex mutex;
  std::condition_variable freed;
  std::deque<Clock::time_point> starts; // within the last period
  int64_t running = 0;
};

LimitSlot::State &LimitSlot::stateOf(const ToolDecl &tool) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<State>> states;
  std::lock_guard<std::mutex> held(mutex);
  std::unique_ptr<State> &state = states[tool.name];
  if (!state)
    state = std::make_unique<State>();
  return *state;
}

LimitSlot::LimitSlot(const ToolDecl &tool, const CancelToken &cancel) {
  if (!tool.limitCalls && !tool.limitConcurrent)
    return;
  State &limit = stateOf(tool);
  std::chrono::nanoseconds period(tool.limitPer);
  std::unique_lock<std::mutex> held(limit.mutex);
  while (!cancel.cancelled()) {
    auto now = Clock::now();
    while (!limit.starts.empty() && now - limit.starts.front() >= period)
      limit.starts.pop_front();
    bool slot = !tool.limitConcurrent || limit.running < tool.limitConcurrent;
    bool turn =
        !tool.limitCalls || int64_t(limit.starts.size()) < tool.limitCalls;
    if (slot && turn)
      break;
    limit.freed.wait_for(held, std::chrono::milliseconds(5));
  }
  ++limit.running;
  limit.starts.push_back(Clock::now());
  state = &limit;
}

LimitSlot::~LimitSlot() {
  if (!state)
    return;
  std::lock_guard<std::mutex> held(state->mutex);
  --state->running;
  state->freed.notify_all();
}

} // namespace agt::rt
