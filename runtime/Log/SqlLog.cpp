// See SqlLog.h.
#include "runtime/Log/SqlLog.h"

#include "runtime/Support/FailPoint.h"
#include "runtime/Value/Value.h"

#include <algorithm>
#include <random>

namespace agt::rt {

std::vector<Written> SqlLog::commit(const std::vector<Write *> &writes) {
  std::vector<Written> outcomes;
  std::vector<std::string> ids;
  for (const Write *write : writes)
    ids.push_back(write->run);
  transaction([&] {
    outcomes.clear();
    Now now = lockRuns(ids);
    for (Write *write : writes)
      outcomes.push_back(apply(*write, now));
  });
  return outcomes;
}

Written SqlLog::apply(const Write &write, const Now &now) {
  std::optional<int64_t> epoch = tables.epochOf(write.run);
  if (!epoch)
    return Written::NoRun;
  if (write.epoch && write.epoch != *epoch && !FailPoint::isOff("fencing"))
    return Written::Stale;
  if (write.expected && tables.lastSeq(write.run, write.expected->path) !=
                            write.expected->lastSeq)
    return Written::Stale;
  for (const Blob &blob : write.blobs)
    tables.keep(write.run, blob.id, blob.content);
  int64_t seq = 0;
  for (const Event &event : write.events) {
    Event copy = event;
    copy.run = write.run;
    seq = append(copy, *epoch, now.wallMs);
  }
  if (write.change)
    tables.changeRun(write.run, *write.change, now.wallMs, seq);
  if (!write.epoch && !write.events.empty())
    tables.wakeRun(write.run, Instant::now().text());
  if (!write.epoch ||
      (write.change && write.change->status == RunStatus::Queued))
    tellNews();
  if (write.renew)
    tables.renewLease(write.run, now.clockNs + lease);
  return Written::Yes;
}

int64_t SqlLog::append(const Event &event, int64_t epoch, int64_t timeMs) {
  lastAppended.run = event.run;
  lastAppended.seq = tables.append(event, epoch, timeMs);
  return lastAppended.seq;
}

bool SqlLog::create(const RunRow &run) {
  bool made = false;
  transaction([&] {
    Now now = lockRuns({run.id});
    made = !tables.epochOf(run.id);
    if (!made)
      return;
    tables.insertRun(run, now.wallMs, now.clockNs + lease);
    if (run.owner.empty())
      tellNews();
    Event started;
    started.run = run.id;
    started.kind = EventKind::RunStarted;
    started.args = run.args;
    started.info = run.agent;
    append(started, 0, now.wallMs);
  });
  return made;
}

Claim SqlLog::claim(const std::string &id, const std::string &owner,
                    int64_t limit) {
  Claim claim{Claim::NoRun, {}};
  transaction([&] {
    Now now = lockRuns({id});
    std::optional<RunRow> row = load(id);
    claim = {Claim::NoRun, row.value_or(RunRow())};
    if (row)
      claim.result = take(claim.run, owner, limit, now);
  });
  return claim;
}

Claim::Result SqlLog::take(RunRow &run, const std::string &owner, int64_t limit,
                           const Now &now) {
  if (isTerminal(run.status))
    return Claim::Terminal;
  if (run.owned && run.owner != owner)
    return Claim::Busy;
  if (limit && run.attempts >= limit) {
    tables.changeRun(run.id, {RunStatus::Parked, false, "", "", ""}, now.wallMs,
                     0);
    return Claim::Exhausted;
  }
  ++run.epoch;
  ++run.attempts;
  run.owner = owner;
  run.status = RunStatus::Running;
  tables.claimRun(run, now.wallMs, now.clockNs + lease);
  Event claimed;
  claimed.run = run.id;
  claimed.kind = EventKind::Claimed;
  claimed.attempt = run.attempts;
  claimed.info = "{\"owner\":" + jsonString(owner) + "}";
  append(claimed, run.epoch, now.wallMs);
  return Claim::Claimed;
}

// A process that was stopped for longer than its lease is as good as gone: its
// writes are refused, and what it had on its way is asked after.
bool SqlLog::ownerLives(const std::string &owner, int64_t until) {
  if (owner.empty() || until <= clockNs())
    return false;
  return ofThisMachine(owner) ? processLives(owner) : mayLiveElsewhere(owner);
}

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

bool SqlLog::isReady(const RunRow &run) {
  if (isTerminal(run.status) || run.owned)
    return false;
  bool waits =
      run.status == RunStatus::Waiting || run.status == RunStatus::Parked;
  return !waits ||
         (!run.wake.empty() && Instant::parse(run.wake).remaining() == 0);
}

// Candidates: what is ready is found out again under a lock.
std::vector<std::string> SqlLog::readyIds(const ClaimRequest &request,
                                          size_t most) {
  std::string agents = ",";
  for (const auto &entry : request.agents)
    agents += entry.first + ",";
  std::vector<std::string> ids;
  auto keepReady = [&](std::vector<RunRow> rows) {
    for (RunRow &row : rows) {
      row.owned = ownerLives(row.owner, row.leaseNs);
      if (isReady(row) && request.agents.count(row.agent))
        ids.push_back(row.id);
    }
  };
  keepReady(tables.unfinishedRuns(agents));
  // Enough of the queue for a choice, whatever its length.
  keepReady(tables.queuedRuns(agents, int64_t(4 * most + 64)));
  return ids;
}

std::vector<RunRow> SqlLog::claimReady(const ClaimRequest &request,
                                       size_t most) {
  std::vector<std::string> ids;
  reading([&] { ids = readyIds(request, most); });
  if (ids.empty())
    return {};
  thread_local std::minstd_rand random{std::random_device()()};
  std::shuffle(ids.begin(), ids.end(), random);
  ids.resize(std::min(ids.size(), most));
  std::vector<RunRow> claimed;
  transaction([&] {
    claimed.clear();
    std::vector<std::string> mine = lockIdle(ids);
    Now now = lockRuns({});
    for (const std::string &id : mine) {
      std::optional<RunRow> run = load(id);
      if (run && isReady(*run) &&
          take(*run, request.owner, request.agents.at(run->agent), now) ==
              Claim::Claimed)
        claimed.push_back(std::move(*run));
    }
  });
  return claimed;
}

std::optional<RunRow> SqlLog::load(const std::string &id) {
  std::optional<RunRow> run = tables.loadRun(id);
  if (run)
    run->owned = ownerLives(run->owner, run->leaseNs);
  return run;
}

std::optional<RunRow> SqlLog::run(const std::string &id) {
  std::optional<RunRow> row;
  reading([&] { row = load(id); });
  return row;
}

std::vector<RunRow> SqlLog::runs() {
  std::vector<RunRow> rows;
  reading([&] {
    rows.clear();
    for (const std::string &id : tables.runIds())
      if (std::optional<RunRow> row = load(id))
        rows.push_back(std::move(*row));
  });
  return rows;
}

std::vector<RunSummary> SqlLog::page(const RunQuery &query) {
  std::vector<RunSummary> rows;
  reading([&] {
    rows = reports.page(query);
    for (RunSummary &row : rows) {
      row.run.owned = ownerLives(row.run.owner, row.run.leaseNs);
      reports.complete(row);
    }
  });
  return rows;
}

std::vector<RunCount> SqlLog::countRuns() {
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  reading([&] {
    counts.clear();
    for (RunCount &count : reports.countRuns())
      counts[{count.agent, count.status}] = count.runs;
    for (const RunRow &run : reports.runningRuns())
      if (!ownerLives(run.owner, run.leaseNs)) {
        --counts[{run.agent, "running"}];
        ++counts[{run.agent, "interrupted"}];
      }
  });
  std::vector<RunCount> result;
  for (const auto &[key, runs] : counts)
    if (runs > 0)
      result.push_back({key.first, key.second, runs});
  return result;
}

QueueCount SqlLog::countQueue() {
  QueueCount count;
  reading([&] { count = reports.countQueue(); });
  return count;
}

std::vector<EventBrief> SqlLog::briefs(int64_t after, int64_t upTo,
                                       size_t most) {
  std::vector<EventBrief> all;
  reading([&] { all = reports.briefs(after, upTo, most); });
  return all;
}

int64_t SqlLog::seqBefore(int64_t timeMs, int64_t after) {
  int64_t seq = after;
  reading([&] { seq = reports.seqBefore(timeMs, after); });
  return seq;
}

std::vector<Event> SqlLog::events(const std::string &run, int64_t after) {
  std::vector<Event> result;
  reading([&] { result = tables.events(run, after); });
  return result;
}

std::optional<std::string> SqlLog::blob(const std::string &id) {
  std::optional<std::string> content;
  reading([&] { content = tables.find(id); });
  return content;
}

void SqlLog::remove(const std::string &run) {
  transaction([&] {
    lockRuns({run});
    lockBlobs(); // one that seems to be nobody's may just have got a run
    tables.removeRun(run);
  });
}

bool SqlLog::import(const RunRow &run, const std::vector<Event> &events,
                    const std::vector<Blob> &blobs) {
  bool made = false;
  transaction([&] {
    Now now = lockRuns({run.id});
    made = !tables.epochOf(run.id);
    if (!made)
      return;
    tables.insertRun(run, now.wallMs, 0);
    for (const Blob &blob : blobs)
      tables.keep(run.id, blob.id, blob.content);
    for (const Event &event : events) {
      int64_t seq = append(event, event.epoch, event.timeMs);
      if (event.kind == EventKind::RunDone)
        tables.setEnd(run.id, seq);
    }
  });
  return made;
}

// At most `calls` starts in any time of length `per`, and `concurrent` at once.
int64_t SqlLog::acquire(const LimitedCall &call) {
  constexpr int64_t askAgain = 25'000'000; // while others run
  int64_t wait = 0;
  quickTransaction([&] {
    lockTool(call.tool);
    int64_t now = clockNs(), running = 0;
    std::vector<int64_t> starts;
    wait = 0;
    for (const CallRow &row : tables.calls(call.tool)) {
      if (row.call == call.call)
        return; // a transaction that is made again had happened
      bool runs = row.running && ownerLives(row.owner, row.expires);
      // A start in the future is one by the clock of an earlier boot.
      bool counts =
          call.calls && row.started <= now && row.started > now - call.perNs;
      if (!runs && !counts)
        tables.removeCall(call.tool, row.call);
      running += runs;
      if (counts)
        starts.push_back(row.started);
    }
    if (call.calls && int64_t(starts.size()) >= call.calls)
      wait = starts[starts.size() - size_t(call.calls)] + call.perNs - now;
    if (call.concurrent && running >= call.concurrent)
      wait = std::max(wait, askAgain);
    if (!wait)
      tables.addCall(call, now, now + call.timeoutNs);
  });
  return wait;
}

void SqlLog::release(const LimitedCall &call) {
  quickTransaction([&] { tables.endCall(call.tool, call.call); });
}

} // namespace agt::rt
