// The tables of the step log, by version (docs/StepLog.md), in the words of
// each database.
#ifndef AGT_RUNTIME_LOG_SCHEMA_H
#define AGT_RUNTIME_LOG_SCHEMA_H

#include <cstdint>
#include <string>

namespace agt::rt {

enum class Dialect { Sqlite, Postgres };

/// The version that this program reads and writes.
int64_t schemaVersion();
/// The statements that take a log of version `from` to the next one.
std::string schemaStep(int64_t from, Dialect dialect);
/// Fails with AGT_MISSING for a version that is newer than ours.
void checkSchemaVersion(int64_t version);

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_SCHEMA_H
