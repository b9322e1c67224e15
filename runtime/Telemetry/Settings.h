// Where traces go, as the environment says it in OpenTelemetry's words.
#ifndef AGT_RUNTIME_TELEMETRY_SETTINGS_H
#define AGT_RUNTIME_TELEMETRY_SETTINGS_H

#include "runtime/Telemetry/Span.h"

#include <functional>
#include <optional>

namespace agt::rt {

struct TraceSettings {
  std::string url; // of the endpoint for traces
  std::vector<std::pair<std::string, std::string>> headers;
  int64_t timeoutNs = 10'000'000'000; // of one request
  // Of the queue and the batches (OTEL_BSP_*).
  size_t queue = 2048, batch = 512;
  int64_t delayNs = 5'000'000'000;
  bool content = false;
  Attributes resource;
};

/// The value of a variable; NULL where it is not set.
using Environment = std::function<const char *(const char *name)>;

/// None where no endpoint is given, or where traces are switched off.
/// `program`, `hash`: what the resource is called where nothing else is said.
/// What makes no sense is ignored, and `warnings` says so, a sentence each;
/// none of them holds a value of a header.
std::optional<TraceSettings> traceSettings(const Environment &environment,
                                           const std::string &program,
                                           const std::string &hash,
                                           std::vector<std::string> &warnings);

} // namespace agt::rt

#endif // AGT_RUNTIME_TELEMETRY_SETTINGS_H
