// The step log in SQLite, in WAL mode with synchronous=FULL: a commit is one
// append and one sync of the log file.
//
// Every write transaction and every checkpoint holds FileLock. Automatic
// checkpoints are off (the hook that counts frames takes their place) and none
// runs when the file is closed; ours run behind a commit, under the same lock.
// One connection serves the whole process under a mutex: commits are grouped
// above (Writer.h), and reads are short.
#include "runtime/Log/SqliteLog.h"

#include "runtime/Log/Schema.h"
#include "runtime/Log/SqlLog.h"
#include "runtime/Log/Sqlite.h"
#include "runtime/Support/FailPoint.h"

#include <chrono>
#include <thread>
#include <utility>

namespace agt::rt {

namespace {

constexpr int checkpointFrames = 1000; // 4 MiB

// The connection comes before what uses it.
struct Connection {
  explicit Connection(const SqliteOptions &options)
      : lock(options.file.empty() ? "" : options.file + ".lock"),
        database(options.file, options.vfs) {}
  std::mutex mutex;
  FileLock lock;
  Database database;
};

class SqliteLog : private Connection, public SqlLog {
public:
  explicit SqliteLog(const SqliteOptions &options)
      : Connection(options), SqlLog(database, options.leaseNs),
        synchronous(options.synchronous) {
    FileGuard held(lock);
    database.execute("PRAGMA page_size=4096");
    database.execute("PRAGMA journal_mode=WAL");
    database.execute(options.synchronous ? "PRAGMA synchronous=FULL"
                                         : "PRAGMA synchronous=OFF");
    sqlite3_db_config(database.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
                      nullptr);
    sqlite3_wal_hook(
        database.handle,
        [](void *self, sqlite3 *, const char *, int frames) {
          static_cast<SqliteLog *>(self)->frames = frames;
          return SQLITE_OK;
        },
        this);
    migrate();
  }

  int64_t version() override {
    std::lock_guard<std::mutex> held(mutex);
    auto statement = database.prepare("PRAGMA data_version");
    statement->step();
    return statement->number(0) * (int64_t(1) << 32) + ownWrites;
  }

  // Whoever has written has changed a number in the file.
  bool awaitNews(int64_t ns) override {
    constexpr auto look = std::chrono::milliseconds(20);
    auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
    do {
      std::this_thread::sleep_for(look);
      int64_t now = version();
      if (std::exchange(newsSeen, now) != now)
        return true;
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }

private:
  class FileGuard {
  public:
    explicit FileGuard(FileLock &lock) : lock(lock) { lock.lock(); }
    ~FileGuard() { lock.unlock(); }

  private:
    FileLock &lock;
  };

  void migrate() {
    int64_t version = 0;
    {
      auto statement = database.prepare("PRAGMA user_version");
      if (statement->step())
        version = statement->number(0);
    }
    checkSchemaVersion(version);
    for (; version < schemaVersion(); ++version)
      database.execute(
          ("BEGIN IMMEDIATE;" + schemaStep(version, Dialect::Sqlite) +
           "PRAGMA user_version=" + std::to_string(version + 1) + ";COMMIT")
              .c_str());
  }

  void transaction(const std::function<void()> &body) override {
    std::lock_guard<std::mutex> held(mutex);
    FileGuard locked(lock);
    FailPoint::reach("log.before");
    make(body);
    ++ownWrites;
    FailPoint::reach("log.after");
    if (frames >= checkpointFrames) {
      // What cannot be copied now, because somebody reads it, comes later.
      sqlite3_wal_checkpoint_v2(database.handle, nullptr,
                                SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
      frames = 0;
    }
  }

  // What it appends to the WAL is synced with the next durable commit.
  void quickTransaction(const std::function<void()> &body) override {
    std::lock_guard<std::mutex> held(mutex);
    FileGuard locked(lock);
    if (synchronous)
      database.execute("PRAGMA synchronous=NORMAL");
    try {
      make(body);
    } catch (...) {
      restoreSync();
      throw;
    }
    restoreSync();
  }

  void restoreSync() {
    if (synchronous)
      database.execute("PRAGMA synchronous=FULL");
  }

  void make(const std::function<void()> &body) {
    database.execute("BEGIN IMMEDIATE");
    try {
      body();
      database.execute("COMMIT");
    } catch (...) {
      // A failed COMMIT may have ended the transaction by itself.
      if (!sqlite3_get_autocommit(database.handle))
        sqlite3_exec(database.handle, "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  void reading(const std::function<void()> &body) override {
    std::lock_guard<std::mutex> held(mutex);
    body();
  }

  // A write transaction has the file to itself.
  Now lockRuns(const std::vector<std::string> &) override {
    return {Instant::now().wallMs, clockNs()};
  }
  std::vector<std::string>
  lockIdle(const std::vector<std::string> &ids) override {
    return ids;
  }
  void tellNews() override {} // a write is news enough
  void lockBlobs() override {}
  void lockTool(const std::string &) override {}

  // Of this boot: an owner of an earlier one is dead whatever its lease says.
  int64_t clockNs() override { return Instant::now().bootNs; }
  bool mayLiveElsewhere(const std::string &owner) override {
    return ofThisBoot(owner);
  }

  bool synchronous;
  int frames = 0;
  int64_t ownWrites = 0;
  int64_t newsSeen = -1; // of the one thread that awaits news
};

} // namespace

std::unique_ptr<StepLog> openSqliteLog(const SqliteOptions &options) {
  return std::make_unique<SqliteLog>(options);
}

} // namespace agt::rt
