// What was asked and answered, as the conventions for generative AI put it into
// attributes; only where that is asked for.
#ifndef AGT_RUNTIME_TELEMETRY_CONTENT_H
#define AGT_RUNTIME_TELEMETRY_CONTENT_H

#include "runtime/Telemetry/Span.h"

namespace agt::rt {

/// The text, cut off at 16 KiB.
std::string shortened(std::string text);

/// `args`, `result`, `info`: as the log has them, "" where there is none.
Attributes contentOfTool(const std::string &args, const std::string &result);
Attributes contentOfModel(const std::string &args, const std::string &result,
                          const std::string &info);

} // namespace agt::rt

#endif // AGT_RUNTIME_TELEMETRY_CONTENT_H
