// Runs as JSON, for the lists and the timelines of the console page.
#ifndef AGT_RUNTIME_UI_RUNJSON_H
#define AGT_RUNTIME_UI_RUNJSON_H

#include "runtime/Ui/Timeline.h"

namespace agt::rt {

/// An entry of a list of runs.
std::string runJson(const RunSummary &summary);

/// A run with its steps; those with an event after `after` only.
std::string timelineJson(const RunRow &run, const std::vector<Event> &events,
                         int64_t after);

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_RUNJSON_H
