// Names of traces and spans. They are made of what the step log says of a run,
// never by chance: every process that works on a run, before and after a crash,
// gives the same thing the same name, and no two things the same.
#ifndef AGT_RUNTIME_TELEMETRY_IDS_H
#define AGT_RUNTIME_TELEMETRY_IDS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace agt::rt {

/// 32 lower-case hex digits. `createdMs`: when the run was made in its
/// database, since two databases may each have a run of that name.
std::string traceIdOf(std::string_view run, int64_t createdMs);

/// 16 lower-case hex digits. `what`: "run", "attempt", "fork", ... `epoch`: of
/// the claim under which it began, since a step that a changed program does
/// anew counts its attempts from 1 again.
std::string spanIdOf(std::string_view trace, std::string_view what,
                     std::string_view path, int64_t attempt, int64_t epoch);

} // namespace agt::rt

#endif // AGT_RUNTIME_TELEMETRY_IDS_H
