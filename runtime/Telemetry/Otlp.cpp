// See Otlp.h.
#include "runtime/Telemetry/Otlp.h"

#include "runtime/Value/Json.h"

#include <cmath>

namespace agt::rt {

namespace {

constexpr int statusError = 2; // STATUS_CODE_ERROR; 0, unset, is left out

Json valueJson(const AttributeValue &value) {
  struct Encode {
    Json operator()(const std::string &text) const {
      return {{"stringValue", text}};
    }
    Json operator()(int64_t number) const {
      return {{"intValue", std::to_string(number)}};
    }
    Json operator()(double number) const {
      // JSON has no such numbers; protobuf's mapping writes them as texts.
      if (std::isnan(number))
        return {{"doubleValue", "NaN"}};
      if (std::isinf(number))
        return {{"doubleValue", number > 0 ? "Infinity" : "-Infinity"}};
      return {{"doubleValue", number}};
    }
    Json operator()(bool truth) const { return {{"boolValue", truth}}; }
    Json operator()(const std::vector<std::string> &texts) const {
      Json values = Json::array();
      for (const std::string &text : texts)
        values.push_back({{"stringValue", text}});
      return {{"arrayValue", {{"values", values}}}};
    }
  };
  return std::visit(Encode(), value);
}

Json attributesJson(const Attributes &attributes) {
  Json all = Json::array();
  for (const auto &[key, value] : attributes)
    all.push_back({{"key", key}, {"value", valueJson(value)}});
  return all;
}

Json eventJson(const SpanEvent &event) {
  Json json = {{"timeUnixNano", std::to_string(event.timeNs)},
               {"name", event.name}};
  if (!event.attributes.empty())
    json["attributes"] = attributesJson(event.attributes);
  return json;
}

Json spanJson(const TraceSpan &span) {
  Json json = {{"traceId", span.trace},
               {"spanId", span.id},
               {"name", span.name},
               {"kind", int(span.kind)},
               {"startTimeUnixNano", std::to_string(span.beginNs)},
               {"endTimeUnixNano", std::to_string(span.endNs)},
               {"attributes", attributesJson(span.attributes)}};
  if (!span.parent.empty())
    json["parentSpanId"] = span.parent;
  for (const SpanEvent &event : span.events)
    json["events"].push_back(eventJson(event));
  if (span.droppedEvents)
    json["droppedEventsCount"] = span.droppedEvents;
  if (span.failed) {
    json["status"] = {{"code", statusError}};
    if (!span.message.empty())
      json["status"]["message"] = span.message;
  }
  return json;
}

} // namespace

std::string otlpJson(const Attributes &resource,
                     const std::vector<TraceSpan> &spans) {
  Json list = Json::array();
  for (const TraceSpan &span : spans)
    list.push_back(spanJson(span));
  Json scope = {{"scope", {{"name", "agt"}}}, {"spans", std::move(list)}};
  Json entry = {{"resource", {{"attributes", attributesJson(resource)}}},
                {"scopeSpans", Json::array({std::move(scope)})}};
  Json all = {{"resourceSpans", Json::array({std::move(entry)})}};
  // A text that is not UTF-8 must not cost the whole batch.
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int64_t rejectedSpans(const std::string &answer) {
  Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object() || !json.contains("partialSuccess") ||
      !json["partialSuccess"].is_object())
    return 0;
  const Json &partial = json["partialSuccess"];
  auto found = partial.find("rejectedSpans");
  if (found == partial.end())
    return 0;
  if (found->is_number_integer())
    return found->get<int64_t>();
  return found->is_string()
             ? std::atoll(found->get_ref<const std::string &>().c_str())
             : 0;
}

} // namespace agt::rt
