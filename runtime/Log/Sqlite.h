// SQLite's C interface as objects: a connection, a statement, the file lock.
#ifndef AGT_RUNTIME_LOG_SQLITE_H
#define AGT_RUNTIME_LOG_SQLITE_H

#include <cstdint>
#include <map>
#include <mutex>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace agt::rt {

class Database;

/// A prepared statement, reset when it goes out of scope and used again.
class Statement {
public:
  Statement(Database &database, sqlite3_stmt *statement)
      : database(database), statement(statement) {}
  ~Statement();
  Statement(const Statement &) = delete;

  Statement &bind(std::string_view text);       // the next parameter
  Statement &bindOrNull(std::string_view text); // "" is NULL
  Statement &bind(int64_t number);
  Statement &bindBlob(std::string_view bytes);
  /// False at the end; throws Failure when the database fails.
  bool step();
  void run();

  int64_t number(int column);
  std::string text(int column); // NULL is ""

private:
  Database &database;
  sqlite3_stmt *statement;
  int next = 1;
};

class Database {
public:
  /// `file` "" is in memory. Throws Failure.
  Database(const std::string &file, const std::string &vfs);
  ~Database();
  Database(const Database &) = delete;

  void execute(const char *sql);
  Statement prepare(const char *sql);
  [[noreturn]] void failed(const char *what);

  sqlite3 *handle = nullptr;

private:
  std::string file;
  std::map<const char *, sqlite3_stmt *> statements; // by the literal's address
};

/// Held around every write transaction and checkpoint: the releases of SQLite
/// that Debian ships can lose commits when two connections write or checkpoint
/// at once. An advisory lock on FILE.lock keeps processes apart, a mutex the
/// threads of this one.
class FileLock {
public:
  explicit FileLock(const std::string &path); // "": threads only
  ~FileLock();
  void lock();
  void unlock();

private:
  std::mutex mutex;
  int descriptor = -1;
  std::string path;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_SQLITE_H
