// The tables of the SQLite step log, by version (docs/StepLog.md).
#ifndef AGT_RUNTIME_LOG_SQLITESCHEMA_H
#define AGT_RUNTIME_LOG_SQLITESCHEMA_H

#include "runtime/Log/Sqlite.h"

namespace agt::rt {

/// Makes the tables or brings them up to this program's version. The file lock
/// is held. Fails with AGT_MISSING for a version that is newer than ours.
void migrate(Database &database);

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_SQLITESCHEMA_H
