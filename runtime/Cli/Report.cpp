// See Report.h.
#include "runtime/Cli/Report.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace agt::rt {

using Json = nlohmann::ordered_json;

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

static std::vector<PhaseReport> collectPhases(const RunReport &report) {
  std::vector<PhaseReport> phases;
  std::map<std::string, size_t> known;
  std::vector<std::vector<double>> times; // by phase and repeat
  for (const LaunchReport &launch : report.launches) {
    auto [entry, isNew] = known.try_emplace(launch.name, phases.size());
    if (isNew) {
      phases.push_back({launch.name, 0, 0, 0});
      times.emplace_back(report.times.size(), 0.0);
    }
    PhaseReport &phase = phases[entry->second];
    phase.flops += launch.flops;
    ++phase.launches;
    for (size_t i = 0; i < launch.spans.size(); ++i)
      times[entry->second][i] += launch.spans[i].end - launch.spans[i].begin;
  }
  for (size_t i = 0; i < phases.size(); ++i)
    phases[i].time = median(times[i]);
  return phases;
}

Stats collectStats(const std::string &graph, const std::string &device,
                   const RunReport &report) {
  return {graph,        device,           median(report.times), report.times,
          report.flops, report.peakBytes, collectPhases(report)};
}

static std::string dump(const Json &json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string statsJson(const Stats &stats) {
  Json phases = Json::array();
  for (const PhaseReport &phase : stats.phases)
    phases.push_back({{"name", phase.name},
                      {"time_s", phase.time},
                      {"flops", phase.flops},
                      {"bytes", 0},
                      {"launches", phase.launches}});
  Json json = {{"graph", stats.graph},
               {"device", stats.device},
               {"positions", 1},
               {"time_s", stats.time},
               {"times_s", stats.times},
               {"flops", stats.flops},
               {"bytes_moved", 0},
               {"bytes_aux", 0},
               {"bytes_hidden", 0},
               {"transfer_time_s", 0.0},
               {"transfer_hidden_s", 0.0},
               {"hops", 0},
               {"hops_skipped", 0},
               {"kv_bytes_read", 0},
               {"peak_memory", Json::array({stats.peakBytes})},
               {"phases", phases}};
  return dump(json, 2);
}

std::string statsText(const Stats &stats) {
  std::string text = stats.graph + " on " + stats.device + "\n";
  text += "  time    " + secondsText(stats.time) + ", " +
          rateText(stats.flops, stats.time);
  if (stats.times.size() > 1) {
    auto [least, most] =
        std::minmax_element(stats.times.begin(), stats.times.end());
    text += ", median of " + std::to_string(stats.times.size()) + " (" +
            secondsText(*least) + " to " + secondsText(*most) + ")";
  }
  text += "\n  memory  " + bytesText(stats.peakBytes) +
          "\n  moved   0 bytes (one device)\n\n";
  size_t width = 5;
  for (const PhaseReport &phase : stats.phases)
    width = std::max(width, phase.name.size());
  auto row = [&](const std::string &name, const std::string &launches,
                 const std::string &time, const std::string &share,
                 const std::string &rate) {
    char line[160];
    std::snprintf(line, sizeof line, "%9s  %12s  %6s  %14s\n", launches.c_str(),
                  time.c_str(), share.c_str(), rate.c_str());
    text += "  " + name + std::string(width - name.size(), ' ') + line;
  };
  row("phase", "launches", "time", "share", "rate");
  // Phases may be timed in a run of their own, so shares are of their sum.
  double whole = 0;
  for (const PhaseReport &phase : stats.phases)
    whole += phase.time;
  for (const PhaseReport &phase : stats.phases) {
    char share[16];
    std::snprintf(share, sizeof share, "%.1f %%",
                  whole > 0 ? 100 * phase.time / whole : 0.0);
    row(phase.name, std::to_string(phase.launches), secondsText(phase.time),
        share, rateText(phase.flops, phase.time));
  }
  return text;
}

// The rows of the timeline.
static constexpr int hostRow = 1;
static constexpr int deviceRow = 2;

static Json nameEvent(const char *what, int row, const std::string &name) {
  return {{"ph", "M"},
          {"name", what},
          {"pid", 1},
          {"tid", row},
          {"args", {{"name", name}}}};
}

static Json sliceEvent(int row, const std::string &name, double begin,
                       double end) {
  return {{"ph", "X"},  {"name", name},      {"pid", 1},
          {"tid", row}, {"ts", begin * 1e6}, {"dur", (end - begin) * 1e6}};
}

std::string traceJson(const std::string &graph, const std::string &device,
                      const RunReport &report) {
  Json events = Json::array();
  events.push_back(nameEvent("process_name", hostRow, graph));
  events.push_back(nameEvent("thread_name", hostRow, "host"));
  events.push_back(nameEvent("thread_name", deviceRow, device));
  for (const RunReport::Step &step : report.steps)
    events.push_back(sliceEvent(hostRow, step.name, step.begin, step.end));
  for (size_t i = 0; i < report.begins.size(); ++i) {
    double begin = report.begins[i];
    double end = begin;
    for (const LaunchReport &launch : report.launches) {
      if (i >= launch.spans.size())
        continue;
      const Span &span = launch.spans[i];
      Json event = sliceEvent(deviceRow, launch.name, begin + span.begin,
                              begin + span.end);
      end = begin + span.end;
      event["args"] = {
          {"place", launch.place},     {"kernel", launch.kernel},
          {"variant", launch.variant}, {"workgroups", launch.groups},
          {"flops", launch.flops},     {"repeat", i}};
      events.push_back(std::move(event));
    }
    events.push_back(sliceEvent(hostRow, "compute", begin, end));
  }
  return dump({{"displayTimeUnit", "ms"}, {"traceEvents", events}}, -1);
}

} // namespace agt::rt
