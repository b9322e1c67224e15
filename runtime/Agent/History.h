// What the log knows of one run, by path: its events, folded.
#ifndef AGT_RUNTIME_AGENT_HISTORY_H
#define AGT_RUNTIME_AGENT_HISTORY_H

#include "runtime/Log/StepLog.h"
#include "runtime/Value/Json.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace agt::rt {

enum class PastState {
  InFlight, // an intent, and nothing since
  Done,     // a result
  Retry,    // a failure that was not the last word, or a person said "retry"
  Failed,   // a failure that was
  Unknown,  // an attempt of which nobody knows
  Parked,   // waits for a person
  Waiting,  // approval, sleep, receive
  Decided,  // a fork's or join's decision
  Cancelled
};

struct PastStep {
  PastState state = PastState::InFlight;
  int64_t attempt = 0;  // of the last intent
  int64_t failures = 0; // attempts that count against `retry`
  int64_t lastSeq = 0;
  std::string token, hash, args, result, error;
  std::string info;  // of the last event that had one
  std::string until; // Instant: the attempt's deadline, the wait's end
  std::string owner; // the process that made the last intent
  int64_t tokens = 0;
  std::string kind; // of a wait: "approval", "sleep", "receive"
};

struct PastSignal {
  int64_t seq;
  std::string name, value;
};

struct History {
  void apply(const Event &event);
  void load(StepLog &log, const std::string &run);

  std::unordered_map<std::string, PastStep> steps;
  std::vector<PastSignal> signals;
  std::set<int64_t> taken; // signals that a receive has had
  bool cancelRequested = false;
  /// How often a mock's entries answered, by llm.
  std::map<uint32_t, std::map<size_t, int64_t>> mockUses;
  int64_t lastSeq = 0;
  /// Milliseconds for which a process worked on the run, up to the last claim.
  int64_t activeMs = 0;

private:
  void forgetBelow(const std::string &path);

  int64_t claimedMs = -1, lastMs = 0;
  std::string owner; // of the last claim
};

/// A member of a JSON object in a log column; null where there is none.
Json infoMember(const std::string &info, const char *key);

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_HISTORY_H
