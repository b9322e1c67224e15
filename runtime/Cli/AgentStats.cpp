// See AgentStats.h.
#include "runtime/Cli/AgentStats.h"

#include "runtime/Support/Text.h"

#include <algorithm>

namespace agt::rt {

using OrderedJson = nlohmann::ordered_json;

static std::string dump(const OrderedJson &json, int indent) {
  return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace) +
         "\n";
}

static OrderedJson modelJson(const LocalModelFigures &model) {
  const FanoutTotals &totals = model.totals;
  OrderedJson plans;
  for (size_t way = 0; way < ways; ++way)
    plans[wayName(Way(way))] = totals.plans[way];
  return {
      {"llm", model.llm},
      {"launches", totals.launches},
      {"rows", totals.rows},
      {"time_s", totals.seconds},
      {"kv_bytes_read", uint64_t(totals.places) * model.bytesOfPlace},
      {"kv_bytes_separate", uint64_t(totals.placesAlone) * model.bytesOfPlace},
      {"ways", plans}};
}

static OrderedJson joinJson(const JoinFigures &join) {
  OrderedJson json = {{"path", join.path},
                      {"rung", join.rung},
                      {"entries", join.entries},
                      {"tokens_in", join.tokensIn},
                      {"tokens_left", join.tokensLeft}};
  if (!join.next.empty()) {
    json["next"] = join.next;
    json["next_tokens_read"] = join.tokensRead;
  }
  if (join.readSeconds >= 0)
    json["next_read_s"] = join.readSeconds;
  return json;
}

std::string agentStatsJson(const std::vector<LocalModelFigures> &models,
                           const std::vector<JoinFigures> &joins) {
  OrderedJson json = {{"models", OrderedJson::array()},
                      {"joins", OrderedJson::array()}};
  for (const LocalModelFigures &model : models)
    json["models"].push_back(modelJson(model));
  for (const JoinFigures &join : joins)
    json["joins"].push_back(joinJson(join));
  return dump(json, 2);
}

std::string agentStatsText(const std::vector<LocalModelFigures> &models,
                           const std::vector<JoinFigures> &joins) {
  std::string text;
  for (const LocalModelFigures &model : models) {
    const FanoutTotals &totals = model.totals;
    text += model.llm + ": " + std::to_string(totals.launches) +
            " launches of " + std::to_string(totals.rows) + " rows in " +
            secondsText(totals.seconds) + "\n  read    " +
            bytesText(uint64_t(totals.places) * model.bytesOfPlace) +
            " of keys and values, separate launches " +
            bytesText(uint64_t(totals.placesAlone) * model.bytesOfPlace) +
            "\n  rows   ";
    for (size_t way = 0; way < ways; ++way)
      text += (way ? ", " : " ") + std::to_string(totals.plans[way]) +
              " times " + wayName(Way(way));
    text += "\n";
  }
  for (const JoinFigures &join : joins) {
    text += join.path + ": " + std::to_string(join.entries) + " entries of " +
            std::to_string(join.tokensIn) + " tokens, " + join.rung + ": " +
            std::to_string(join.tokensLeft) + " tokens left";
    if (!join.next.empty())
      text += "; " + join.next + " reads " + std::to_string(join.tokensRead);
    if (join.readSeconds >= 0)
      text += " in " + secondsText(join.readSeconds);
    text += "\n";
  }
  return text;
}

std::string agentTraceJson(const std::vector<LocalModelFigures> &models) {
  OrderedJson events = OrderedJson::array();
  double first = 0;
  for (const LocalModelFigures &model : models)
    if (!model.notes.empty())
      first = first == 0 ? model.notes.front().begin
                         : std::min(first, model.notes.front().begin);
  for (size_t row = 0; row < models.size(); ++row) {
    const LocalModelFigures &model = models[row];
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", 1},
                      {"tid", row + 1},
                      {"args", {{"name", model.llm}}}});
    for (const LaunchNote &note : model.notes) {
      OrderedJson args = {
          {"rows", note.rows},
          {"texts", note.texts},
          {"kv_bytes_read", uint64_t(note.places) * model.bytesOfPlace},
          {"way", wayName(note.way)}};
      if (note.trial)
        args["trial"] = true;
      // Nothing is estimated before anything is known.
      if (note.estimated > 0) {
        args["estimated_s"] = note.estimated;
        for (size_t way = 0; way < ways; ++way)
          args["ways_s"][wayName(Way(way))] = note.seconds[way];
      }
      events.push_back({{"ph", "X"},
                        {"name", std::to_string(note.rows) + " rows"},
                        {"pid", 1},
                        {"tid", row + 1},
                        {"ts", (note.begin - first) * 1e6},
                        {"dur", (note.end - note.begin) * 1e6},
                        {"args", args}});
    }
  }
  return dump({{"displayTimeUnit", "ms"}, {"traceEvents", events}}, -1);
}

} // namespace agt::rt
