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

std::optional<RunStatus> runStatusNamed(const std::string &name) {
  for (int i = 0; i <= int(RunStatus::Cancelled); ++i)
    if (name == runStatusName(RunStatus(i)))
      return RunStatus(i);
  return std::nullopt;
}

bool isTerminal(RunStatus status) { return status >= RunStatus::Done; }

// A time that the environment gives in seconds.
static std::optional<int64_t> secondsOf(const char *name, int64_t least) {
  const char *value = std::getenv(name);
  if (!value)
    return std::nullopt;
  std::string text = value;
  bool digits = !text.empty() && text.size() <= 5 &&
                text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::atoll(value) < least)
    fail(AGT_BAD_INPUT, "expected " + std::string(name) + " as seconds, " +
                            std::to_string(least) + " to 99999, got '" + text +
                            "'");
  return std::atoll(value) * 1'000'000'000;
}

std::string stepLogUrl(const std::string &given) {
  if (!given.empty())
    return given;
  const char *variable = std::getenv("AGT_DB");
  return variable && *variable ? variable : "sqlite:agt.db";
}

std::unique_ptr<StepLog> openStepLog(const std::string &given,
                                     std::optional<int64_t> waitNs) {
  std::string url = stepLogUrl(given);
  if (url == ":memory:")
    return openSqliteLog({"", ""});
  std::optional<int64_t> lease = secondsOf("AGT_LEASE", 1);
  if (url.rfind("sqlite:", 0) == 0 && url.size() > 7) {
    SqliteOptions options;
    options.file = url.substr(7);
    options.leaseNs = lease.value_or(options.leaseNs);
    return openSqliteLog(options);
  }
  if (url.rfind("postgres://", 0) == 0 || url.rfind("postgresql://", 0) == 0) {
    PostgresOptions options;
    options.url = url;
    options.leaseNs = lease.value_or(options.leaseNs);
    options.waitNs = secondsOf("AGT_DB_WAIT", 0).value_or(options.waitNs);
    options.waitNs = waitNs.value_or(options.waitNs);
    return openPostgresLog(options);
  }
  fail(AGT_BAD_INPUT, "expected a database as sqlite:FILE or "
                      "postgres://USER@HOST/NAME, got '" +
                          url + "'");
}

} // namespace agt::rt
