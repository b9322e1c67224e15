// The step log in PostgreSQL, in a schema of its own named `agt`.
//
// A transaction locks the rows of its runs first, in order: the events of a run
// become visible in the order of their seq, and a claim and a write never pass
// each other. One connection serves the process under a mutex, as with SQLite.
//
// A connection that breaks is made again, for a while. Whether a COMMIT whose
// answer was lost has happened is asked of the server: the transaction's id
// says so, and its last event (ids and seqs may come again after a crash of the
// server, both with one run's name do not).
#include "runtime/Log/PostgresLog.h"

#include "runtime/Log/Postgres.h"
#include "runtime/Log/Schema.h"
#include "runtime/Log/SqlLog.h"
#include "runtime/Support/FailPoint.h"
#include "runtime/Support/Failure.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

namespace agt::rt {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int collisionsAllowed = 20;
constexpr auto versionAge = std::chrono::milliseconds(20);

// An array in PostgreSQL's notation.
std::string arrayText(const std::vector<std::string> &items) {
  std::string text = "{";
  for (const std::string &item : items) {
    text += text.size() > 1 ? ",\"" : "\"";
    for (char letter : item) {
      if (letter == '"' || letter == '\\')
        text += '\\';
      text += letter;
    }
    text += '"';
  }
  return text + "}";
}

// The connection comes before what uses it.
struct Connection {
  explicit Connection(const std::string &url) : database(url) {}
  std::mutex mutex;
  Postgres database;
};

class PostgresLog : private Connection, public SqlLog {
public:
  explicit PostgresLog(const PostgresOptions &options)
      : Connection(options.url), SqlLog(database, options.leaseNs),
        listener(options.url), waitNs(options.waitNs) {
    try {
      database.connect();
    } catch (const LostConnection &lost) {
      if (lost.why.find("starting up") == std::string::npos)
        cannotOpen(lost.why);
      reconnect(lost.why);
    }
    for (int tries = 0;; ++tries) {
      try {
        migrate();
        return;
      } catch (const LostConnection &lost) {
        cannotOpen(lost.why);
      } catch (const Collision &collision) {
        rollback();
        if (tries > collisionsAllowed)
          cannotOpen(collision.why);
      }
    }
  }

  // The snapshot names every transaction that is not over: it changes when and
  // only when what others have written becomes visible. Many runs ask at once,
  // so an answer counts for a moment.
  int64_t version() override {
    std::lock_guard<std::mutex> held(mutex);
    auto now = Clock::now();
    if (!changed && now - versionAt < versionAge)
      return versionSeen;
    if (!database.connected())
      fail(AGT_MISSING, "the connection to the step log is lost");
    try {
      auto row = database.prepare("SELECT CAST(pg_current_snapshot() AS TEXT)");
      row->step();
      versionSeen = int64_t(std::hash<std::string>()(row->text(0)) >> 1);
    } catch (const LostConnection &lost) {
      fail(AGT_MISSING, "the connection to the step log is lost: " + lost.why);
    }
    versionAt = now;
    changed = false;
    return versionSeen;
  }

  // A connection of its own: the other one may be in a transaction. Without it
  // (it broke, or there are no more) whoever waits looks again after `ns`.
  bool awaitNews(int64_t ns) override {
    try {
      if (!listener.connected()) {
        listener.connect();
        listener.execute("LISTEN agt_runs");
        return true; // what came before that was not heard
      }
      return listener.awaitNotification(ns);
    } catch (const LostConnection &) {
    } catch (const Failure &) {
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
    return false;
  }

private:
  [[noreturn]] static void cannotOpen(const std::string &why) {
    fail(AGT_MISSING, "cannot open the step log on PostgreSQL: " + why);
  }

  // Read from the catalog's rows: a name looked up once in a transaction, and
  // not found, is not looked for again.
  int64_t readVersion() {
    auto known = database.prepare("SELECT count(*) FROM pg_catalog.pg_tables"
                                  " WHERE schemaname = 'agt'"
                                  " AND tablename = 'schema_version'");
    known->step();
    if (!known->number(0))
      return 0;
    auto row = database.prepare("SELECT version FROM agt.schema_version");
    return row->step() ? row->number(0) : 0;
  }

  void migrate() {
    int64_t version = readVersion();
    checkSchemaVersion(version);
    if (version == schemaVersion())
      return;
    database.execute("BEGIN");
    try {
      // One program at a time; the next finds it done.
      database.execute("SELECT pg_advisory_xact_lock(4702111234474983745)");
      version = readVersion();
      checkSchemaVersion(version);
      if (version == 0)
        database.execute("CREATE SCHEMA IF NOT EXISTS agt;"
                         "CREATE TABLE schema_version(version BIGINT NOT NULL);"
                         "INSERT INTO schema_version VALUES(0)");
      for (; version < schemaVersion(); ++version)
        database.execute((schemaStep(version, Dialect::Postgres) +
                          "UPDATE schema_version SET version = " +
                          std::to_string(version + 1))
                             .c_str());
      database.execute("COMMIT");
    } catch (...) {
      rollback();
      throw;
    }
  }

  void rollback() noexcept {
    try {
      if (database.connected() && database.inTransaction())
        database.execute("ROLLBACK");
    } catch (...) {
      // The next use finds out and connects again.
    }
  }

  // Returns when the server is there again.
  void reconnect(std::string why) {
    auto end = Clock::now() + std::chrono::nanoseconds(waitNs);
    auto pause = std::chrono::milliseconds(50);
    while (true) {
      try {
        database.connect();
        return;
      } catch (const LostConnection &lost) {
        why = lost.why;
      }
      auto left = end - Clock::now();
      if (left <= left.zero())
        fail(AGT_MISSING,
             "the connection to the step log on PostgreSQL is lost, and could "
             "not be made again for " +
                 std::to_string(waitNs / 1'000'000'000) + " s: " + why);
      std::this_thread::sleep_for(
          std::min<std::chrono::nanoseconds>(left, pause));
      pause = std::min(pause * 2, std::chrono::milliseconds(1000));
    }
  }

  // Runs `use` on a connection that works, again when it breaks. `settle`, if
  // it is set, says whether what broke has happened all the same.
  template <typename Use, typename Settle>
  void persist(Use &&use, Settle &&settle) {
    bool broken = !database.connected(), ask = false;
    std::string why = "it was closed";
    for (int collisions = 0;;) {
      try {
        if (broken) {
          reconnect(why);
          broken = false;
        }
        if (ask && settle())
          return;
        ask = false;
        use();
        return;
      } catch (const LostConnection &lost) {
        broken = ask = true;
        why = lost.why;
      } catch (const Collision &collision) {
        rollback();
        if (++collisions > collisionsAllowed)
          fail(AGT_FAILED,
               "cannot use the step log on PostgreSQL: " + collision.why);
      } catch (...) {
        rollback();
        throw;
      }
    }
  }

  void transaction(const std::function<void()> &body) override {
    std::lock_guard<std::mutex> held(mutex);
    FailPoint::reach("log.before");
    std::string id; // of a transaction whose COMMIT was sent
    persist(
        [&] {
          id.clear();
          lastAppended = {};
          database.execute("BEGIN");
          body();
          std::string sent = transactionId();
          changed = true;
          id = sent;
          database.execute("COMMIT");
        },
        [&] { return hasHappened(id); });
    FailPoint::reach("log.after");
  }

  void quickTransaction(const std::function<void()> &body) override {
    std::lock_guard<std::mutex> held(mutex);
    persist(
        [&] {
          database.execute("BEGIN; SET LOCAL synchronous_commit = off");
          body();
          database.execute("COMMIT");
        },
        [] { return false; });
  }

  std::string transactionId() {
    auto row = database.prepare(
        "SELECT coalesce(CAST(pg_current_xact_id_if_assigned() AS TEXT), '')");
    row->step();
    return row->text(0);
  }

  // What was sent last had no answer: "" is a transaction that had not come to
  // its COMMIT, or had written nothing.
  bool hasHappened(const std::string &id) {
    if (id.empty())
      return false;
    while (true) {
      std::string status;
      try {
        auto row = database.prepare(
            "SELECT pg_xact_status(CAST(CAST($1 AS TEXT) AS xid8))");
        row->bind(id).step();
        status = row->text(0);
      } catch (const Failure &) {
        return false; // an id that the server, started again, does not know
      }
      if (status != "in progress") // its old session is still at it
        return status == "committed" &&
               (!lastAppended.seq ||
                tables.hasEvent(lastAppended.run, lastAppended.seq));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void reading(const std::function<void()> &body) override {
    std::lock_guard<std::mutex> held(mutex);
    persist(body, [] { return false; });
  }

  Now lockRuns(const std::vector<std::string> &ids) override {
    auto row = database.prepare(
        "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000000 AS"
        " BIGINT), (SELECT count(*) FROM (SELECT 1 FROM runs WHERE id ="
        " ANY(CAST($1 AS TEXT[])) ORDER BY id FOR UPDATE) AS locked)");
    row->bind(arrayText(ids)).step();
    int64_t now = row->number(0);
    return {now / 1'000'000, now};
  }

  std::vector<std::string>
  lockIdle(const std::vector<std::string> &ids) override {
    auto rows = database.prepare(
        "SELECT id FROM runs WHERE id = ANY(CAST($1 AS TEXT[]))"
        " FOR UPDATE SKIP LOCKED");
    rows->bind(arrayText(ids));
    std::vector<std::string> locked;
    while (rows->step())
      locked.push_back(rows->text(0));
    return locked;
  }

  void tellNews() override { database.execute("NOTIFY agt_runs"); }

  // With what writers hold this waits for them, and they for this.
  void lockBlobs() override {
    database.execute("LOCK TABLE blobs IN SHARE ROW EXCLUSIVE MODE");
  }

  void lockTool(const std::string &tool) override {
    database.prepare("SELECT pg_advisory_xact_lock(4702111, hashtext($1))")
        ->bind(tool)
        .step();
  }

  int64_t clockNs() override { return lockRuns({}).clockNs; }
  bool mayLiveElsewhere(const std::string &) override { return true; }

  Postgres listener;
  int64_t waitNs;
  int64_t versionSeen = 0;
  Clock::time_point versionAt;
  bool changed = true; // by us, since
};

} // namespace

std::unique_ptr<StepLog> openPostgresLog(const PostgresOptions &options) {
  return std::make_unique<PostgresLog>(options);
}

} // namespace agt::rt
