// Names, and which database a URL means.
#include "runtime/Log/StepLog.h"

#include "runtime/Log/PostgresLog.h"
#include "runtime/Log/SqliteLog.h"
#include "runtime/Support/Failure.h"

#include <cstdlib>

namespace agt::rt {

StepLog::~StepLog() = default;

static const char *const kindNames[] = {
    "run_started", "intent",   "result",    "failure",        "unknown",
    "reconciled",  "parked",   "decision",  "approval_asked", "approval",
    "signal",      "sleep",    "cancel",    "cancelled",      "claimed",
    "released",    "run_done", "run_failed"};

const char *eventKindName(EventKind kind) { return kindNames[int(kind)]; }

std::optional<EventKind> eventKindNamed(const std::string &name) {
  for (int i = 0; i <= int(EventKind::RunFailed); ++i)
    if (name == kindNames[i])
      return EventKind(i);
  return std::nullopt;
}

const char *runStatusName(RunStatus status) {
  static const char *const names[] = {"queued", "running", "waiting",  "parked",
                                      "done",   "failed",  "cancelled"};
  return names[int(status)];
}

bool isTerminal(RunStatus status) { return status >= RunStatus::Done; }

static int64_t waitSeconds(const std::string &text) {
  bool digits = !text.empty() && text.size() <= 5 &&
                text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits)
    fail(AGT_BAD_INPUT, "expected AGT_DB_WAIT as seconds, 0 to 99999, got '" +
                            text + "'");
  return std::atoll(text.c_str());
}

std::unique_ptr<StepLog> openStepLog(const std::string &given) {
  std::string url = given;
  if (url.empty()) {
    const char *variable = std::getenv("AGT_DB");
    url = variable && *variable ? variable : "sqlite:agt.db";
  }
  if (url == ":memory:")
    return openSqliteLog({"", ""});
  if (url.rfind("sqlite:", 0) == 0 && url.size() > 7)
    return openSqliteLog({url.substr(7), ""});
  if (url.rfind("postgres://", 0) == 0 || url.rfind("postgresql://", 0) == 0) {
    PostgresOptions options;
    options.url = url;
    if (const char *seconds = std::getenv("AGT_DB_WAIT"))
      options.waitNs = waitSeconds(seconds) * 1'000'000'000;
    return openPostgresLog(options);
  }
  fail(AGT_BAD_INPUT, "expected a database as sqlite:FILE or "
                      "postgres://USER@HOST/NAME, got '" +
                          url + "'");
}

} // namespace agt::rt
