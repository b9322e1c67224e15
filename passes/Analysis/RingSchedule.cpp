// See RingSchedule.h.
#include "passes/Analysis/RingSchedule.h"

#include <algorithm>

namespace agt::analysis {

std::vector<Run> runsOf(Tokens balance, int64_t parts, int64_t part,
                        int64_t tokens) {
  std::vector<Run> runs;
  auto add = [&](Run run) {
    if (run.count > 0)
      runs.push_back(run);
  };
  int64_t grain = balance >= Tokens::Leaves ? kLeafTokens : 1;
  auto piece = [&](int64_t number, int64_t pieces) {
    int64_t units = (tokens + grain - 1) / grain;
    int64_t each = units / pieces, more = units % pieces;
    int64_t first = number * each + std::min(number, more);
    int64_t end = std::min(tokens, (first + each + (number < more)) * grain);
    add({first * grain, end - first * grain, 1});
  };
  switch (balance) {
  case Tokens::Contiguous:
  case Tokens::Leaves:
    piece(part, parts);
    break;
  case Tokens::Zigzag:
  case Tokens::ZigzagLeaves:
    piece(part, 2 * parts);
    piece(2 * parts - 1 - part, 2 * parts);
    break;
  case Tokens::Striped:
    add({part, (tokens - part + parts - 1) / parts, parts});
    break;
  }
  return runs;
}

int64_t tokensOf(Tokens balance, int64_t parts, int64_t part, int64_t tokens) {
  int64_t count = 0;
  for (const Run &run : runsOf(balance, parts, part, tokens))
    count += run.count;
  return count;
}

/// Members of a run at or below `limit`.
static int64_t upTo(const Run &run, int64_t limit) {
  if (limit < run.first)
    return 0;
  return std::min(run.count, (limit - run.first) / run.step + 1);
}

/// Members of a run from position `from` to `to`, both among them.
static int64_t between(const Run &run, int64_t from, int64_t to) {
  return from > to ? 0 : upTo(run, to) - upTo(run, from - 1);
}

double Ring::pairs(int64_t place, int64_t owner) const {
  constexpr int64_t far = int64_t(1) << 60;
  double sum = 0;
  for (const Run &q : runsOf(balance, places, place, queries))
    for (const Run &k : runsOf(balance, places, owner, keys))
      for (int64_t i = 0; i < q.count; ++i) {
        int64_t at = q.first + i * q.step + offset;
        int64_t most = causal ? at : far;
        int64_t from = left < 0 ? -far : at - left;
        int64_t to = std::min(most, right < 0 ? far : at + right);
        int64_t pinned = std::min(most, pin - 1);
        sum += double(between(k, from, to) + between(k, -far, pinned) -
                      between(k, from, std::min(to, pinned)));
      }
  return sum;
}

bool Ring::sees(int64_t place, int64_t owner) const {
  for (const Run &q : runsOf(balance, places, place, queries))
    for (const Run &k : runsOf(balance, places, owner, keys)) {
      int64_t first = q.first + offset;
      int64_t last = first + (q.count - 1) * q.step;
      int64_t lastKey = k.first + (k.count - 1) * k.step;
      if (causal && k.first > last)
        continue;
      if (k.first < pin || ((left < 0 || lastKey >= first - left) &&
                            (right < 0 || k.first <= last + right)))
        return true;
    }
  return false;
}

bool Ring::needed(int64_t owner, int64_t step) const {
  for (int64_t later = step + 1; later < places; ++later)
    if (sees((owner + later) % places, owner))
      return true;
  return false;
}

int64_t Ring::tokensReceived(int64_t place) const {
  int64_t sum = 0;
  for (int64_t step = 1; step < places; ++step)
    if (needed(owner(place, step), step - 1))
      sum += tokensOf(balance, places, owner(place, step), keys);
  return sum;
}

int64_t Ring::hopsSkipped() const {
  int64_t skipped = 0;
  for (int64_t place = 0; place < places; ++place)
    for (int64_t step = 1; step < places; ++step)
      skipped += !sees(place, owner(place, step));
  return skipped;
}

double Ring::imbalance() const {
  double most = 0, all = 0;
  for (int64_t place = 0; place < places; ++place) {
    double own = 0;
    for (int64_t other = 0; other < places; ++other)
      own += pairs(place, other);
    most = std::max(most, own);
    all += own;
  }
  return all == 0 ? 1 : most * double(places) / all;
}

namespace {

/// Events of all places and steps, and what each waits for.
class WaitGraph {
public:
  enum Event { PostSend, PostReceive, Sent, Received, Done, Events };

  WaitGraph(int64_t places, Passing passing)
      : places(places), waits(size_t(places * places * Events)),
        state(waits.size()) {
    for (int64_t step = 0; step + 1 < places; ++step)
      for (int64_t place = 0; place < places; ++place)
        addStep(place, step, passing);
  }

  std::string cycle() {
    for (size_t event = 0; event < waits.size(); ++event)
      if (state[event] == Unseen && visit(event))
        return text();
    return "";
  }

private:
  enum State : char { Unseen, Open, Closed };

  size_t at(int64_t place, int64_t step, Event event) const {
    return size_t((step * places + (place + places) % places) * Events + event);
  }
  void wait(size_t event, size_t other) { waits[event].push_back(other); }

  void addStep(int64_t place, int64_t step, Passing passing) {
    auto own = [&](Event event) { return at(place, step, event); };
    if (step > 0) {
      wait(own(PostSend), at(place, step - 1, Done));
      wait(own(PostReceive), at(place, step - 1, Done));
    }
    if (passing == Passing::Blocking)
      wait(own(PostReceive), own(Sent));
    // A rendezvous: each end needs both posts.
    wait(own(Sent), own(PostSend));
    wait(own(Sent), at(place + 1, step, PostReceive));
    wait(own(Received), own(PostReceive));
    wait(own(Received), at(place - 1, step, PostSend));
    wait(own(Done), own(Sent));
    wait(own(Done), own(Received));
  }

  bool visit(size_t event) {
    state[event] = Open;
    path.push_back(event);
    for (size_t other : waits[event]) {
      if (state[other] == Open) {
        path.push_back(other);
        return true;
      }
      if (state[other] == Unseen && visit(other))
        return true;
    }
    path.pop_back();
    state[event] = Closed;
    return false;
  }

  std::string text() const {
    static const char *const names[] = {"post of send", "post of receive",
                                        "send", "receive", "end"};
    auto begin = std::find(path.begin(), path.end(), path.back());
    std::string result;
    for (auto event = begin; event != path.end(); ++event) {
      if (event != begin)
        result += " waits for ";
      size_t pair = *event / Events;
      result += std::string(names[*event % Events]) + " at place " +
                std::to_string(int64_t(pair) % places) + ", step " +
                std::to_string(int64_t(pair) / places);
    }
    return result;
  }

  int64_t places;
  std::vector<std::vector<size_t>> waits;
  std::vector<State> state;
  std::vector<size_t> path;
};

} // namespace

std::string waitsForEver(int64_t places, Passing passing) {
  return WaitGraph(places, passing).cycle();
}

} // namespace agt::analysis
