// See Schema.h. Step i of `versions` takes version i to i + 1; a step that has
// been released is never changed. Words with an @ differ by database.
#include "runtime/Log/Schema.h"

#include "runtime/Support/Failure.h"

namespace agt::rt {

static const char *const versions[] = {
    "CREATE TABLE runs("
    " id TEXT PRIMARY KEY, agent TEXT NOT NULL, program TEXT NOT NULL,"
    " status TEXT NOT NULL, epoch @int NOT NULL, attempts @int NOT NULL,"
    " owner TEXT, created @int NOT NULL, changed @int NOT NULL,"
    " wake TEXT, error @raw, started_seq @int, ended_seq @int)@keyed;"
    "CREATE TABLE events("
    " seq @serial, time @int NOT NULL, run TEXT NOT NULL,"
    " path TEXT NOT NULL, kind TEXT NOT NULL, attempt @int NOT NULL,"
    " epoch @int NOT NULL, token TEXT, hash TEXT, args TEXT, result TEXT,"
    " error @raw, info TEXT, tokens_in @int, tokens_out @int,"
    " large @int NOT NULL);"
    "CREATE INDEX events_of_run ON events(run, seq);"
    "CREATE TABLE steps("
    " run TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL,"
    " attempt @int NOT NULL, epoch @int NOT NULL,"
    " last_seq @int NOT NULL, PRIMARY KEY(run, path))@keyed;"
    "CREATE TABLE blobs("
    " id TEXT PRIMARY KEY, bytes @int NOT NULL, content @blob NOT NULL);"
    "CREATE TABLE blob_runs("
    " blob TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY(blob, run))@keyed;",

    "ALTER TABLE runs ADD COLUMN lease @int;"
    "CREATE TABLE limit_calls("
    " tool TEXT NOT NULL, call TEXT NOT NULL, owner TEXT NOT NULL,"
    " started @int NOT NULL, expires @int NOT NULL, running @int NOT NULL,"
    " PRIMARY KEY(tool, call))@keyed;",

    "CREATE INDEX runs_of_status ON runs(status, created);",
};

int64_t schemaVersion() { return sizeof versions / sizeof versions[0]; }

std::string schemaStep(int64_t from, Dialect dialect) {
  static const char *const words[][3] = {
      {"@int", "INTEGER", "BIGINT"},
      {"@raw", "TEXT", "BYTEA"}, // PostgreSQL's texts hold no zero bytes
      {"@blob", "BLOB", "BYTEA"},
      {"@serial", "INTEGER PRIMARY KEY",
       "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"},
      {"@keyed", " WITHOUT ROWID", ""}};
  std::string sql = versions[from];
  for (const auto &word : words)
    for (size_t at; (at = sql.find(word[0])) != std::string::npos;)
      sql.replace(at, std::string(word[0]).size(), word[1 + int(dialect)]);
  return sql;
}

void checkSchemaVersion(int64_t version) {
  if (version > schemaVersion())
    fail(AGT_MISSING, "the step log is of version " + std::to_string(version) +
                          ", this program knows versions up to " +
                          std::to_string(schemaVersion()));
}

} // namespace agt::rt
