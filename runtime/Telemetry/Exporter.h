// Sends spans to a collector, by OTLP over HTTP as JSON.
//
// Whoever has a span puts it into a queue and goes on; one thread sends what is
// there, in batches. Where the queue is full a span is dropped: a collector
// that is down, slow or hangs costs spans, never time. A batch that surely has
// not arrived (no connection, 429, 502, 503, 504) is sent again a few times;
// one of which nobody knows is not, since a span is to arrive at most once.
#ifndef AGT_RUNTIME_TELEMETRY_EXPORTER_H
#define AGT_RUNTIME_TELEMETRY_EXPORTER_H

#include "runtime/Telemetry/Settings.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace agt::rt {

/// What the exporters of this process have done so far, for its metrics.
struct ExportTotals {
  std::atomic<int64_t> exported{0}, dropped{0}; // spans
  std::atomic<int64_t> requests{0}, failures{0};
  std::atomic<int64_t> waiting{0}; // spans in the queue, or on their way
  std::atomic<bool> active{false}; // whether there was an exporter at all
};
ExportTotals &exportTotals();

class Exporter : public SpanSink {
public:
  explicit Exporter(TraceSettings settings);
  /// Sends what is left, for a few seconds at most, and says on stderr how many
  /// spans were dropped, unless that was said before.
  ~Exporter() override;
  Exporter(const Exporter &) = delete;

  void take(TraceSpan span) override;
  bool wantsContent() const override { return settings.content; }

private:
  using Clock = std::chrono::steady_clock;
  enum class Sent { Yes, Again, No };

  void serve();
  void send(std::vector<TraceSpan> batch);
  Sent post(const std::string &body, size_t spans, int64_t &retryAfterNs);
  bool pause(int64_t ns); // false when the exporter ends meanwhile
  // Under the mutex:
  void drop(size_t spans);
  void sayDropped();

  int64_t timeLeftNs() const;

  const TraceSettings settings;
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<TraceSpan> queue;
  std::atomic<bool> ending{false};
  std::atomic<int64_t> endNs{0}; // steady clock, once `ending`
  bool failing = false;          // the last request was not answered well
  int64_t taken = 0, dropped = 0;
  bool said = false;
  Clock::time_point firstDrop;
  std::string reason; // why the last batch was not taken
  std::thread thread;
};

/// The exporter that the environment asks for; NULL where it asks for none.
/// Says on stderr what of it makes no sense.
std::unique_ptr<Exporter> openExporter(const std::string &program,
                                       const std::string &hash);

} // namespace agt::rt

#endif // AGT_RUNTIME_TELEMETRY_EXPORTER_H
