// See Survey.h.
#include "runtime/Agent/Survey.h"

#include "runtime/Agent/Runner.h"

#include <algorithm>
#include <tuple>

namespace agt::rt {

void Survey::visit(const std::string &path, bool isClosed) {
  std::lock_guard<std::mutex> held(mutex);
  visited.insert(path);
  if (isClosed)
    closed.insert(path);
}

void Survey::change(Change change) {
  std::lock_guard<std::mutex> held(mutex);
  auto place = std::lower_bound(
      changes.begin(), changes.end(), change,
      [](const Change &a, const Change &b) { return a.path < b.path; });
  if (place == changes.end() || place->path != change.path)
    changes.insert(place, std::move(change));
}

void Survey::end(const std::string &path) {
  std::lock_guard<std::mutex> held(mutex);
  ends.insert(path);
}

const char *verdictName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Safe:
    return "safe";
  case Verdict::NeedsDecision:
    return "needs a decision";
  case Verdict::Blocked:
    return "blocked";
  }
  return "";
}

// What stands below a step whose end the log has is the step's own: what a
// child, a fork or a model's tools did is not asked for again. Nor is it yet
// where the replay ends at the step itself.
static bool isCovered(const std::string &path, const Survey &survey) {
  if (survey.visited.count(path))
    return true;
  for (size_t at = path.find_last_of("/["); at != std::string::npos && at > 0;
       at = path.find_last_of("/[", at - 1))
    if (std::string above = path.substr(0, at);
        survey.closed.count(above) || survey.ends.count(above))
      return true;
  return false;
}

static SurveyedRun surveyRun(const AgentProgram &program, StepLog &log,
                             const RunRow &row) {
  SurveyedRun result;
  result.run = row;
  Survey survey;
  auto block = [&](const std::string &reason, const std::string &place) {
    result.verdict = Verdict::Blocked;
    result.reason = reason;
    result.place = place;
  };
  try {
    RunOutcome outcome = Runner(program, log).replay(row.id, &survey);
    if (outcome.code != AGT_OK && outcome.code != AGT_WAITING)
      block(outcome.message, outcome.place);
  } catch (const Failure &failure) {
    block(failure.message, failure.place);
  }
  result.changes = survey.changes;
  result.next.assign(survey.ends.begin(), survey.ends.end());
  if (result.verdict == Verdict::Blocked)
    return result;
  bool stops = false;
  for (const Survey::Change &change : survey.changes)
    stops |= change.onChange == AGT_CHANGE_FAIL;
  History history;
  history.load(log, row.id);
  for (const auto &[path, step] : history.steps)
    if (!isCovered(path, survey))
      result.gone.push_back(path);
  std::sort(result.gone.begin(), result.gone.end());
  if (stops || !result.gone.empty())
    result.verdict = Verdict::NeedsDecision;
  return result;
}

std::vector<SurveyedRun> surveyRuns(const AgentProgram &program, StepLog &log) {
  std::vector<RunRow> rows = log.runs();
  std::sort(rows.begin(), rows.end(), [](const RunRow &a, const RunRow &b) {
    return std::tie(a.createdMs, a.id) < std::tie(b.createdMs, b.id);
  });
  std::vector<SurveyedRun> surveyed;
  for (const RunRow &row : rows)
    if (!isTerminal(row.status))
      surveyed.push_back(surveyRun(program, log, row));
  return surveyed;
}

} // namespace agt::rt
