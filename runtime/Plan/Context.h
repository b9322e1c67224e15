// What stands behind agt_context: a device (one for each position of a mesh),
// the plans being recorded, how plans are to be run and what the last run was
// like.
#ifndef AGT_RUNTIME_PLAN_CONTEXT_H
#define AGT_RUNTIME_PLAN_CONTEXT_H

#include "runtime/Plan/OpenDevice.h"
#include "runtime/Plan/Plan.h"
#include "runtime/Plan/Policy.h"
#include "runtime/Plan/Report.h"
#include "runtime/Plan/Resident.h"

#include <functional>
#include <map>

namespace agt::rt {

class MpiWorld;

/// How agt_graph_end runs a plan. The default is once, as embedders want it.
struct RunSettings {
  uint32_t repeat = 1;
  bool warmUp = false;      // once more before, not counted
  bool launchTimes = false; // measure each launch and transfer
  /// Bytes a second over the links of an axis of the mesh, where slowed down.
  std::map<std::string, double> linkRates;
  /// The way that rings are to go; None where the cheapest is taken.
  Policy policy = Policy::None;
  /// The ranks that hold a position each; NULL where this process holds all.
  MpiWorld *world = nullptr;
  /// Shown each value of the graph's IR when it is there, by its number; may
  /// be empty. The plan then runs launch by launch, and its time says nothing.
  std::function<void(size_t number, const void *data, size_t bytes)> observe;
  /// Given the recorded plan instead of running it; may be empty.
  std::function<void(std::unique_ptr<agt_run>)> keep;
  /// Told what comes next; may be empty.
  std::function<void(const std::string &)> progress;
};

} // namespace agt::rt

struct agt_context {
  explicit agt_context(agt::rt::DeviceChoice choice);
  explicit agt_context(std::unique_ptr<agt::rt::Device> device);
  /// One device for each position.
  explicit agt_context(const std::vector<agt::rt::DeviceChoice> &choices);
  explicit agt_context(std::vector<std::unique_ptr<agt::rt::Device>> devices);

  /// The device, that of position 0 on a mesh; opened at the first call.
  agt::rt::Device &device();
  /// The same as one that runs `plan`, open.
  agt::rt::OpenDevice &openDeviceFor(const agt_run &plan);
  /// The devices of so many positions: those there are and, where one was
  /// chosen for all, more of its kind. Not open yet.
  std::vector<agt::rt::OpenDevice *> devicesFor(size_t positions);
  /// Seconds since the context was made.
  double now() const { return sinceStart(agt::rt::monotonicSeconds()); }
  double sinceStart(double seconds) const { return seconds - start; }
  /// Tells the user that repeat number `repeat` begins.
  void tellRepeat(uint32_t repeat) const;
  /// Runs `body` and notes it as a step of the report.
  template <typename Body> void step(const std::string &name, Body &&body) {
    if (settings.progress)
      settings.progress(name);
    double begin = now();
    body();
    report.steps.push_back({name, begin, now()});
  }
  void drop(agt_run *plan);
  /// Gives the plan away.
  std::unique_ptr<agt_run> take(agt_run *plan);
  /// Forgets plans that failed while they were recorded.
  void dropFailed();

  agt::rt::RunSettings settings;
  agt::rt::RunReport report;
  std::vector<std::unique_ptr<agt_run>> plans;

private:
  double start = agt::rt::monotonicSeconds();
  std::vector<std::unique_ptr<agt::rt::OpenDevice>> devices; // at least one

public:
  /// On the device of graphs that are on no mesh; goes before it.
  agt::rt::Residents residents;
};

#endif // AGT_RUNTIME_PLAN_CONTEXT_H
