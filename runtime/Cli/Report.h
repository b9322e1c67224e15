// What a run tells about itself: --stats and --trace.
#ifndef AGT_RUNTIME_CLI_REPORT_H
#define AGT_RUNTIME_CLI_REPORT_H

#include "runtime/Cli/Transfers.h"
#include "runtime/Plan/Report.h"

#include <string>
#include <vector>

namespace agt::rt {

/// Launches of one name.
struct PhaseReport {
  std::string name;
  double time = 0; // seconds, median over the repeats; on a mesh of the
                   // position that takes longest
  double flops = 0;
  uint64_t bytes = 0; // of the buffers that its launches are given
  uint32_t launches = 0;
};

struct Stats {
  std::string graph;
  std::string device; // all of them, where positions have different ones
  size_t positions = 1;
  double time = 0; // seconds, median over the repeats
  std::vector<double> times;
  double flops = 0;
  uint64_t kvBytes = 0; // keys and values that attentions visit
  TransferTotals transfers;
  Policy policy = Policy::None;                         // of rings
  std::vector<std::pair<Policy, uint64_t>> policyBytes; // where compared
  std::vector<uint64_t> peakBytes;                      // by position
  std::vector<uint64_t> kvPeakBytes;                    // by position
  std::vector<PhaseReport> phases; // in the order they first ran
};

/// The middle of the values, 0 of none.
double median(std::vector<double> values);

Stats collectStats(const std::string &graph, const RunReport &report);
/// The keys of language.md section 9; on one device nothing moves.
std::string statsJson(const Stats &stats);
std::string statsText(const Stats &stats);

/// Events in the JSON format that Perfetto and Chrome read: what the host did
/// on one row, the launches of every repeat on another, and on a mesh a row of
/// launches and one of transfers for each position.
std::string traceJson(const std::string &graph, const RunReport &report);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_REPORT_H
