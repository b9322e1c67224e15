// What stands behind agt_context: one device, the kernels built on it, the
// plans being recorded, how plans are to be run and what the last run was like.
#ifndef AGT_RUNTIME_PLAN_CONTEXT_H
#define AGT_RUNTIME_PLAN_CONTEXT_H

#include "runtime/Device/Device.h"
#include "runtime/Device/Select.h"
#include "runtime/Plan/Plan.h"

#include <functional>
#include <map>
#include <tuple>

namespace agt::rt {

/// How agt_graph_end runs a plan. The default is once, as embedders want it.
struct RunSettings {
  uint32_t repeat = 1;
  bool warmUp = false;      // once more before, not counted
  bool launchTimes = false; // measure each launch
  /// Told what comes next; may be empty.
  std::function<void(const std::string &)> progress;
};

/// A launch as it was run.
struct LaunchReport {
  std::string name;
  std::string place;
  std::string kernel;
  uint32_t variant = 0;
  uint64_t groups = 0;
  double flops = 0;
  std::vector<Span> spans; // one a repeat, from the repeat's begin
};

/// What is known of the last plan that ran, in seconds; `begins` and `steps`
/// count from the making of the context.
struct RunReport {
  struct Step {
    std::string name;
    double begin;
    double end;
  };
  std::vector<double> times;  // of the whole plan, one a repeat
  std::vector<double> begins; // when the runs began that spans count from
  std::vector<Step> steps;    // what the host did besides
  std::vector<LaunchReport> launches;
  double flops = 0;
  uint64_t peakBytes = 0; // device memory the plan had
};

} // namespace agt::rt

struct agt_context {
  explicit agt_context(agt::rt::DeviceChoice choice) : choice(choice) {}
  explicit agt_context(std::unique_ptr<agt::rt::Device> device)
      : opened(std::move(device)) {}

  /// Opens the device at the first call.
  agt::rt::Device &device();
  /// The device that runs `plan`: the same, unless it was chosen for programs
  /// in general and this plan has a kernel it has no code for.
  agt::rt::Device &deviceFor(const agt_run &plan);
  /// The kernel, built at the first call with these arguments.
  agt::rt::Kernel &kernel(const agt_kernel &kernel, uint32_t variant,
                          uint32_t pushConstants);
  /// Seconds since the context was made.
  double now() const;
  /// Runs `body` and notes it as a step of the report.
  template <typename Body> void step(const std::string &name, Body &&body) {
    if (settings.progress)
      settings.progress(name);
    double begin = now();
    body();
    report.steps.push_back({name, begin, now()});
  }
  void drop(agt_run *plan);
  /// Forgets plans that failed while they were recorded.
  void dropFailed();

  agt::rt::RunSettings settings;
  agt::rt::RunReport report;
  std::vector<std::unique_ptr<agt_run>> plans;

private:
  agt::rt::DeviceChoice choice;
  double start = agt::rt::monotonicSeconds();
  std::unique_ptr<agt::rt::Device> opened;
  // After the device: kernels go before it.
  std::map<std::tuple<const agt_kernel *, uint32_t, uint32_t>,
           std::unique_ptr<agt::rt::Kernel>>
      kernels;
};

#endif // AGT_RUNTIME_PLAN_CONTEXT_H
