// What is known of a plan that ran, in seconds.
#ifndef AGT_RUNTIME_PLAN_REPORT_H
#define AGT_RUNTIME_PLAN_REPORT_H

#include "runtime/Device/Device.h"
#include "runtime/Plan/Policy.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace agt::rt {

/// A launch as it was run.
struct LaunchReport {
  std::string name;
  std::string place;
  std::string kernel;
  uint32_t variant = 0;
  uint64_t groups = 0;
  double flops = 0;
  double kvBytes = 0;      // keys and values that it visits
  uint64_t bytes = 0;      // of the buffers that it is given
  std::vector<Span> spans; // one a repeat, from the repeat's begin
};

/// Bytes that came to a position.
struct TransferReport {
  std::string name;
  std::string place;
  std::string axis;
  int64_t from = 0;
  int32_t move = 0; // agt_move
  uint64_t bytes = 0;
  std::vector<Span> spans; // one a repeat: from when both sides were ready
};

/// A step of a ring.
struct HopReport {
  std::string name;
  int64_t step = 0;
  int64_t owner = 0;
  bool attended = true;
  std::vector<double> times; // one a repeat: when it began
};

/// One position of a mesh; the only one where there is no mesh.
struct PositionReport {
  std::string device;
  std::vector<LaunchReport> launches;
  std::vector<TransferReport> transfers;
  std::vector<HopReport> hops;
  uint64_t peakBytes = 0;   // device memory the plan had
  uint64_t kvPeakBytes = 0; // most bytes of keys and values alive at once
};

/// `begins` and `steps` count from the making of the context.
struct RunReport {
  struct Step {
    std::string name;
    double begin;
    double end;
  };
  std::vector<double> times;  // of the whole plan, one a repeat
  std::vector<double> begins; // when the runs began that spans count from
  std::vector<Step> steps;    // what the host did besides
  std::vector<PositionReport> positions;
  Policy policy = Policy::None; // the way that rings have gone
  /// Bytes that each way would move, where they were compared.
  std::vector<std::pair<Policy, uint64_t>> policyBytes;

  double flops() const { return sumOf(&LaunchReport::flops); }
  double kvBytes() const { return sumOf(&LaunchReport::kvBytes); }

private:
  double sumOf(double LaunchReport::*figure) const {
    double sum = 0;
    for (const PositionReport &position : positions)
      for (const LaunchReport &launch : position.launches)
        sum += launch.*figure;
    return sum;
  }
};

} // namespace agt::rt

#endif // AGT_RUNTIME_PLAN_REPORT_H
