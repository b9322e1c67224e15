// A run as a timeline: its steps in the order in which they began, each with
// its attempts.
//
// The log says when an event was written. A step that announces itself has an
// intent, from which it began; a pure call has none, and says at its end how
// long it took. What says neither is taken to have begun when the step before
// it in its branch was over.
#ifndef AGT_RUNTIME_UI_TIMELINE_H
#define AGT_RUNTIME_UI_TIMELINE_H

#include "runtime/Agent/History.h"

#include <string>
#include <vector>

namespace agt::rt {

/// Times are milliseconds since 1970; -1: not yet, or not known.
struct StepAttempt {
  int64_t number = 0;
  int64_t beginMs = -1, endMs = -1;
  std::string outcome; // a state as stateName() has it
  std::string error;
};

struct TimelineStep {
  std::string path;
  /// ask turn tool agent approval sleep receive fork join step
  std::string kind;
  std::string state;
  int64_t beginMs = -1, endMs = -1;
  bool beginEstimated = false;
  std::vector<StepAttempt> attempts;
  int64_t tokensIn = -1, tokensOut = -1;
  double usd = -1;
  bool part = false; // of an ask, which counts its tokens and cost as well
  std::string args, result, error;    // JSON, JSON, text
  int64_t argsSeq = 0, resultSeq = 0; // the events that hold them
  std::string until;                  // of a wait, an Instant
  std::string info;                   // of the last event that had one
  int64_t lastSeq = 0;
};

struct Timeline {
  void apply(const Event &event);

  std::vector<TimelineStep> steps;
  int64_t lastSeq = 0, lastMs = 0;
  History history;

private:
  TimelineStep &stepAt(const std::string &path);
  void begin(TimelineStep &step, const Event &event);
  void end(TimelineStep &step, const Event &event, const char *outcome);
  int64_t estimateBegin(const std::string &path) const;

  std::unordered_map<std::string, size_t> index;
  /// When something was last over, by branch; "" is the run's own.
  std::unordered_map<std::string, int64_t> overMs;
};

/// "in_flight", "done", ... as the log's table `steps` names them, and "retry".
const char *stateName(PastState state);
/// The branch that a step is in: up to the last `]`, "" for the run's own.
std::string branchOf(const std::string &path);

/// Adds a value: its JSON as a text, so that no reader changes its numbers, or
/// where it is when it is long: {"handle": "SEQ.KEY", "bytes": n}.
void putValue(std::string &object, const char *key, const std::string &json,
              int64_t seq);

/// The members of a step as one JSON object; see docs/Console.md.
std::string stepJson(const TimelineStep &step);

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_TIMELINE_H
