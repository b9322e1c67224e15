// See ReportText.h.
#include "runtime/Mesh/ReportText.h"

#include "runtime/Mesh/WireText.h"

namespace agt::rt {

using Json = nlohmann::json;

// nlohmann/json finds these by their names.
static void to_json(Json &json, const Span &span) {
  json = Json::array({span.begin, span.end});
}
static void from_json(const Json &json, Span &span) {
  span = {json[0], json[1]};
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchReport, name, place, kernel, variant,
                                   groups, flops, kvBytes, bytes, spans)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TransferReport, name, place, axis, from,
                                   move, bytes, spans)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HopReport, name, step, owner, attended,
                                   times)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PositionReport, device, launches, transfers,
                                   hops, peakBytes, kvPeakBytes)

std::string reportText(const PositionReport &report) {
  return wireText(report);
}

PositionReport reportFromText(const std::string &text) {
  return Json::parse(text).get<PositionReport>();
}

} // namespace agt::rt
