// See Exporter.h.
#include "runtime/Telemetry/Exporter.h"

#include "runtime/Http/Http.h"
#include "runtime/Support/Failure.h"
#include "runtime/Telemetry/Otlp.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace agt::rt {

namespace {

constexpr int64_t second = 1'000'000'000;
constexpr int mostTries = 5; // of one batch
constexpr int64_t longestPauseNs = 30 * second;
// How long a process that is at its end waits: for a collector that answers,
// and for one that did not the last time.
constexpr int64_t flushNs = 5 * second, flushFailingNs = 1 * second;
// For how long spans are dropped before a process that goes on says so.
constexpr int64_t sayAfterNs = 60 * second;

int64_t steadyNs() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

// Before try n + 1: twice as long each time, half of it by chance.
int64_t backoffNs(int n) {
  thread_local std::minstd_rand random{std::random_device()()};
  int64_t most = std::min(second << std::min(n - 1, 5), longestPauseNs);
  return std::uniform_int_distribution<int64_t>(most / 2, most)(random);
}

// The URL as it may be said: without a user, a password and what is asked.
std::string plainUrl(const std::string &url) {
  size_t host = url.find("://") + 3;
  size_t path = std::min(url.find('/', host), url.size());
  size_t at = url.rfind('@', path);
  std::string plain = at == std::string::npos || at < host
                          ? url
                          : url.substr(0, host) + url.substr(at + 1);
  return plain.substr(0, plain.find_first_of("?#"));
}

} // namespace

ExportTotals &exportTotals() {
  static ExportTotals totals;
  return totals;
}

Exporter::Exporter(TraceSettings given) : settings(std::move(given)) {
  exportTotals().active = true;
  thread = std::thread([this] { serve(); });
}

Exporter::~Exporter() {
  {
    std::lock_guard<std::mutex> held(mutex);
    endNs = steadyNs() + (failing ? flushFailingNs : flushNs);
    ending = true;
  }
  arrived.notify_one();
  thread.join();
  std::lock_guard<std::mutex> held(mutex);
  sayDropped();
}

void Exporter::take(TraceSpan span) {
  std::lock_guard<std::mutex> held(mutex);
  ++taken;
  if (queue.size() >= settings.queue) {
    drop(1);
    return;
  }
  queue.push_back(std::move(span));
  ++exportTotals().waiting;
  if (queue.size() >= settings.batch)
    arrived.notify_one();
}

void Exporter::drop(size_t spans) {
  if (!spans)
    return;
  if (!dropped)
    firstDrop = Clock::now();
  dropped += int64_t(spans);
  exportTotals().dropped += int64_t(spans);
}

void Exporter::sayDropped() {
  if (!dropped || said)
    return;
  said = true;
  std::fprintf(stderr,
               "traces: %lld of %lld spans were dropped: the collector at %s "
               "%s\n",
               (long long)dropped, (long long)taken,
               plainUrl(settings.url).c_str(),
               reason.empty() ? "is too slow" : reason.c_str());
}

int64_t Exporter::timeLeftNs() const {
  return ending ? endNs - steadyNs() : INT64_MAX;
}

bool Exporter::pause(int64_t ns) {
  std::unique_lock<std::mutex> held(mutex);
  return !arrived.wait_for(held, std::chrono::nanoseconds(ns),
                           [&] { return ending.load(); });
}

void Exporter::serve() {
  std::unique_lock<std::mutex> held(mutex);
  while (true) {
    arrived.wait_for(held, std::chrono::nanoseconds(settings.delayNs),
                     [&] { return ending || queue.size() >= settings.batch; });
    if (dropped &&
        Clock::now() - firstDrop >= std::chrono::nanoseconds(sayAfterNs))
      sayDropped();
    while (!queue.empty()) {
      if (timeLeftNs() <= 0) {
        exportTotals().waiting -= int64_t(queue.size());
        drop(queue.size());
        queue.clear();
        break;
      }
      size_t n = std::min(queue.size(), settings.batch);
      std::vector<TraceSpan> batch(std::make_move_iterator(queue.begin()),
                                   std::make_move_iterator(queue.begin() + n));
      queue.erase(queue.begin(), queue.begin() + n);
      held.unlock();
      send(std::move(batch));
      held.lock();
      if (!ending && queue.size() < settings.batch)
        break; // the rest waits for company
    }
    if (ending && queue.empty())
      return;
  }
}

void Exporter::send(std::vector<TraceSpan> batch) {
  std::string body = otlpJson(settings.resource, batch);
  Sent sent = Sent::No;
  for (int n = 1; n <= mostTries; ++n) {
    int64_t retryAfterNs = 0;
    sent = post(body, batch.size(), retryAfterNs);
    if (sent != Sent::Again)
      break;
    int64_t ns = std::min(std::max(retryAfterNs, backoffNs(n)), longestPauseNs);
    // Who ends does not wait for a collector that is not well.
    if (n == mostTries || ending || !pause(ns))
      break;
  }
  exportTotals().waiting -= int64_t(batch.size());
  std::lock_guard<std::mutex> held(mutex);
  failing = sent != Sent::Yes;
  if (failing)
    drop(batch.size());
}

Exporter::Sent Exporter::post(const std::string &body, size_t spans,
                              int64_t &retryAfterNs) {
  HttpRequest request;
  request.method = "POST";
  request.url = settings.url;
  request.body = body;
  request.hasBody = true;
  request.headers = settings.headers;
  request.headers.emplace_back("Content-Type", "application/json");
  request.timeoutNs = std::min(settings.timeoutNs, timeLeftNs());
  request.keep = 64 << 10;
  request.stop = [this] { return timeLeftNs() <= 0; };
  HttpReply reply;
  std::string why;
  Sent sent = Sent::No;
  ++exportTotals().requests;
  try {
    reply = httpRequest(request);
    retryAfterNs = reply.retryAfterNs;
    std::string status = std::to_string(reply.status);
    switch (reply.kind) {
    case HttpReply::Answered:
      if (reply.status / 100 == 2) {
        sent = Sent::Yes;
      } else {
        why = "answered " + status;
        bool again = status == "429" || status == "502" || status == "503" ||
                     status == "504";
        sent = again ? Sent::Again : Sent::No;
      }
      break;
    case HttpReply::NotConnected:
      why = "could not be reached";
      sent = Sent::Again;
      break;
    case HttpReply::Lost:
      why = "gave no whole answer";
      break;
    default:
      why = "did not answer in time";
    }
  } catch (const Failure &failure) { // no libcurl
    why = "cannot be asked: " + failure.message;
  } catch (const StepFailure &) { // a header with a line break
    why = "cannot be asked: OTEL_EXPORTER_OTLP_HEADERS holds a line break";
  }
  int64_t rejected =
      sent == Sent::Yes
          ? std::clamp<int64_t>(rejectedSpans(reply.body), 0, int64_t(spans))
          : 0;
  exportTotals().failures += sent != Sent::Yes;
  if (sent == Sent::Yes)
    exportTotals().exported += int64_t(spans) - rejected;
  std::lock_guard<std::mutex> held(mutex);
  if (sent != Sent::Yes)
    reason = why;
  if (rejected) {
    reason = "rejected some";
    drop(size_t(rejected));
  }
  return sent;
}

std::unique_ptr<Exporter> openExporter(const std::string &program,
                                       const std::string &hash) {
  std::vector<std::string> warnings;
  std::optional<TraceSettings> settings = traceSettings(
      [](const char *name) -> const char * { return std::getenv(name); },
      program, hash, warnings);
  for (const std::string &warning : warnings)
    std::fprintf(stderr, "traces: %s\n", warning.c_str());
  return settings ? std::make_unique<Exporter>(std::move(*settings)) : nullptr;
}

} // namespace agt::rt
