// A span as it is handed to the exporter: what OTLP knows of one, in plain
// members. Spans are handed over once, when they are over.
#ifndef AGT_RUNTIME_TELEMETRY_SPAN_H
#define AGT_RUNTIME_TELEMETRY_SPAN_H

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace agt::rt {

using AttributeValue =
    std::variant<std::string, int64_t, double, bool, std::vector<std::string>>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

/// A moment within a span. Times are nanoseconds since 1970.
struct SpanEvent {
  std::string name;
  int64_t timeNs = 0;
  Attributes attributes;
};

/// As OTLP numbers them.
enum class SpanKind { Internal = 1, Client = 3 };

struct TraceSpan {
  std::string trace, id, parent; // hex; parent "" of a root
  std::string name;
  SpanKind kind = SpanKind::Internal;
  int64_t beginNs = 0, endNs = 0;
  Attributes attributes;
  std::vector<SpanEvent> events;
  int64_t droppedEvents = 0;
  bool failed = false;
  std::string message; // of a failure

  void set(std::string key, AttributeValue value) {
    attributes.emplace_back(std::move(key), std::move(value));
  }
};

/// Where spans go. Any thread; never waits.
class SpanSink {
public:
  virtual ~SpanSink() = default;
  virtual void take(TraceSpan span) = 0;
  /// Whether prompts, answers, arguments and results are wanted as well.
  virtual bool wantsContent() const = 0;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_TELEMETRY_SPAN_H
