// See Report.h.
#include "runtime/Cli/Report.h"

#include "agt/runtime.h"
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

// The phases of all positions by name; `times` by phase, position and repeat.
static std::vector<PhaseReport> collectPhases(const RunReport &report) {
  std::vector<PhaseReport> phases;
  std::map<std::string, size_t> known;
  std::vector<std::vector<std::vector<double>>> times;
  for (size_t p = 0; p < report.positions.size(); ++p)
    for (const LaunchReport &launch : report.positions[p].launches) {
      auto [entry, isNew] = known.try_emplace(launch.name, phases.size());
      if (isNew) {
        phases.push_back({launch.name, 0, 0, 0, 0});
        times.emplace_back(report.positions.size(),
                           std::vector<double>(report.times.size(), 0.0));
      }
      PhaseReport &phase = phases[entry->second];
      phase.flops += launch.flops;
      phase.bytes += launch.bytes;
      ++phase.launches;
      for (size_t i = 0; i < launch.spans.size(); ++i)
        times[entry->second][p][i] +=
            launch.spans[i].end - launch.spans[i].begin;
    }
  for (size_t i = 0; i < phases.size(); ++i)
    for (const std::vector<double> &ofPosition : times[i])
      phases[i].time = std::max(phases[i].time, median(ofPosition));
  return phases;
}

// "cpu"; "4 x cpu"; "2 x gpu, 1 x cpu" in the order of positions.
static std::string devicesText(const RunReport &report) {
  std::vector<std::pair<std::string, size_t>> counts;
  for (const PositionReport &position : report.positions) {
    auto known =
        std::find_if(counts.begin(), counts.end(), [&](const auto &entry) {
          return entry.first == position.device;
        });
    if (known == counts.end())
      counts.push_back({position.device, 1});
    else
      ++known->second;
  }
  if (report.positions.size() == 1)
    return counts.front().first;
  std::string text;
  for (const auto &[name, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " + name;
  return text;
}

Stats collectStats(const std::string &graph, const RunReport &report) {
  Stats stats;
  stats.graph = graph;
  stats.device = devicesText(report);
  stats.positions = report.positions.size();
  stats.time = median(report.times);
  stats.times = report.times;
  stats.flops = report.flops();
  stats.kvBytes = uint64_t(report.kvBytes());
  stats.transfers = totalTransfers(report);
  stats.policy = report.policy;
  stats.policyBytes = report.policyBytes;
  for (const PositionReport &position : report.positions) {
    stats.peakBytes.push_back(position.peakBytes);
    stats.kvPeakBytes.push_back(position.kvPeakBytes);
  }
  stats.phases = collectPhases(report);
  return stats;
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
                      {"bytes", phase.bytes},
                      {"launches", phase.launches}});
  const TransferTotals &transfers = stats.transfers;
  Json json = {{"graph", stats.graph},
               {"device", stats.device},
               {"positions", stats.positions},
               {"time_s", stats.time},
               {"times_s", stats.times},
               {"flops", stats.flops},
               {"bytes_moved", transfers.moved},
               {"bytes_aux", transfers.aux},
               {"bytes_hidden", transfers.hidden},
               {"transfer_time_s", transfers.time},
               {"transfer_hidden_s", transfers.hiddenTime},
               {"hops", transfers.hops},
               {"hops_skipped", transfers.hopsSkipped},
               {"kv_bytes_read", stats.kvBytes},
               {"peak_memory", stats.peakBytes},
               {"kv_peak_memory", stats.kvPeakBytes},
               {"phases", phases}};
  if (stats.policy != Policy::None)
    json["policy"] = policyName(stats.policy);
  for (auto [policy, bytes] : stats.policyBytes)
    json["policy_bytes"][policyName(policy)] = bytes;
  return dump(json, 2);
}

// "pass-q: 960 bytes, pass-kv would move 1536 bytes", or the way alone where
// another was not looked at.
static std::string
policyText(Policy taken,
           const std::vector<std::pair<Policy, uint64_t>> &compared) {
  std::string text = policyName(taken), others;
  for (auto [policy, bytes] : compared)
    if (policy == taken)
      text += ": " + bytesText(bytes);
    else
      others += std::string(", ") + policyName(policy) + " would move " +
                bytesText(bytes);
  return text + others;
}

static std::string memoryText(const Stats &stats) {
  uint64_t most =
      *std::max_element(stats.peakBytes.begin(), stats.peakBytes.end());
  return "  memory  " + bytesText(most) +
         (stats.positions == 1 ? "\n" : " at the fullest position\n");
}

static std::string movedText(const Stats &stats) {
  const TransferTotals &totals = stats.transfers;
  std::string text = "  moved   " + bytesText(totals.moved);
  if (stats.positions == 1)
    return text + " (one device)\n";
  text += " between " + std::to_string(stats.positions) + " positions";
  if (totals.aux)
    text += ", and " + bytesText(totals.aux) + " beside them";
  if (totals.time > 0) {
    char share[16];
    std::snprintf(share, sizeof share, "%.1f %%",
                  100 * totals.hiddenTime / totals.time);
    text += ", " + std::string(share) + " of " + secondsText(totals.time) +
            " under compute";
  }
  text += "\n";
  if (totals.hops || totals.hopsSkipped)
    text += "  hops    " + std::to_string(totals.hops) + ", " +
            std::to_string(totals.hopsSkipped) + " skipped\n";
  return text;
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
  text += "\n" + memoryText(stats) + movedText(stats);
  if (stats.kvBytes)
    text += "  read    " + bytesText(stats.kvBytes) + " of keys and values\n";
  if (stats.policy != Policy::None)
    text += "  policy  " + policyText(stats.policy, stats.policyBytes) + "\n";
  text += "\n";
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

// The rows of the timeline: the host's, then two for each position.
static constexpr int hostRow = 1;
static int computeRow(size_t position) { return 2 + 2 * int(position); }
static int transferRow(size_t position) { return computeRow(position) + 1; }

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

static void addRowNames(Json &events, const std::string &graph,
                        const RunReport &report) {
  events.push_back(nameEvent("process_name", hostRow, graph));
  events.push_back(nameEvent("thread_name", hostRow, "host"));
  bool isMesh = report.positions.size() > 1;
  for (size_t p = 0; p < report.positions.size(); ++p) {
    std::string prefix = isMesh ? "position " + std::to_string(p) + ": " : "";
    events.push_back(nameEvent("thread_name", computeRow(p),
                               prefix + report.positions[p].device));
    if (isMesh)
      events.push_back(
          nameEvent("thread_name", transferRow(p), prefix + "receives"));
  }
}

static const char *moveName(int32_t move) {
  switch (move) {
  case AGT_MOVE_KV:
    return "keys and values";
  case AGT_MOVE_QUERY:
    return "queries";
  case AGT_MOVE_PARTIAL:
    return "partials";
  case AGT_MOVE_AUX:
    return "positions, segments, scales";
  default:
    return "values";
  }
}

// What position `p` did in repeat `i`, which began at `begin`; the end of its
// last launch.
static double addPosition(Json &events, const PositionReport &position,
                          size_t p, size_t i, double begin) {
  double end = begin;
  for (const LaunchReport &launch : position.launches) {
    if (i >= launch.spans.size())
      continue;
    const Span &span = launch.spans[i];
    Json event = sliceEvent(computeRow(p), launch.name, begin + span.begin,
                            begin + span.end);
    end = std::max(end, begin + span.end);
    event["args"] = {{"place", launch.place},
                     {"kernel", launch.kernel},
                     {"variant", launch.variant},
                     {"workgroups", launch.groups},
                     {"flops", launch.flops},
                     {"kv_bytes", uint64_t(launch.kvBytes)},
                     {"repeat", i}};
    events.push_back(std::move(event));
  }
  for (const TransferReport &transfer : position.transfers) {
    if (i >= transfer.spans.size())
      continue;
    const Span &span = transfer.spans[i];
    Json event = sliceEvent(transferRow(p), transfer.name, begin + span.begin,
                            begin + span.end);
    event["args"] = {
        {"place", transfer.place}, {"from", transfer.from},
        {"axis", transfer.axis},   {"carries", moveName(transfer.move)},
        {"bytes", transfer.bytes}, {"repeat", i}};
    events.push_back(std::move(event));
  }
  for (const HopReport &hop : position.hops) {
    if (i >= hop.times.size())
      continue;
    Json event = {{"ph", "i"},
                  {"s", "t"},
                  {"name", hop.name},
                  {"pid", 1},
                  {"tid", computeRow(p)},
                  {"ts", (begin + hop.times[i]) * 1e6}};
    event["args"] = {{"step", hop.step},
                     {"owner", hop.owner},
                     {"attended", hop.attended},
                     {"repeat", i}};
    events.push_back(std::move(event));
  }
  return end;
}

std::string traceJson(const std::string &graph, const RunReport &report) {
  Json events = Json::array();
  addRowNames(events, graph, report);
  if (report.policy != Policy::None)
    events.push_back(
        {{"ph", "M"},
         {"name", "process_labels"},
         {"pid", 1},
         {"tid", hostRow},
         {"args",
          {{"labels", policyText(report.policy, report.policyBytes)}}}});
  for (const RunReport::Step &step : report.steps)
    events.push_back(sliceEvent(hostRow, step.name, step.begin, step.end));
  for (size_t i = 0; i < report.begins.size(); ++i) {
    double begin = report.begins[i];
    double end = begin;
    for (size_t p = 0; p < report.positions.size(); ++p)
      end =
          std::max(end, addPosition(events, report.positions[p], p, i, begin));
    events.push_back(sliceEvent(hostRow, "compute", begin, end));
  }
  return dump({{"displayTimeUnit", "ms"}, {"traceEvents", events}}, -1);
}

} // namespace agt::rt
