// What a run tells about itself: --stats and --trace.
#ifndef AGT_RUNTIME_CLI_REPORT_H
#define AGT_RUNTIME_CLI_REPORT_H

#include "runtime/Plan/Context.h"

#include <string>
#include <vector>

namespace agt::rt {

/// Launches of one name.
struct PhaseReport {
  std::string name;
  double time = 0; // seconds, median over the repeats
  double flops = 0;
  uint32_t launches = 0;
};

struct Stats {
  std::string graph;
  std::string device;
  double time = 0; // seconds, median over the repeats
  std::vector<double> times;
  double flops = 0;
  uint64_t peakBytes = 0;
  std::vector<PhaseReport> phases; // in the order they first ran
};

/// The middle of the values, 0 of none.
double median(std::vector<double> values);

Stats collectStats(const std::string &graph, const std::string &device,
                   const RunReport &report);
/// The keys of language.md section 9; on one device nothing moves.
std::string statsJson(const Stats &stats);
std::string statsText(const Stats &stats);

/// Events in the JSON format that Perfetto and Chrome read: what the host did
/// on one row, the launches of every repeat on another.
std::string traceJson(const std::string &graph, const std::string &device,
                      const RunReport &report);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_REPORT_H
