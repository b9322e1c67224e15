// See LogAccess.h.
#include "runtime/Ui/LogAccess.h"

#include "runtime/Log/Postgres.h"
#include "runtime/Support/Failure.h"

#include <chrono>
#include <cstring>
#include <sys/stat.h>

namespace agt::rt {

namespace {

constexpr int64_t lookEveryNs = 200'000'000;

// Who looks at a page is told at once; the log is tried again at the next look.
std::unique_ptr<StepLog> openFor(const std::string &url) {
  return openStepLog(url, 0);
}

} // namespace

LogAccess::LogAccess(const std::string &given) : url(stepLogUrl(given)) {
  open = openFor(url);
  if (url.rfind("sqlite:", 0) == 0) {
    file = url.substr(std::strlen("sqlite:"));
    sameFile();
  }
}

bool LogAccess::sameFile() {
  struct stat found;
  if (stat(file.c_str(), &found) != 0)
    fail(AGT_MISSING, "the step log '" + file + "' is gone");
  bool same = found.st_dev == device && found.st_ino == inode;
  device = found.st_dev;
  inode = found.st_ino;
  return same;
}

std::shared_ptr<StepLog> LogAccess::log() {
  std::lock_guard<std::mutex> held(mutex);
  if (!file.empty() && !sameFile())
    open.reset();
  if (!open)
    open = openFor(url);
  return open;
}

std::string LogAccess::name() const {
  return file.empty() ? withoutPassword(url, url) : url;
}

LogNews::LogNews(LogAccess &access)
    : access(access), thread([this] { watch(); }) {}

LogNews::~LogNews() {
  ending = true;
  thread.join();
}

LogNews::State LogNews::now() {
  std::lock_guard<std::mutex> held(mutex);
  return state;
}

LogNews::State LogNews::await(const State &seen, int64_t ns) {
  std::unique_lock<std::mutex> held(mutex);
  told.wait_for(held, std::chrono::nanoseconds(ns), [&] {
    return state.changes != seen.changes || state.lost != seen.lost;
  });
  return state;
}

void LogNews::tell(bool changed, const std::string &lost) {
  std::lock_guard<std::mutex> held(mutex);
  changed |= state.lost != lost;
  state.changes += changed;
  state.lost = lost;
  if (changed)
    told.notify_all();
}

void LogNews::watch() {
  std::shared_ptr<StepLog> last;
  int64_t version = 0;
  while (!ending) {
    try {
      std::shared_ptr<StepLog> log = access.log();
      if (!now().lost.empty())
        log->run(""); // connects again
      int64_t found = log->version();
      bool changed = log != last || found != version;
      last = log;
      version = found;
      tell(changed, "");
      log->awaitNews(lookEveryNs);
    } catch (const std::exception &failure) {
      tell(false, failure.what());
      std::this_thread::sleep_for(std::chrono::nanoseconds(lookEveryNs));
    }
  }
}

} // namespace agt::rt
