// Spans as the JSON of OTLP/HTTP: an ExportTraceServiceRequest in protobuf's
// JSON mapping, with OTLP's own rules (ids in hex, enums as numbers, 64-bit
// numbers as texts).
#ifndef AGT_RUNTIME_TELEMETRY_OTLP_H
#define AGT_RUNTIME_TELEMETRY_OTLP_H

#include "runtime/Telemetry/Span.h"

namespace agt::rt {

/// `resource`: of the process that has made them.
std::string otlpJson(const Attributes &resource,
                     const std::vector<TraceSpan> &spans);

/// How many of the spans the collector says it has not taken, by its answer's
/// `partialSuccess`; 0 where the answer says nothing of that kind.
int64_t rejectedSpans(const std::string &answer);

} // namespace agt::rt

#endif // AGT_RUNTIME_TELEMETRY_OTLP_H
