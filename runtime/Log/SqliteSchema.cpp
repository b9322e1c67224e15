// See SqliteSchema.h. Step i of `versions` takes version i to i + 1; a step
// that has been released is never changed.
#include "runtime/Log/SqliteSchema.h"

#include "runtime/Support/Failure.h"

namespace agt::rt {

static const char *const versions[] = {
    "CREATE TABLE runs("
    " id TEXT PRIMARY KEY, agent TEXT NOT NULL, program TEXT NOT NULL,"
    " status TEXT NOT NULL, epoch INTEGER NOT NULL, attempts INTEGER NOT NULL,"
    " owner TEXT, created INTEGER NOT NULL, changed INTEGER NOT NULL,"
    " wake TEXT, error TEXT, started_seq INTEGER, ended_seq INTEGER)"
    " WITHOUT ROWID;"
    "CREATE TABLE events("
    " seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, run TEXT NOT NULL,"
    " path TEXT NOT NULL, kind TEXT NOT NULL, attempt INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL, token TEXT, hash TEXT, args TEXT, result TEXT,"
    " error TEXT, info TEXT, tokens_in INTEGER, tokens_out INTEGER,"
    " large INTEGER NOT NULL);"
    "CREATE INDEX events_of_run ON events(run);"
    "CREATE TABLE steps("
    " run TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL,"
    " attempt INTEGER NOT NULL, epoch INTEGER NOT NULL,"
    " last_seq INTEGER NOT NULL, PRIMARY KEY(run, path)) WITHOUT ROWID;"
    "CREATE TABLE blobs("
    " id TEXT PRIMARY KEY, bytes INTEGER NOT NULL, content BLOB NOT NULL);"
    "CREATE TABLE blob_runs("
    " blob TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY(blob, run))"
    " WITHOUT ROWID;",
};
static constexpr int64_t currentVersion = sizeof versions / sizeof versions[0];

void migrate(Database &database) {
  int64_t version = 0;
  {
    Statement statement = database.prepare("PRAGMA user_version");
    if (statement.step())
      version = statement.number(0);
  }
  if (version > currentVersion)
    fail(AGT_MISSING, "the step log is of version " + std::to_string(version) +
                          ", this program knows versions up to " +
                          std::to_string(currentVersion));
  for (; version < currentVersion; ++version) {
    std::string sql = std::string("BEGIN IMMEDIATE;") + versions[version] +
                      "PRAGMA user_version=" + std::to_string(version + 1) +
                      ";COMMIT";
    database.execute(sql.c_str());
  }
}

} // namespace agt::rt
