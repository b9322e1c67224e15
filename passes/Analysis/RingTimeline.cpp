// See RingTimeline.h. Steps are taken in order: what a step waits for is of the
// same step or before.
#include "passes/Analysis/RingTimeline.h"

#include <algorithm>

namespace agt::analysis {

static double overlap(const Interval &a, const Interval &b) {
  return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

RingTimeline timelineOf(const Ring &ring, const RingCosts &costs) {
  size_t places = size_t(ring.places);
  RingTimeline line;
  line.steps.assign(places, std::vector<RingStep>(places));
  std::vector<double> ready(places, 0); // a place begins its step
  for (size_t step = 0; step < places; ++step) {
    for (size_t place = 0; place < places; ++place) {
      RingStep &now = line.steps[place][step];
      now.owner = ring.owner(int64_t(place), int64_t(step));
      now.sees = ring.sees(int64_t(place), now.owner);
      double work = ring.pairs(int64_t(place), now.owner) * costs.flopsOfPair;
      now.compute = {ready[place], ready[place] + work / costs.rate};
    }
    std::vector<double> next(places);
    for (size_t place = 0; place < places; ++place)
      next[place] = line.steps[place][step].compute.end;
    if (step + 1 < places)
      for (size_t place = 0; place < places; ++place) {
        RingStep &now = line.steps[place][step];
        size_t from = (place + places - 1) % places;
        int64_t arriving = line.steps[from][step].owner;
        now.receives = ring.needed(arriving, int64_t(step));
        if (!now.receives)
          continue;
        now.bytes =
            double(tokensOf(ring.balance, ring.places, arriving, ring.keys)) *
            costs.bytesOfToken;
        double begin = std::max(ready[place], ready[from]);
        now.transfer = {begin, begin + now.bytes / costs.link};
        next[place] = std::max(next[place], now.transfer.end);
        next[from] = std::max(next[from], now.transfer.end);
      }
    ready = next;
  }
  for (size_t place = 0; place < places; ++place) {
    line.end = std::max(line.end, ready[place]);
    for (const RingStep &step : line.steps[place]) {
      line.transferTime += step.transfer.length();
      for (const RingStep &other : line.steps[place])
        line.hiddenTime += overlap(step.transfer, other.compute);
    }
  }
  return line;
}

} // namespace agt::analysis
