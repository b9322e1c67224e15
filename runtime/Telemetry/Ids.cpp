// See Ids.h.
#include "runtime/Telemetry/Ids.h"

#include "runtime/Log/Token.h"

namespace agt::rt {

// All zeros is no id; a digest that begins so is as likely as a collision.
std::string traceIdOf(std::string_view run, int64_t createdMs) {
  return digestFields({"agt-trace1", run, std::to_string(createdMs)})
      .substr(0, 32);
}

std::string spanIdOf(std::string_view trace, std::string_view what,
                     std::string_view path, int64_t attempt, int64_t epoch) {
  return digestFields({"agt-span1", trace, what, path, std::to_string(attempt),
                       std::to_string(epoch)})
      .substr(0, 16);
}

} // namespace agt::rt
