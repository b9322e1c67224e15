// See Transfers.h.
#include "runtime/Cli/Transfers.h"

#include "agt/runtime.h"
#include "runtime/Cli/Report.h"

#include <algorithm>
#include <cmath>

namespace agt::rt {

double coveredTime(Span span, std::vector<Span> busy) {
  std::sort(busy.begin(), busy.end(),
            [](const Span &a, const Span &b) { return a.begin < b.begin; });
  double covered = 0;
  double from = span.begin;
  for (const Span &each : busy) {
    double begin = std::max(each.begin, from);
    double end = std::min(each.end, span.end);
    if (end <= begin)
      continue;
    covered += end - begin;
    from = end;
  }
  return covered;
}

TransferTotals totalTransfers(const RunReport &report) {
  TransferTotals totals;
  std::vector<double> times, hiddenTimes, hiddenBytes; // by repeat
  for (const PositionReport &position : report.positions) {
    for (const HopReport &hop : position.hops)
      ++(hop.attended ? totals.hops : totals.hopsSkipped);
    for (const TransferReport &transfer : position.transfers) {
      bool isAux = transfer.move == AGT_MOVE_AUX;
      (isAux ? totals.aux : totals.moved) += transfer.bytes;
    }
  }
  for (size_t i = 0; i < report.times.size(); ++i) {
    times.push_back(0);
    hiddenTimes.push_back(0);
    hiddenBytes.push_back(0);
    for (const PositionReport &position : report.positions) {
      std::vector<Span> busy;
      for (const LaunchReport &launch : position.launches)
        if (i < launch.spans.size())
          busy.push_back(launch.spans[i]);
      for (const TransferReport &transfer : position.transfers) {
        if (i >= transfer.spans.size())
          continue;
        Span span = transfer.spans[i];
        double length = span.end - span.begin;
        double hidden = coveredTime(span, busy);
        times.back() += length;
        hiddenTimes.back() += hidden;
        if (transfer.move != AGT_MOVE_AUX && length > 0)
          hiddenBytes.back() += double(transfer.bytes) * hidden / length;
      }
    }
  }
  totals.time = median(times);
  totals.hiddenTime = median(hiddenTimes);
  totals.hidden = uint64_t(std::llround(median(hiddenBytes)));
  return totals;
}

} // namespace agt::rt
