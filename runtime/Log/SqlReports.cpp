// See SqlReports.h.
#include "runtime/Log/SqlReports.h"

#include "runtime/Log/SqlTables.h"

namespace agt::rt {

std::vector<RunSummary> SqlReports::page(const RunQuery &query) {
  auto rows = database.prepare(
      "SELECT " AGT_RUN_COLUMNS " FROM runs"
      " WHERE ($1 = '' OR agent = $1) AND ($2 = '' OR status = $2)"
      " AND (created < $3 OR (created = $3 AND id < $4))"
      " ORDER BY created DESC, id DESC LIMIT $5");
  rows->bind(query.agent)
      .bind(query.status ? runStatusName(*query.status) : "")
      .bind(query.beforeMs)
      .bind(query.beforeId)
      .bind(int64_t(query.most));
  std::vector<RunSummary> all;
  while (rows->step()) {
    all.emplace_back();
    all.back().run = readRun(*rows);
  }
  return all;
}

void SqlReports::complete(RunSummary &summary) {
  const std::string &id = summary.run.id;
  {
    auto row = database.prepare("SELECT count(*) FROM steps WHERE run = $1");
    row->bind(id).step();
    summary.steps = row->number(0);
  }
  {
    auto row = database.prepare(
        "SELECT CAST(coalesce(sum(tokens_in), 0) AS BIGINT),"
        " CAST(coalesce(sum(tokens_out), 0) AS BIGINT) FROM events"
        " WHERE run = $1 AND token IS NOT NULL"
        " AND (tokens_in IS NOT NULL OR tokens_out IS NOT NULL)"
        " AND coalesce(info, '') NOT LIKE '%\"part\":true%'");
    row->bind(id).step();
    summary.tokensIn = row->number(0);
    summary.tokensOut = row->number(1);
  }
  RunStatus status = summary.run.status;
  if (status != RunStatus::Waiting && status != RunStatus::Parked)
    return;
  // A receive that waits is an intent.
  auto rows = database.prepare(
      "SELECT events.seq, time, events.path, kind,"
      " CASE WHEN large IN (0, 2) THEN args END, events.error, info"
      " FROM steps JOIN events ON events.seq = steps.last_seq"
      " WHERE steps.run = $1 AND state IN ('waiting', 'parked', 'in_flight')"
      " ORDER BY CASE WHEN state = 'in_flight' THEN 1 ELSE 0 END, events.seq"
      " LIMIT 8");
  rows->bind(id);
  while (rows->step()) {
    Event event;
    event.run = id;
    event.seq = rows->number(0);
    event.timeMs = rows->number(1);
    event.path = rows->text(2);
    event.kind = eventKindNamed(rows->text(3)).value_or(EventKind::RunFailed);
    event.args = rows->text(4);
    event.error = rows->text(5);
    event.info = rows->text(6);
    summary.open.push_back(std::move(event));
  }
}

std::vector<RunCount> SqlReports::countRuns() {
  std::vector<RunCount> counts;
  auto rows = database.prepare(
      "SELECT agent, status, count(*) FROM runs GROUP BY agent, status");
  while (rows->step())
    counts.push_back({rows->text(0), rows->text(1), rows->number(2)});
  return counts;
}

std::vector<RunRow> SqlReports::runningRuns() {
  std::vector<RunRow> runs;
  auto rows = database.prepare("SELECT agent, owner, coalesce(lease, 0)"
                               " FROM runs WHERE status = 'running'");
  while (rows->step()) {
    RunRow run;
    run.agent = rows->text(0);
    run.owner = rows->text(1);
    run.leaseNs = rows->number(2);
    runs.push_back(std::move(run));
  }
  return runs;
}

QueueCount SqlReports::countQueue() {
  auto row = database.prepare("SELECT count(*), coalesce(min(changed), 0)"
                              " FROM runs WHERE status = 'queued'"
                              " AND owner IS NULL");
  row->step();
  return {row->number(0), row->number(1)};
}

std::vector<EventBrief> SqlReports::briefs(int64_t after, int64_t upTo,
                                           size_t most) {
  auto rows =
      database.prepare("SELECT seq, time, run, agent, path, kind, attempt,"
                       " CASE WHEN token IS NOT NULL THEN 1 ELSE 0 END,"
                       " CASE WHEN result IS NOT NULL THEN 1 ELSE 0 END,"
                       " substr(args, 1, 8), info, coalesce(tokens_in, -1),"
                       " coalesce(tokens_out, -1)"
                       " FROM events JOIN runs ON runs.id = events.run"
                       " WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3");
  rows->bind(after).bind(upTo).bind(int64_t(most));
  std::vector<EventBrief> all;
  while (rows->step()) {
    EventBrief event;
    event.seq = rows->number(0);
    event.timeMs = rows->number(1);
    event.run = rows->text(2);
    event.agent = rows->text(3);
    event.path = rows->text(4);
    event.kind = eventKindNamed(rows->text(5)).value_or(EventKind::RunFailed);
    event.attempt = rows->number(6);
    event.call = rows->number(7) != 0;
    event.hasResult = rows->number(8) != 0;
    event.about = rows->text(9);
    event.info = rows->text(10);
    event.tokensIn = rows->number(11);
    event.tokensOut = rows->number(12);
    all.push_back(std::move(event));
  }
  return all;
}

int64_t SqlReports::seqBefore(int64_t timeMs, int64_t after) {
  auto row = database.prepare("SELECT coalesce(max(seq), $1) FROM events"
                              " WHERE seq > $1 AND time < $2");
  row->bind(after).bind(timeMs).step();
  return row->number(0);
}

} // namespace agt::rt
