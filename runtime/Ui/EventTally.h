// What the events of a step log add up to: counters and histograms, for
// metrics.
//
// Events are given in the order of their seq. What is needed to understand
// later ones (which step a result ends, when a run began) is kept until it is
// over.
#ifndef AGT_RUNTIME_UI_EVENTTALLY_H
#define AGT_RUNTIME_UI_EVENTTALLY_H

#include "runtime/Log/StepLog.h"

#include <array>
#include <unordered_map>

namespace agt::rt {

/// How many of what was measured were at most so many seconds.
struct Histogram {
  std::vector<int64_t> atMost; // by bound, each with all below it
  int64_t count = 0;
  double sum = 0;

  void observe(double seconds, const std::vector<double> &bounds);
  /// Of each number the greater one.
  void raise(const Histogram &other);
};

class EventTally {
public:
  /// By values of labels, see EventTally.cpp.
  using Labels = std::vector<std::string>;
  enum Counter {
    Steps,
    Attempts,
    RunsEnded,
    Claims,
    LostClaims,
    Parked,
    Tokens
  };
  enum Timing { AttemptSeconds, WaitSeconds, RunSeconds };

  void add(const EventBrief &event);
  /// Of each number the greater one; what is open is not looked at.
  void raise(const EventTally &other);
  /// In Prometheus' text format.
  void write(std::string &text) const;

private:
  /// A step that is not over.
  struct Open {
    std::string kind;
    int64_t beginMs = 0, attempt = 0;
    bool unknown = false; // its attempt was counted
    bool parked = false;
  };
  struct OpenRun {
    int64_t startedMs = 0;
    bool claimed = false;
    std::map<std::string, Open> steps; // by path
  };

  void addToRun(const EventBrief &event, OpenRun &run);
  void addStep(const EventBrief &event, OpenRun &run);
  void endStep(const EventBrief &event, OpenRun &run, bool done);
  void endAttempt(const EventBrief &event, Open &open, const char *outcome);
  void addTokens(const EventBrief &event);
  void count(Counter counter, Labels labels, int64_t by = 1);
  void time(Timing timing, Labels labels, int64_t ms);

  static constexpr size_t counters = Tokens + 1, timings = RunSeconds + 1;
  std::array<std::map<Labels, int64_t>, counters> counts;
  std::array<std::map<Labels, Histogram>, timings> times;
  std::unordered_map<std::string, OpenRun> runs;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_EVENTTALLY_H
