// See SqlTables.h.
#include "runtime/Log/SqlTables.h"

#include "runtime/Log/Token.h"
#include "runtime/Support/Failure.h"

namespace agt::rt {

namespace {

constexpr size_t largeText = 1 << 20;

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

Event readEvent(Statement &row, const std::string &run) {
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

} // namespace

RunRow readRun(Statement &row) {
  RunRow run;
  run.id = row.text(0);
  run.agent = row.text(1);
  run.program = row.text(2);
  run.status = runStatusNamed(row.text(3)).value_or(RunStatus::Failed);
  run.epoch = row.number(4);
  run.attempts = row.number(5);
  run.owner = row.text(6);
  run.createdMs = row.number(7);
  run.changedMs = row.number(8);
  run.wake = row.text(9);
  run.error = row.text(10);
  run.leaseNs = row.number(11);
  return run;
}

std::optional<RunRow> SqlTables::loadRun(const std::string &id) {
  RunRow run;
  int64_t argsLarge = 0, resultLarge = 0;
  {
    auto row = database.prepare(
        "SELECT " AGT_RUN_COLUMNS ","
        " (SELECT args FROM events WHERE run = id ORDER BY seq LIMIT 1),"
        " (SELECT large FROM events WHERE run = id ORDER BY seq LIMIT 1),"
        " (SELECT result FROM events WHERE seq = ended_seq),"
        " (SELECT large FROM events WHERE seq = ended_seq)"
        " FROM runs WHERE id = $1");
    if (!row->bind(id).step())
      return std::nullopt;
    run = readRun(*row);
    run.args = row->text(12);
    argsLarge = row->number(13);
    run.result = row->text(14);
    resultLarge = row->number(15);
  }
  if (argsLarge & 1)
    run.args = content(run.args);
  if (resultLarge & 2)
    run.result = content(run.result);
  return run;
}

std::vector<std::string> SqlTables::runIds() {
  std::vector<std::string> ids;
  auto all = database.prepare("SELECT id FROM runs ORDER BY created, id");
  while (all->step())
    ids.push_back(all->text(0));
  return ids;
}

std::optional<int64_t> SqlTables::epochOf(const std::string &run) {
  auto row = database.prepare("SELECT epoch FROM runs WHERE id = $1");
  if (!row->bind(run).step())
    return std::nullopt;
  return row->number(0);
}

static std::vector<RunRow> shortRows(Statement &rows) {
  std::vector<RunRow> all;
  while (rows.step()) {
    RunRow run;
    run.id = rows.text(0);
    run.agent = rows.text(1);
    run.status = runStatusNamed(rows.text(2)).value_or(RunStatus::Failed);
    run.owner = rows.text(3);
    run.leaseNs = rows.number(4);
    run.wake = rows.text(5);
    all.push_back(std::move(run));
  }
  return all;
}

// An agent's name may hold `_`, which LIKE takes for any letter: callers look
// again.
std::vector<RunRow> SqlTables::queuedRuns(const std::string &agents,
                                          int64_t most) {
  auto rows = database.prepare(
      "SELECT id, agent, status, owner, coalesce(lease, 0), wake FROM runs"
      " WHERE status = 'queued' AND $1 LIKE '%,' || agent || ',%'"
      " ORDER BY created LIMIT $2");
  rows->bind(agents).bind(most);
  return shortRows(*rows);
}

std::vector<RunRow> SqlTables::unfinishedRuns(const std::string &agents) {
  auto rows = database.prepare(
      "SELECT id, agent, status, owner, coalesce(lease, 0), wake FROM runs"
      " WHERE status IN ('running', 'waiting', 'parked')"
      " AND (owner IS NOT NULL OR wake IS NOT NULL)"
      " AND $1 LIKE '%,' || agent || ',%'");
  rows->bind(agents);
  return shortRows(*rows);
}

void SqlTables::wakeRun(const std::string &run, const std::string &wake) {
  database
      .prepare("UPDATE runs SET wake = $1 WHERE id = $2 AND owner IS NULL"
               " AND status IN ('waiting', 'parked')")
      ->bind(wake)
      .bind(run)
      .run();
}

void SqlTables::insertRun(const RunRow &run, int64_t nowMs, int64_t lease) {
  database
      .prepare("INSERT INTO runs(id, agent, program, status, epoch,"
               " attempts, created, changed, wake, error, owner, lease)"
               " VALUES($1, $2, $3, $4, $5, 0, $6, $6, $7, $8, $9, $10)")
      ->bind(run.id)
      .bind(run.agent)
      .bind(run.program)
      .bind(runStatusName(run.status))
      .bind(run.epoch)
      .bind(nowMs)
      .bindOrNull(run.wake)
      .bindRawOrNull(run.error)
      .bindOrNull(run.owner)
      .bind(lease)
      .run();
}

void SqlTables::changeRun(const std::string &run, const RunChange &to,
                          int64_t nowMs, int64_t seq) {
  database
      .prepare("UPDATE runs SET status = $1, wake = $2, error = $3,"
               " changed = $4, owner = CASE WHEN $5 = 1 THEN NULL ELSE owner"
               " END, attempts = CASE WHEN $5 = 1 THEN 0 ELSE attempts END,"
               " ended_seq = CASE WHEN $6 = 1 THEN $7 ELSE ended_seq END"
               " WHERE id = $8")
      ->bind(runStatusName(to.status))
      .bindOrNull(to.wake)
      .bindRawOrNull(to.error)
      .bind(nowMs)
      .bind(int64_t(to.release))
      .bind(int64_t(isTerminal(to.status)))
      .bind(seq)
      .bind(run)
      .run();
}

void SqlTables::claimRun(const RunRow &run, int64_t nowMs, int64_t lease) {
  database
      .prepare("UPDATE runs SET epoch = $1, attempts = $2, owner = $3,"
               " status = 'running', changed = $4, wake = NULL, lease = $5"
               " WHERE id = $6")
      ->bind(run.epoch)
      .bind(run.attempts)
      .bind(run.owner)
      .bind(nowMs)
      .bind(lease)
      .bind(run.id)
      .run();
}

void SqlTables::renewLease(const std::string &run, int64_t lease) {
  database.prepare("UPDATE runs SET lease = $1 WHERE id = $2")
      ->bind(lease)
      .bind(run)
      .run();
}

void SqlTables::setEnd(const std::string &run, int64_t seq) {
  database.prepare("UPDATE runs SET ended_seq = $1 WHERE id = $2")
      ->bind(seq)
      .bind(run)
      .run();
}

void SqlTables::removeRun(const std::string &run) {
  for (const char *sql :
       {"DELETE FROM events WHERE run = $1", "DELETE FROM steps WHERE run = $1",
        "DELETE FROM blob_runs WHERE run = $1",
        "DELETE FROM runs WHERE id = $1"})
    database.prepare(sql)->bind(run).run();
  database
      .prepare("DELETE FROM blobs WHERE id NOT IN (SELECT blob FROM blob_runs)")
      ->run();
}

int64_t SqlTables::append(const Event &event, int64_t epoch, int64_t timeMs) {
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
  auto insert = database.prepare(
      "INSERT INTO events(time, run, path, kind, attempt, epoch, token,"
      " hash, args, result, error, info, tokens_in, tokens_out, large)"
      " VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,"
      " nullif(CAST($13 AS BIGINT), -1), nullif(CAST($14 AS BIGINT), -1),"
      " $15) RETURNING seq");
  insert->bind(timeMs)
      .bind(event.run)
      .bind(event.path)
      .bind(eventKindName(event.kind))
      .bind(event.attempt)
      .bind(epoch)
      .bindOrNull(event.token)
      .bindOrNull(event.hash)
      .bindOrNull(large & 1 ? argsId : event.args)
      .bindOrNull(large & 2 ? resultId : event.result)
      .bindRawOrNull(event.error)
      .bindOrNull(event.info)
      .bind(event.tokensIn)
      .bind(event.tokensOut)
      .bind(large)
      .step();
  int64_t seq = insert->number(0);
  insert->run();
  if (const char *state = stateAfter(event.kind))
    database
        .prepare("INSERT INTO steps(run, path, state, attempt, epoch,"
                 " last_seq) VALUES($1, $2, $3, $4, $5, $6)"
                 " ON CONFLICT(run, path) DO UPDATE SET state ="
                 " excluded.state, attempt = excluded.attempt, epoch ="
                 " excluded.epoch, last_seq = excluded.last_seq")
        ->bind(event.run)
        .bind(event.path)
        .bind(state)
        .bind(event.attempt)
        .bind(epoch)
        .bind(seq)
        .run();
  return seq;
}

std::vector<Event> SqlTables::events(const std::string &run, int64_t after) {
  std::vector<Event> result;
  std::vector<int64_t> large;
  {
    auto all = database.prepare(
        "SELECT seq, time, path, kind, attempt, epoch, token, hash, args,"
        " result, error, info, coalesce(tokens_in, -1),"
        " coalesce(tokens_out, -1), large"
        " FROM events WHERE run = $1 AND seq > $2 ORDER BY seq");
    all->bind(run).bind(after);
    while (all->step()) {
      result.push_back(readEvent(*all, run));
      large.push_back(all->number(14));
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

bool SqlTables::hasEvent(const std::string &run, int64_t seq) {
  return database.prepare("SELECT 1 FROM events WHERE run = $1 AND seq = $2")
      ->bind(run)
      .bind(seq)
      .step();
}

int64_t SqlTables::lastSeq(const std::string &run, const std::string &path) {
  auto row = database.prepare(
      "SELECT last_seq FROM steps WHERE run = $1 AND path = $2");
  return row->bind(run).bind(path).step() ? row->number(0) : 0;
}

std::string SqlTables::keep(const std::string &run, const std::string &given,
                            const std::string &bytes) {
  std::string id = given.empty() ? sha256Hex(bytes) : given;
  database
      .prepare("INSERT INTO blobs(id, bytes, content) VALUES($1, $2, $3)"
               " ON CONFLICT DO NOTHING")
      ->bind(id)
      .bind(int64_t(bytes.size()))
      .bindBlob(bytes)
      .run();
  database
      .prepare("INSERT INTO blob_runs(blob, run) VALUES($1, $2)"
               " ON CONFLICT DO NOTHING")
      ->bind(id)
      .bind(run)
      .run();
  return id;
}

std::optional<std::string> SqlTables::find(const std::string &blob) {
  auto row = database.prepare("SELECT content FROM blobs WHERE id = $1");
  if (!row->bind(blob).step())
    return std::nullopt;
  return row->text(0);
}

std::vector<CallRow> SqlTables::calls(const std::string &tool) {
  std::vector<CallRow> all;
  auto row = database.prepare("SELECT call, owner, started, expires, running"
                              " FROM limit_calls WHERE tool = $1"
                              " ORDER BY started");
  row->bind(tool);
  while (row->step())
    all.push_back({row->text(0), row->text(1), row->number(2), row->number(3),
                   row->number(4) != 0});
  return all;
}

void SqlTables::addCall(const LimitedCall &call, int64_t started,
                        int64_t expires) {
  database
      .prepare("INSERT INTO limit_calls(tool, call, owner, started, expires,"
               " running) VALUES($1, $2, $3, $4, $5, $6)")
      ->bind(call.tool)
      .bind(call.call)
      .bind(call.owner)
      .bind(started)
      .bind(expires)
      .bind(int64_t(call.concurrent != 0))
      .run();
}

void SqlTables::endCall(const std::string &tool, const std::string &call) {
  database
      .prepare("UPDATE limit_calls SET running = 0 WHERE tool = $1 AND"
               " call = $2")
      ->bind(tool)
      .bind(call)
      .run();
}

void SqlTables::removeCall(const std::string &tool, const std::string &call) {
  database.prepare("DELETE FROM limit_calls WHERE tool = $1 AND call = $2")
      ->bind(tool)
      .bind(call)
      .run();
}

std::string SqlTables::content(const std::string &blob) {
  if (std::optional<std::string> bytes = find(blob))
    return *bytes;
  fail(AGT_FAILED, "the step log is damaged: the blob " + blob + " is missing");
}

} // namespace agt::rt
