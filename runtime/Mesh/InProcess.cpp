// See InProcess.h. One lock guards the bookkeeping of all positions; bytes are
// copied without it. A transfer over a link with a rate is copied at once and
// said to be over when its time has come.
#include "runtime/Mesh/InProcess.h"

#include "runtime/Plan/Plan.h"
#include "runtime/Support/Failure.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

namespace agt::rt {

namespace {
struct Passage {
  int64_t from;
  int64_t to;
  uint64_t bytes;
  Link link;
  const void *source = nullptr;
  void *target = nullptr;
  Span span{0, 0};
  bool done = false;
};
using PassagePtr = std::shared_ptr<Passage>;

// What was posted from one position to another and waits for its other end.
struct Waiting {
  std::deque<PassagePtr> sends;
  std::deque<PassagePtr> receives;
};
} // namespace

struct InProcessNetwork::State {
  std::mutex lock;
  bool cancelled = false;
  std::map<std::pair<int64_t, int64_t>, Waiting> waiting;
  // When the last transfer over a link ends, by from, to and axis.
  std::map<std::tuple<int64_t, int64_t, uint32_t>, double> busyUntil;
};

class InProcessNetwork::End : public Transport {
public:
  End(InProcessNetwork &network, State &state, int64_t self)
      : network(network), state(state), self(self),
        courier([this] { carry(); }) {}
  ~End() override { courier.join(); }

  Request postSend(int64_t to, const void *data, uint64_t bytes,
                   Link link) override {
    return post(self, to, bytes, link, data, nullptr);
  }
  Request postReceive(int64_t from, void *data, uint64_t bytes,
                      Link link) override {
    return post(from, self, bytes, link, nullptr, data);
  }

  Span wait(Request request) override {
    std::unique_lock<std::mutex> hold(state.lock);
    PassagePtr passage = requests.at(request);
    changed.wait(hold, [&] { return passage->done || state.cancelled; });
    if (!passage->done)
      throw Cancelled();
    requests.erase(request);
    return passage->span;
  }

  void cancel() override {
    std::lock_guard<std::mutex> hold(state.lock);
    state.cancelled = true;
    for (auto &end : network.ends) {
      end->changed.notify_all();
      end->arrived.notify_all();
    }
  }

  bool isCancelled() override {
    std::lock_guard<std::mutex> hold(state.lock);
    return state.cancelled;
  }

private:
  Request post(int64_t from, int64_t to, uint64_t bytes, Link link,
               const void *source, void *target);
  void match(const PassagePtr &passage);
  void carry();
  void copyNext(std::unique_lock<std::mutex> &hold);
  double finishDue();

  InProcessNetwork &network;
  State &state;
  int64_t self;
  Request lastRequest = 0;
  std::map<Request, PassagePtr> requests;
  std::condition_variable changed; // for who waits here
  std::condition_variable arrived; // for the courier
  std::deque<PassagePtr> matched;
  std::list<PassagePtr> copied; // until their time has come
  std::thread courier;          // last: it uses all of the above
};

Transport::Request InProcessNetwork::End::post(int64_t from, int64_t to,
                                               uint64_t bytes, Link link,
                                               const void *source,
                                               void *target) {
  std::lock_guard<std::mutex> hold(state.lock);
  Waiting &waiting = state.waiting[{from, to}];
  std::deque<PassagePtr> &own = source ? waiting.sends : waiting.receives;
  std::deque<PassagePtr> &other = source ? waiting.receives : waiting.sends;
  PassagePtr passage;
  if (other.empty()) {
    passage = std::make_shared<Passage>(Passage{from, to, bytes, link});
    own.push_back(passage);
  } else {
    passage = other.front();
    other.pop_front();
    if (passage->bytes != bytes)
      fail(AGT_FAILED, "position " + std::to_string(from) + " and position " +
                           std::to_string(to) +
                           " exchange a different number of bytes");
  }
  if (source)
    passage->source = source;
  else
    passage->target = target;
  if (passage->source && passage->target)
    match(passage);
  requests[++lastRequest] = passage;
  return lastRequest;
}

// Both ends are there: the receiver's courier takes over.
void InProcessNetwork::End::match(const PassagePtr &passage) {
  double &busy =
      state.busyUntil[{passage->from, passage->to, passage->link.axis}];
  passage->span.begin = std::max(monotonicSeconds(), busy);
  if (passage->link.rate > 0)
    busy = passage->span.begin + double(passage->bytes) / passage->link.rate;
  End &receiver = *network.ends[size_t(passage->to)];
  receiver.matched.push_back(passage);
  receiver.arrived.notify_all();
}

void InProcessNetwork::End::copyNext(std::unique_lock<std::mutex> &hold) {
  PassagePtr passage = matched.front();
  matched.pop_front();
  hold.unlock();
  std::memcpy(passage->target, passage->source, passage->bytes);
  hold.lock();
  copied.push_back(passage);
}

// Ends the transfers whose time has come; when the next one's comes.
double InProcessNetwork::End::finishDue() {
  double now = monotonicSeconds();
  double next = std::numeric_limits<double>::infinity();
  for (auto at = copied.begin(); at != copied.end();) {
    Passage &passage = **at;
    double due = passage.span.begin;
    if (passage.link.rate > 0)
      due += double(passage.bytes) / passage.link.rate;
    if (due > now) {
      next = std::min(next, due);
      ++at;
      continue;
    }
    passage.span.end = now;
    passage.done = true;
    changed.notify_all();
    network.ends[size_t(passage.from)]->changed.notify_all();
    at = copied.erase(at);
  }
  return next;
}

void InProcessNetwork::End::carry() {
  std::unique_lock<std::mutex> hold(state.lock);
  while (!state.cancelled) {
    double next = finishDue();
    if (!matched.empty())
      copyNext(hold);
    else if (copied.empty())
      arrived.wait(hold);
    else
      arrived.wait_for(
          hold, std::chrono::duration<double>(next - monotonicSeconds()));
  }
}

InProcessNetwork::InProcessNetwork(size_t positions)
    : state(std::make_unique<State>()) {
  // Couriers look at the ends of others: they start when all are there.
  std::lock_guard<std::mutex> hold(state->lock);
  for (size_t i = 0; i < positions; ++i)
    ends.push_back(std::make_unique<End>(*this, *state, int64_t(i)));
}

InProcessNetwork::~InProcessNetwork() {
  if (!ends.empty())
    ends.front()->cancel();
}

Transport &InProcessNetwork::end(size_t position) { return *ends[position]; }

} // namespace agt::rt
