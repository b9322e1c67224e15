// SQLite's C interface as objects: a connection, its statements, the file lock.
#ifndef AGT_RUNTIME_LOG_SQLITE_H
#define AGT_RUNTIME_LOG_SQLITE_H

#include "runtime/Log/Sql.h"

#include <map>
#include <mutex>
#include <sqlite3.h>
#include <string>

namespace agt::rt {

class Database : public Sql {
public:
  /// `file` "" is in memory. Throws Failure.
  Database(const std::string &file, const std::string &vfs);
  ~Database() override;
  Database(const Database &) = delete;

  void execute(const char *sql);
  std::unique_ptr<Statement> prepare(const char *sql) override;
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
