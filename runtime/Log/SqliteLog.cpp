// The step log in SQLite, in WAL mode with synchronous=FULL: a commit is one
// append and one sync of the log file.
//
// Every write transaction and every checkpoint holds FileLock. Automatic
// checkpoints are off (the hook that counts frames takes their place) and none
// runs when the file is closed; ours run behind a commit, under the same lock.
// One connection serves the whole process under a mutex: commits are grouped
// above (Writer.h), and reads are short.
//
// Texts above 1 MiB go to `blobs`; bit 0 of events.large says so of args, bit 1
// of result, and the column then holds the blob's id.
#include "runtime/Log/SqliteLog.h"

#include "runtime/Log/Sqlite.h"
#include "runtime/Log/SqliteSchema.h"
#include "runtime/Log/Token.h"
#include "runtime/Support/FailPoint.h"
#include "runtime/Support/Failure.h"

#include <algorithm>

namespace agt::rt {

namespace {

constexpr size_t largeText = 1 << 20;
constexpr int checkpointFrames = 1000; // 4 MiB

// What a step is after an event of a kind; NULL for events that change none.
const char *stateAfter(EventKind kind) {
  switch (kind) {
  case EventKind::Intent:
    return "in_flight";
  case EventKind::Result:
  case EventKind::Approval:
    return "done";
  case EventKind::Failure:
    return "failed";
  case EventKind::Unknown:
    return "unknown";
  case EventKind::Reconciled:
    return "reconciled";
  case EventKind::Parked:
    return "parked";
  case EventKind::Decision:
    return "decided";
  case EventKind::ApprovalAsked:
  case EventKind::Sleep:
    return "waiting";
  case EventKind::Cancelled:
    return "cancelled";
  default:
    return nullptr;
  }
}

RunStatus statusNamed(const std::string &name) {
  for (int i = 0; i <= int(RunStatus::Cancelled); ++i)
    if (name == runStatusName(RunStatus(i)))
      return RunStatus(i);
  return RunStatus::Failed;
}

class SqliteLog : public StepLog {
public:
  explicit SqliteLog(const SqliteOptions &options)
      : lock(options.file.empty() ? "" : options.file + ".lock"),
        database(options.file, options.vfs) {
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
    migrate(database);
  }

  std::vector<Written> commit(const std::vector<Write *> &writes) override {
    std::vector<Written> outcomes;
    transaction([&] {
      outcomes.clear();
      for (Write *write : writes)
        outcomes.push_back(apply(*write));
    });
    return outcomes;
  }

  bool create(const RunRow &run) override {
    bool made = false;
    transaction([&] { made = insertRun(run); });
    return made;
  }

  Claim claim(const std::string &id, const std::string &owner,
              int64_t limit) override {
    Claim claim{Claim::NoRun, {}};
    transaction([&] {
      std::optional<RunRow> row = load(id);
      claim = {Claim::NoRun, row.value_or(RunRow())};
      if (row)
        claim.result = take(claim.run, owner, limit);
    });
    return claim;
  }

  std::optional<RunRow> run(const std::string &id) override {
    std::lock_guard<std::mutex> held(mutex);
    return load(id);
  }

  std::vector<RunRow> runs() override {
    std::lock_guard<std::mutex> held(mutex);
    std::vector<std::string> ids;
    {
      Statement all =
          database.prepare("SELECT id FROM runs ORDER BY created, id");
      while (all.step())
        ids.push_back(all.text(0));
    }
    std::vector<RunRow> rows;
    for (const std::string &id : ids)
      rows.push_back(*load(id));
    return rows;
  }

  std::vector<Event> events(const std::string &run, int64_t after) override {
    std::lock_guard<std::mutex> held(mutex);
    std::vector<Event> result;
    std::vector<int64_t> large;
    {
      Statement all = database.prepare(
          "SELECT seq, time, path, kind, attempt, epoch, token, hash, args,"
          " result, error, info, ifnull(tokens_in, -1), ifnull(tokens_out, -1),"
          " large FROM events WHERE run = ?1 AND seq > ?2 ORDER BY seq");
      all.bind(run).bind(after);
      while (all.step()) {
        result.push_back(readEvent(all, run));
        large.push_back(all.number(14));
      }
    }
    for (size_t i = 0; i < result.size(); ++i) {
      if (large[i] & 1)
        result[i].args = content(result[i].args);
      if (large[i] & 2)
        result[i].result = content(result[i].result);
    }
    return result;
  }

  std::optional<std::string> blob(const std::string &id) override {
    std::lock_guard<std::mutex> held(mutex);
    return find(id);
  }

  int64_t version() override {
    std::lock_guard<std::mutex> held(mutex);
    Statement statement = database.prepare("PRAGMA data_version");
    statement.step();
    return statement.number(0) * (int64_t(1) << 32) + ownWrites;
  }

  void remove(const std::string &run) override {
    transaction([&] {
      for (const char *sql : {"DELETE FROM events WHERE run = ?1",
                              "DELETE FROM steps WHERE run = ?1",
                              "DELETE FROM blob_runs WHERE run = ?1",
                              "DELETE FROM runs WHERE id = ?1"})
        database.prepare(sql).bind(run).run();
      database
          .prepare("DELETE FROM blobs WHERE id NOT IN"
                   " (SELECT blob FROM blob_runs)")
          .run();
    });
  }

  bool import(const RunRow &run, const std::vector<Event> &events,
              const std::vector<Blob> &blobs) override {
    bool made = false;
    transaction([&] {
      if ((made = !load(run.id))) {
        insertRow(run, Instant::now().wallMs);
        for (const Blob &blob : blobs)
          keep(run.id, blob.id, blob.content);
        for (const Event &event : events) {
          int64_t seq = append(event, event.epoch, event.timeMs);
          if (event.kind == EventKind::RunDone)
            database.prepare("UPDATE runs SET ended_seq = ?2 WHERE id = ?1")
                .bind(run.id)
                .bind(seq)
                .run();
        }
      }
    });
    return made;
  }

private:
  class FileGuard {
  public:
    explicit FileGuard(FileLock &lock) : lock(lock) { lock.lock(); }
    ~FileGuard() { lock.unlock(); }

  private:
    FileLock &lock;
  };

  template <typename Body> void transaction(Body &&body) {
    std::lock_guard<std::mutex> held(mutex);
    FileGuard locked(lock);
    FailPoint::reach("log.before");
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
    ++ownWrites;
    FailPoint::reach("log.after");
    if (frames >= checkpointFrames) {
      // What cannot be copied now, because somebody reads it, comes later.
      sqlite3_wal_checkpoint_v2(database.handle, nullptr,
                                SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
      frames = 0;
    }
  }

  Written apply(const Write &write) {
    int64_t epoch;
    {
      Statement row = database.prepare("SELECT epoch FROM runs WHERE id = ?1");
      if (!row.bind(write.run).step())
        return Written::NoRun;
      epoch = row.number(0);
    }
    if (write.epoch && write.epoch != epoch)
      return Written::Stale;
    if (write.expected &&
        lastSeq(write.run, write.expected->path) != write.expected->lastSeq)
      return Written::Stale;
    for (const Blob &blob : write.blobs)
      keep(write.run, blob.id, blob.content);
    int64_t now = Instant::now().wallMs, seq = 0;
    for (const Event &event : write.events) {
      Event copy = event;
      copy.run = write.run;
      seq = append(copy, epoch, now);
    }
    if (write.change)
      change(write.run, *write.change, now, seq);
    return Written::Yes;
  }

  int64_t lastSeq(const std::string &run, const std::string &path) {
    Statement row = database.prepare(
        "SELECT last_seq FROM steps WHERE run = ?1 AND path = ?2");
    return row.bind(run).bind(path).step() ? row.number(0) : 0;
  }

  int64_t append(const Event &event, int64_t epoch, int64_t time) {
    std::string argsId, resultId;
    int64_t large = 0;
    if (event.args.size() > largeText) {
      argsId = keep(event.run, "", event.args);
      large |= 1;
    }
    if (event.result.size() > largeText) {
      resultId = keep(event.run, "", event.result);
      large |= 2;
    }
    {
      Statement insert = database.prepare(
          "INSERT INTO events(time, run, path, kind, attempt, epoch, token,"
          " hash, args, result, error, info, tokens_in, tokens_out, large)"
          " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
          " nullif(?13, -1), nullif(?14, -1), ?15)");
      insert.bind(time)
          .bind(event.run)
          .bind(event.path)
          .bind(std::string_view(eventKindName(event.kind)))
          .bind(event.attempt)
          .bind(epoch)
          .bindOrNull(event.token)
          .bindOrNull(event.hash)
          .bindOrNull(large & 1 ? argsId : event.args)
          .bindOrNull(large & 2 ? resultId : event.result)
          .bindOrNull(event.error)
          .bindOrNull(event.info)
          .bind(event.tokensIn)
          .bind(event.tokensOut)
          .bind(large)
          .run();
    }
    int64_t seq = sqlite3_last_insert_rowid(database.handle);
    if (const char *state = stateAfter(event.kind))
      database
          .prepare("INSERT INTO steps(run, path, state, attempt, epoch,"
                   " last_seq) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
                   " ON CONFLICT(run, path) DO UPDATE SET state = ?3,"
                   " attempt = ?4, epoch = ?5, last_seq = ?6")
          .bind(event.run)
          .bind(event.path)
          .bind(std::string_view(state))
          .bind(event.attempt)
          .bind(epoch)
          .bind(seq)
          .run();
    return seq;
  }

  // "": the id is the content's digest.
  std::string keep(const std::string &run, const std::string &given,
                   const std::string &bytes) {
    std::string id = given.empty() ? sha256Hex(bytes) : given;
    database
        .prepare("INSERT OR IGNORE INTO blobs(id, bytes, content)"
                 " VALUES(?1, ?2, ?3)")
        .bind(id)
        .bind(int64_t(bytes.size()))
        .bindBlob(bytes)
        .run();
    database
        .prepare("INSERT OR IGNORE INTO blob_runs(blob, run) VALUES(?1, ?2)")
        .bind(id)
        .bind(run)
        .run();
    return id;
  }

  std::optional<std::string> find(const std::string &id) {
    Statement row = database.prepare("SELECT content FROM blobs WHERE id = ?1");
    if (!row.bind(id).step())
      return std::nullopt;
    return row.text(0);
  }

  std::string content(const std::string &id) {
    if (std::optional<std::string> bytes = find(id))
      return *bytes;
    fail(AGT_FAILED, "the step log is damaged: the blob " + id + " is missing");
  }

  void change(const std::string &run, const RunChange &to, int64_t now,
              int64_t seq) {
    bool ended = isTerminal(to.status);
    database
        .prepare("UPDATE runs SET status = ?2, wake = ?3, error = ?4,"
                 " changed = ?5, owner = CASE WHEN ?6 THEN NULL ELSE owner END,"
                 " attempts = CASE WHEN ?6 THEN 0 ELSE attempts END,"
                 " ended_seq = CASE WHEN ?7 THEN ?8 ELSE ended_seq END"
                 " WHERE id = ?1")
        .bind(run)
        .bind(std::string_view(runStatusName(to.status)))
        .bindOrNull(to.wake)
        .bindOrNull(to.error)
        .bind(now)
        .bind(int64_t(to.release))
        .bind(int64_t(ended))
        .bind(seq)
        .run();
  }

  void insertRow(const RunRow &run, int64_t now) {
    database
        .prepare("INSERT INTO runs(id, agent, program, status, epoch,"
                 " attempts, created, changed, wake, error)"
                 " VALUES(?1, ?2, ?3, ?4, ?5, 0, ?6, ?6, ?7, ?8)")
        .bind(run.id)
        .bind(run.agent)
        .bind(run.program)
        .bind(std::string_view(runStatusName(run.status)))
        .bind(run.epoch)
        .bind(now)
        .bindOrNull(run.wake)
        .bindOrNull(run.error)
        .run();
  }

  bool insertRun(const RunRow &run) {
    if (load(run.id))
      return false;
    int64_t now = Instant::now().wallMs;
    insertRow(run, now);
    Event started;
    started.run = run.id;
    started.kind = EventKind::RunStarted;
    started.args = run.args;
    started.info = run.agent;
    append(started, 0, now);
    return true;
  }

  Claim::Result take(RunRow &run, const std::string &owner, int64_t limit) {
    if (isTerminal(run.status))
      return Claim::Terminal;
    if (!run.owner.empty() && run.owner != owner && processLives(run.owner))
      return Claim::Busy;
    int64_t now = Instant::now().wallMs;
    if (limit && run.attempts >= limit) {
      change(run.id, {RunStatus::Parked, false, "", "", ""}, now, 0);
      return Claim::Exhausted;
    }
    ++run.epoch;
    ++run.attempts;
    run.owner = owner;
    run.status = RunStatus::Running;
    database
        .prepare("UPDATE runs SET epoch = ?2, attempts = ?3, owner = ?4,"
                 " status = 'running', changed = ?5, wake = NULL WHERE id = ?1")
        .bind(run.id)
        .bind(run.epoch)
        .bind(run.attempts)
        .bind(owner)
        .bind(now)
        .run();
    Event claimed;
    claimed.run = run.id;
    claimed.kind = EventKind::Claimed;
    claimed.attempt = run.attempts;
    append(claimed, run.epoch, now);
    return Claim::Claimed;
  }

  std::optional<RunRow> load(const std::string &id) {
    RunRow run;
    int64_t argsLarge = 0, resultLarge = 0;
    {
      Statement row = database.prepare(
          "SELECT id, agent, program, status, epoch, attempts, owner, created,"
          " changed, wake, runs.error,"
          " (SELECT args FROM events WHERE run = id ORDER BY seq LIMIT 1),"
          " (SELECT large FROM events WHERE run = id ORDER BY seq LIMIT 1),"
          " (SELECT result FROM events WHERE seq = ended_seq),"
          " (SELECT large FROM events WHERE seq = ended_seq)"
          " FROM runs WHERE id = ?1");
      if (!row.bind(id).step())
        return std::nullopt;
      run = {row.text(0),
             row.text(1),
             row.text(2),
             row.text(11),
             statusNamed(row.text(3)),
             row.number(4),
             row.number(5),
             row.text(6),
             row.number(7),
             row.number(8),
             row.text(9),
             row.text(10),
             row.text(13)};
      argsLarge = row.number(12);
      resultLarge = row.number(14);
    }
    if (argsLarge & 1)
      run.args = content(run.args);
    if (resultLarge & 2)
      run.result = content(run.result);
    return run;
  }

  static Event readEvent(Statement &row, const std::string &run) {
    Event event;
    event.seq = row.number(0);
    event.timeMs = row.number(1);
    event.run = run;
    event.path = row.text(2);
    event.kind = eventKindNamed(row.text(3)).value_or(EventKind::RunFailed);
    event.attempt = row.number(4);
    event.epoch = row.number(5);
    event.token = row.text(6);
    event.hash = row.text(7);
    event.args = row.text(8);
    event.result = row.text(9);
    event.error = row.text(10);
    event.info = row.text(11);
    event.tokensIn = row.number(12);
    event.tokensOut = row.number(13);
    return event;
  }

  std::mutex mutex; // of the connection
  FileLock lock;
  Database database;
  int frames = 0;
  int64_t ownWrites = 0;
};

} // namespace

std::unique_ptr<StepLog> openSqliteLog(const SqliteOptions &options) {
  return std::make_unique<SqliteLog>(options);
}

} // namespace agt::rt
