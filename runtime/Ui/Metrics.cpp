// See Metrics.h.
#include "runtime/Ui/Metrics.h"

#include "runtime/Agent/Worker.h"
#include "runtime/Log/Writer.h"
#include "runtime/Support/Failure.h"
#include "runtime/Telemetry/Exporter.h"
#include "runtime/Ui/ProcessMetrics.h"
#include "runtime/Web/Guard.h"

#include <algorithm>

namespace agt::rt {

static constexpr int64_t settlingMs = 60'000;
static constexpr size_t readAtOnce = 10'000; // events

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
  auto take = [&](EventTally &tally, int64_t after, int64_t upTo) {
    while (true) {
      std::vector<EventBrief> some = log.briefs(after, upTo, readAtOnce);
      for (const EventBrief &event : some)
        tally.add(event);
      if (some.size() < readAtOnce)
        return;
      after = some.back().seq;
    }
  };
  int64_t next = log.seqBefore(Instant::now().wallMs - settlingMs, settledSeq);
  if (next > settledSeq) {
    take(settled, settledSeq, next);
    settledSeq = next;
  }
  EventTally now = settled;
  take(now, settledSeq, INT64_MAX);
  shown.raise(now);
  shown.write(text);
}

// What became of the spans of this process.
static void addTraces(std::string &text) {
  const ExportTotals &totals = exportTotals();
  if (!totals.active)
    return;
  MetricFamily spans(text, "agt_trace_spans_total", "counter",
                     "Spans of this process that a collector has taken, and "
                     "that were dropped.");
  spans.add(double(totals.exported), {{"outcome", "exported"}});
  spans.add(double(totals.dropped), {{"outcome", "dropped"}});
  MetricFamily(text, "agt_trace_queue_spans", "gauge",
               "Spans of this process that are still to be sent.")
      .add(double(totals.waiting));
  MetricFamily requests(text, "agt_trace_requests_total", "counter",
                        "Requests of this process to a collector of traces.");
  requests.add(double(totals.requests - totals.failures),
               {{"outcome", "done"}});
  requests.add(double(totals.failures), {{"outcome", "failed"}});
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
  addTraces(text);
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
