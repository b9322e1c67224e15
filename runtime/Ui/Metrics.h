// Metrics in Prometheus' text format: what stands in the step log, and how this
// process does.
//
// Counters come from the log's events and must not fall: events that are older
// than a minute are counted once, since on PostgreSQL a younger seq can become
// visible before an older one; what is younger is counted at every scrape. A
// run that is taken away (`gc`) stays counted.
#ifndef AGT_RUNTIME_UI_METRICS_H
#define AGT_RUNTIME_UI_METRICS_H

#include "runtime/Ui/EventTally.h"
#include "runtime/Ui/LogAccess.h"
#include "runtime/Web/WebServer.h"

namespace agt::rt {

class Worker;

class Metrics {
public:
  Metrics(LogAccess &access, std::string title, std::string hash,
          const Worker *worker = nullptr)
      : access(access), title(std::move(title)), hash(std::move(hash)),
        worker(worker) {}

  WebReply reply();

private:
  void addRuns(std::string &text, StepLog &log);
  void addEvents(std::string &text, StepLog &log);
  void addWorker(std::string &text);

  LogAccess &access;
  const std::string title, hash;
  const Worker *worker;

  std::mutex mutex; // one scrape at a time
  EventTally settled, shown;
  int64_t settledSeq = 0;
};

/// Only GET /metrics, for a worker.
WebReply answerMetrics(Metrics &metrics, const WebRequest &request);

} // namespace agt::rt

#endif // AGT_RUNTIME_UI_METRICS_H
