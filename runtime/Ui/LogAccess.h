// The step log as a server that lives long sees it: it may go away and come
// back, and somebody has to look whether it has changed.
#ifndef AGT_RUNTIME_UI_LOGACCESS_H
#define AGT_RUNTIME_UI_LOGACCESS_H

#include "runtime/Log/StepLog.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace agt::rt {

class LogAccess {
public:
  /// Opens the log; fails as openStepLog() does.
  explicit LogAccess(const std::string &url);

  /// The log. Fails with AGT_MISSING while an SQLite file is not there; one
  /// that was put in its place is opened.
  std::shared_ptr<StepLog> log();
  /// The URL without a password.
  std::string name() const;

private:
  bool sameFile(); // takes what is there now to be the file

  std::string url, file; // file: of SQLite, else ""
  std::mutex mutex;
  std::shared_ptr<StepLog> open;
  uint64_t device = 0, inode = 0;
};

/// Looks for changes on a thread of its own, for all who wait for some.
class LogNews {
public:
  explicit LogNews(LogAccess &access);
  ~LogNews();
  LogNews(const LogNews &) = delete;

  struct State {
    int64_t changes = 0;
    std::string lost; // why the log cannot be read, "" when it can
  };
  /// How things stand once they are not as in `seen`, or after `ns`.
  State await(const State &seen, int64_t ns);
  State now();

private:
  void watch();
  void tell(bool changed, const std::string &lost);

  LogAccess &access;
  std::mutex mutex;
  std::condition_variable told;
  State state;
  std::atomic<bool> ending{false};
  std::thread thread;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_LOGACCESS_H
