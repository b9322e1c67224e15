// Whether the live runs of a log can go on in this program: each is replayed,
// and nothing new is done. For `agtc diff`.
#ifndef AGT_RUNTIME_AGENT_SURVEY_H
#define AGT_RUNTIME_AGENT_SURVEY_H

#include "runtime/Agent/Declarations.h"
#include "runtime/Log/StepLog.h"

#include <mutex>
#include <set>

namespace agt::rt {

/// What a replay notes on its way. A step that means something else does not
/// stop it, so that all of them are found.
class Survey {
public:
  struct Change {
    std::string path, place;
    std::string logged, program; // hashes
    int32_t onChange = 0;        // agt_on_change
  };

  /// The program came to a step that the log has; `closed`: with how it ended.
  void visit(const std::string &path, bool closed);
  void change(Change change);
  /// The log ends before this step.
  void end(const std::string &path);

  std::set<std::string> visited, closed, ends;
  std::vector<Change> changes; // by path

private:
  std::mutex mutex; // branches replay at the same time
};

enum class Verdict {
  Safe,          // goes on as if nothing had happened
  NeedsDecision, // stops at a step, or would do one anew that others follow
  Blocked        // cannot be replayed
};
const char *verdictName(Verdict verdict);

struct SurveyedRun {
  RunRow run;
  Verdict verdict = Verdict::Safe;
  std::vector<Survey::Change> changes;
  std::vector<std::string> gone; // steps of the log that the program leaves out
  std::vector<std::string> next; // steps that come next
  std::string reason, place;     // of Blocked
};

/// All runs that have not ended, in the order in which they were made.
std::vector<SurveyedRun> surveyRuns(const AgentProgram &program, StepLog &log);

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_SURVEY_H
