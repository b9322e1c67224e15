// Events as JSON, the same for `EXE log --json` and for the console page's API.
#ifndef AGT_RUNTIME_LOG_EVENTJSON_H
#define AGT_RUNTIME_LOG_EVENTJSON_H

#include "runtime/Log/StepLog.h"

namespace agt::rt {

/// One object without a line end; absent members are left out, and values above
/// 1 MiB are {"handle": id, "bytes": n}.
std::string eventJson(const Event &event);

/// Adds a member whose value is JSON already to an object that is being
/// written; nothing where `json` is "".
void putJson(std::string &object, const char *key, const std::string &json);
/// The same for a text.
void putText(std::string &object, const char *key, const std::string &text);

/// A run's status for people: one that nobody works on any more is
/// "interrupted", and can be resumed.
std::string statusText(const RunRow &run);

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_EVENTJSON_H
