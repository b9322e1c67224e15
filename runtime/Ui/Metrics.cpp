// See Metrics.h.
#include "runtime/Ui/Metrics.h"

#include "runtime/Agent/Worker.h"
#include "runtime/Log/Writer.h"
#include "runtime/Support/Failure.h"
#include "runtime/Ui/ProcessMetrics.h"
#include "runtime/Web/Guard.h"

#include <algorithm>

namespace agt::rt {

static constexpr int64_t settlingMs = 60'000;

void Metrics::add(Counts &counts, const std::vector<EventCount> &more) {
  for (const EventCount &count : more) {
    Sums &sums = counts[{count.agent, count.kind, count.last, count.call}];
    sums.events += count.events;
    sums.tokensIn += count.tokensIn;
    sums.tokensOut += count.tokensOut;
  }
}

void Metrics::addRuns(std::string &text, StepLog &log) {
  MetricFamily runs(text, "agt_runs", "gauge",
                    "Runs in the step log, by agent and state.");
  for (const RunCount &count : log.countRuns())
    runs.add(double(count.runs),
             {{"agent", count.agent}, {"state", count.status}});
  QueueCount queue = log.countQueue();
  MetricFamily(text, "agt_queue_runs", "gauge",
               "Runs in the queue that nobody has begun.")
      .add(double(queue.runs));
  double wait = queue.oldestMs
                    ? double(Instant::now().wallMs - queue.oldestMs) / 1000
                    : 0;
  MetricFamily(text, "agt_queue_oldest_wait_seconds", "gauge",
               "For how long the oldest run in the queue has waited.")
      .add(std::max(wait, 0.0));
}

void Metrics::addEvents(std::string &text, StepLog &log) {
  int64_t next = log.seqBefore(Instant::now().wallMs - settlingMs, settledSeq);
  if (next > settledSeq) {
    std::vector<EventCount> more = log.countEvents(settledSeq, next);
    add(settled, more);
    settledSeq = next;
  }
  Counts now = settled;
  add(now, log.countEvents(settledSeq, INT64_MAX));
  for (const auto &[key, sums] : now) {
    Sums &most = shown[key];
    most.events = std::max(most.events, sums.events);
    most.tokensIn = std::max(most.tokensIn, sums.tokensIn);
    most.tokensOut = std::max(most.tokensOut, sums.tokensOut);
  }

  // Several kinds of events may be one outcome.
  using Outcome = const char *(*)(EventKind kind, bool last, bool call);
  auto family = [&](MetricFamily out, Outcome outcomeOf) {
    std::map<std::pair<std::string, std::string>, int64_t> totals;
    for (const auto &[key, sums] : shown) {
      const auto &[agent, kind, last, call] = key;
      if (const char *outcome = outcomeOf(kind, last, call))
        totals[{agent, outcome}] += sums.events;
    }
    for (const auto &[key, total] : totals)
      out.add(double(total), {{"agent", key.first}, {"outcome", key.second}});
  };
  family({text, "agt_steps_total", "counter",
          "Steps that are over: calls, questions and waits."},
         [](EventKind kind, bool last, bool) -> const char * {
           if (kind == EventKind::Result || kind == EventKind::Approval ||
               (kind == EventKind::Reconciled && last))
             return "done";
           return kind == EventKind::Failure && last ? "failed" : nullptr;
         });
  family({text, "agt_step_attempts_total", "counter",
          "Attempts of calls and questions that are over."},
         [](EventKind kind, bool, bool call) -> const char * {
           if (!call)
             return nullptr;
           return kind == EventKind::Result    ? "done"
                  : kind == EventKind::Failure ? "failed"
                  : kind == EventKind::Unknown ? "unknown"
                                               : nullptr;
         });
  family({text, "agt_runs_ended_total", "counter", "Runs that are over."},
         [](EventKind kind, bool last, bool) -> const char * {
           if (kind == EventKind::Cancelled && last)
             return "cancelled";
           return kind == EventKind::RunDone     ? "done"
                  : kind == EventKind::RunFailed ? "failed"
                                                 : nullptr;
         });
  std::map<std::string, Sums> byAgent;
  std::map<std::string, int64_t> claims;
  for (const auto &[key, sums] : shown) {
    Sums &agent = byAgent[std::get<0>(key)];
    agent.tokensIn += sums.tokensIn;
    agent.tokensOut += sums.tokensOut;
    if (std::get<1>(key) == EventKind::Claimed)
      claims[std::get<0>(key)] += sums.events;
  }
  MetricFamily claimed(text, "agt_claims_total", "counter",
                       "How often runs were claimed.");
  for (const auto &[agent, count] : claims)
    claimed.add(double(count), {{"agent", agent}});
  MetricFamily tokens(text, "agt_tokens_total", "counter",
                      "Tokens that models took in and gave out.");
  for (const auto &[agent, sums] : byAgent) {
    tokens.add(double(sums.tokensIn), {{"agent", agent}, {"direction", "in"}});
    tokens.add(double(sums.tokensOut),
               {{"agent", agent}, {"direction", "out"}});
  }
}

void Metrics::addWorker(std::string &text) {
  MetricFamily(text, "agt_worker_slots", "gauge",
               "Runs that this worker serves at the same time, at most.")
      .add(double(worker->slotCount()));
  MetricFamily(text, "agt_worker_busy_slots", "gauge",
               "Runs that this worker has at present.")
      .add(double(worker->busySlots()));
  const WriterTotals &totals = writerTotals();
  MetricFamily(text, "agt_worker_commits_total", "counter",
               "Transactions of this worker.")
      .add(double(totals.commits));
  MetricFamily(text, "agt_worker_lease_renewals_total", "counter",
               "Leases that this worker has renewed.")
      .add(double(totals.renewals));
  MetricFamily(text, "agt_worker_fenced_writes_total", "counter",
               "Writes of this worker that were refused, since another process "
               "had the run.")
      .add(double(totals.fenced));
}

WebReply Metrics::reply() {
  std::lock_guard<std::mutex> held(mutex);
  WebReply reply;
  reply.type = "text/plain; version=0.0.4; charset=utf-8";
  std::string &text = reply.body;
  MetricFamily(text, "agt_build_info", "gauge",
               "The program, and the hash of what it means.")
      .add(1, {{"program", title}, {"hash", hash}});
  std::string known;
  bool up = true;
  try {
    std::shared_ptr<StepLog> log = access.log();
    addRuns(known, *log);
    addEvents(known, *log);
  } catch (const Failure &) {
    up = false;
  }
  MetricFamily(text, "agt_step_log_up", "gauge",
               "Whether the step log could be read.")
      .add(up);
  if (up)
    text += known;
  if (worker)
    addWorker(text);
  addProcessMetrics(text);
  return reply;
}

WebReply answerMetrics(Metrics &metrics, const WebRequest &request) {
  if (std::optional<WebReply> refused = refusal(request, newToken()))
    return *refused;
  if (request.path != "/metrics")
    return errorReply(404, "there is no '" + request.path +
                               "', the metrics are at '/metrics'");
  return metrics.reply();
}

} // namespace agt::rt
