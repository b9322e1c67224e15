// The step log in one SQLite file.
#ifndef AGT_RUNTIME_LOG_SQLITELOG_H
#define AGT_RUNTIME_LOG_SQLITELOG_H

#include "runtime/Log/StepLog.h"

namespace agt::rt {

struct SqliteOptions {
  std::string file; // "": in memory
  std::string vfs;  // "": SQLite's own; tests cut the power in theirs
  /// Tests switch this off to see that they notice.
  bool synchronous = true;
  int64_t leaseNs = defaultLeaseNs;
};

std::unique_ptr<StepLog> openSqliteLog(const SqliteOptions &options);

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_SQLITELOG_H
