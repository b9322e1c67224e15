// See Sqlite.h.
#include "runtime/Log/Sqlite.h"

#include "runtime/Support/Failure.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace agt::rt {

namespace {

// Reset when it goes out of scope, and used again.
class SqliteStatement : public Statement {
public:
  SqliteStatement(Database &database, sqlite3_stmt *statement)
      : database(database), statement(statement) {}
  ~SqliteStatement() override {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }

  Statement &bind(int64_t number) override {
    sqlite3_bind_int64(statement, next++, number);
    return *this;
  }

  bool step() override {
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
      return true;
    if (code != SQLITE_DONE)
      database.failed("use");
    return false;
  }

  int64_t number(int column) override {
    return sqlite3_column_int64(statement, column);
  }

  std::string text(int column) override {
    auto *bytes =
        static_cast<const char *>(sqlite3_column_blob(statement, column));
    int n = sqlite3_column_bytes(statement, column);
    return bytes ? std::string(bytes, size_t(n)) : std::string();
  }

private:
  Statement &add(std::string_view bytes, Kind kind) override {
    const char *data = bytes.data() ? bytes.data() : "";
    if (kind == Kind::Null)
      sqlite3_bind_null(statement, next++);
    else if (kind == Kind::Blob)
      sqlite3_bind_blob64(statement, next++, data, bytes.size(), SQLITE_STATIC);
    else
      sqlite3_bind_text64(statement, next++, data, bytes.size(), SQLITE_STATIC,
                          SQLITE_UTF8);
    return *this;
  }

  Database &database;
  sqlite3_stmt *statement;
  int next = 1;
};

} // namespace

Database::Database(const std::string &given, const std::string &vfs)
    : file(given) {
  int code = sqlite3_open_v2(file.empty() ? ":memory:" : file.c_str(), &handle,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                 SQLITE_OPEN_FULLMUTEX,
                             vfs.empty() ? nullptr : vfs.c_str());
  if (code != SQLITE_OK) {
    std::string why = handle ? sqlite3_errmsg(handle) : "out of memory";
    sqlite3_close(handle);
    fail(AGT_MISSING, "cannot open the step log '" + file + "': " + why);
  }
  // Readers wait for a recovery or a switch to WAL, never for a writer.
  sqlite3_busy_timeout(handle, 60000);
  sqlite3_extended_result_codes(handle, 1);
}

Database::~Database() {
  for (auto &entry : statements)
    sqlite3_finalize(entry.second);
  sqlite3_close(handle);
}

void Database::execute(const char *sql) {
  if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    failed("use");
}

std::unique_ptr<Statement> Database::prepare(const char *sql) {
  sqlite3_stmt *&statement = statements[sql];
  if (!statement &&
      sqlite3_prepare_v3(handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                         nullptr) != SQLITE_OK)
    failed("use");
  return std::make_unique<SqliteStatement>(*this, statement);
}

void Database::failed(const char *what) {
  int code = sqlite3_errcode(handle) & 0xff; // without its extension
  std::string name = file.empty() ? "in memory" : "'" + file + "'";
  std::string why = sqlite3_errmsg(handle);
  if (int error = sqlite3_system_errno(handle);
      error &&
      (code == SQLITE_CANTOPEN || code == SQLITE_IOERR || code == SQLITE_FULL))
    why += std::string(" (") + std::strerror(error) + ")";
  fail(code == SQLITE_NOTADB || code == SQLITE_CORRUPT ||
               code == SQLITE_READONLY || code == SQLITE_CANTOPEN
           ? AGT_MISSING
           : AGT_FAILED,
       "cannot " + std::string(what) + " the step log " + name + ": " + why);
}

FileLock::FileLock(const std::string &given) : path(given) {
  if (path.empty())
    return;
  descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0)
    fail(AGT_MISSING, "cannot open the lock '" + path +
                          "' of the step log: " + std::strerror(errno));
}

FileLock::~FileLock() {
  if (descriptor >= 0)
    close(descriptor);
}

void FileLock::lock() {
  mutex.lock();
  while (descriptor >= 0 && flock(descriptor, LOCK_EX) != 0) {
    if (errno == EINTR)
      continue;
    std::string why = std::strerror(errno);
    mutex.unlock();
    fail(AGT_FAILED, "cannot lock '" + path + "': " + why);
  }
}

void FileLock::unlock() {
  if (descriptor >= 0)
    flock(descriptor, LOCK_UN);
  mutex.unlock();
}

} // namespace agt::rt
