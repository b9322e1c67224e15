// The step log in a PostgreSQL database, shared by machines.
#ifndef AGT_RUNTIME_LOG_POSTGRESLOG_H
#define AGT_RUNTIME_LOG_POSTGRESLOG_H

#include "runtime/Log/StepLog.h"

namespace agt::rt {

struct PostgresOptions {
  std::string url;
  int64_t leaseNs = defaultLeaseNs;
  /// How long a server that was there once is waited for.
  int64_t waitNs = 20'000'000'000;
};

/// Throws Failure: AGT_MISSING when the server cannot be used.
std::unique_ptr<StepLog> openPostgresLog(const PostgresOptions &options);

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_POSTGRESLOG_H
