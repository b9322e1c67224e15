// The hidden command `survey`: one JSON object a live run, a line each.
#include "runtime/Agent/Survey.h"
#include "runtime/Cli/AgentCommands.h"

namespace agt::rt {

static const char *onChangeName(int32_t onChange) {
  return onChange == AGT_CHANGE_KEEP    ? "keep"
         : onChange == AGT_CHANGE_RERUN ? "rerun"
                                        : "fail";
}

static Json toJson(const SurveyedRun &surveyed) {
  Json changed = Json::array();
  for (const Survey::Change &change : surveyed.changes)
    changed.push_back({{"step", change.path},
                       {"log", change.logged},
                       {"program", change.program},
                       {"on_change", onChangeName(change.onChange)},
                       {"place", change.place}});
  Json run{{"run", surveyed.run.id},
           {"agent", surveyed.run.agent},
           {"status", runStatusName(surveyed.run.status)},
           {"program", surveyed.run.program},
           {"verdict", verdictName(surveyed.verdict)},
           {"changed", changed},
           {"gone", surveyed.gone},
           {"next", surveyed.next}};
  if (!surveyed.reason.empty())
    run["reason"] = surveyed.reason;
  if (!surveyed.place.empty())
    run["place"] = surveyed.place;
  return run;
}

int surveyCommand(const AgentProgram &program, StepLog &log) {
  for (const SurveyedRun &run : surveyRuns(program, log))
    printText(toJson(run).dump() + "\n");
  return AGT_OK;
}

} // namespace agt::rt
