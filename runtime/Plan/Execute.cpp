// A plan is run in this order, so that what can be refused is refused before
// work starts: choose variants, lay out memory, compare with what the device
// has, build kernels, allocate, upload, run (and repeat), download.
//
// All addresses are known once memory is allocated; the commands are recorded
// once and submitted for each repeat.
#include "runtime/Plan/Execute.h"

#include "runtime/Plan/Context.h"
#include "runtime/Plan/Placed.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>

namespace agt::rt {
namespace {

class Execution {
public:
  explicit Execution(agt_run &plan) : plan(plan), context(plan.context) {}

  void run(agt_tensor *out) {
    OpenDevice &opened = context.openDeviceFor(plan);
    context.step("plan memory", [&] {
      placed = std::make_unique<PlacedPlan>(plan, opened);
      placed->checkMemory();
    });
    context.step("build kernels", [&] { placed->loadKernels(); });
    context.step("load inputs", [&] {
      placed->allocate();
      placed->uploadConstants();
      placed->uploadInputs();
    });
    recordCommands();
    if (context.settings.warmUp)
      context.step("warm up", [&] { runOnce(); });
    if (context.settings.observe)
      context.step("compute kernel by kernel", [&] { observe(); });
    else
      for (uint32_t i = 0; i < context.settings.repeat; ++i)
        measure(i);
    opened.get().checkMistakes();
    context.step("fetch results", [&] { download(out); });
    context.report.positions.push_back(std::move(placed->report));
  }

private:
  void recordCommands();
  double runOnce();
  double runTimed();
  void measure(uint32_t repeat);
  void observe();
  void download(agt_tensor *out);

  agt_run &plan;
  agt_context &context;
  std::unique_ptr<PlacedPlan> placed;
  std::unique_ptr<CommandList> list; // NULL when there is no launch
  std::vector<std::unique_ptr<CommandList>> timedLists;
};

// Where launch times are wanted, there are lists for them besides: one with
// times, or one for each launch where the device has no clock.
void Execution::recordCommands() {
  if (placed->launches() == 0)
    return;
  Device &device = placed->device;
  std::vector<Command> all;
  for (size_t i = 0; i < placed->launches(); ++i)
    all.push_back(placed->command(i));
  list = device.record(all, false);
  if (!context.settings.launchTimes)
    return;
  if (device.properties().timestamps) {
    timedLists.push_back(device.record(all, true));
    return;
  }
  for (Command &command : all)
    timedLists.push_back(device.record({command}, false));
}

// Runs the plan once; how long it took.
double Execution::runOnce() {
  Device &device = placed->device;
  double begin = context.now();
  if (list)
    device.wait(device.submit(*list));
  return context.now() - begin;
}

// The same with times for each launch.
double Execution::runTimed() {
  Device &device = placed->device;
  double begin = context.now();
  std::vector<Span> spans;
  for (auto &timed : timedLists) {
    double from = context.now() - begin;
    device.wait(device.submit(*timed));
    spans.push_back({from, context.now() - begin});
  }
  double time = context.now() - begin;
  if (device.properties().timestamps && !timedLists.empty())
    spans = timedLists.front()->times();
  context.report.begins.push_back(begin);
  for (size_t i = 0; i < placed->launches(); ++i)
    placed->report.launches[i].spans.push_back(spans.at(i));
  return time;
}

// Taking times costs a little at each launch (the driver finishes one before
// it reads the clock for the next). Where that shows beside the work, the
// plan's own time is taken from a run without.
void Execution::measure(uint32_t repeat) {
  const RunSettings &settings = context.settings;
  context.tellRepeat(repeat);
  constexpr double costOfTimes = 1e-4; // seconds a launch, lavapipe's
  double time = 0;
  bool shows = true;
  if (settings.launchTimes) {
    time = runTimed();
    shows = costOfTimes * double(placed->launches()) > 0.01 * time;
  }
  if (shows)
    time = runOnce();
  context.report.times.push_back(time);
}

// Values are looked at as soon as they are there: a later launch may use their
// room.
void Execution::observe() {
  Device &device = placed->device;
  double begin = context.now();
  size_t number = 0;
  for (size_t done = 0; done <= placed->launches(); ++done) {
    if (done > 0) {
      auto one = device.record({placed->command(done - 1)}, false);
      device.wait(device.submit(*one));
    }
    for (; number < plan.values.size(); ++number) {
      const ValueRecord &value = plan.values[number];
      if (value.launches > done)
        break;
      std::vector<unsigned char> bytes(
          value.buffer->isUsed() ? value.buffer->bytes : 0);
      if (!bytes.empty()) {
        PlacedPlan::Room room = placed->roomOf(*value.buffer);
        placed->transfer().download(room.chunk, room.offset, bytes.data(),
                                    bytes.size());
      }
      context.settings.observe(number, bytes.data(), bytes.size());
    }
  }
  context.report.times.push_back(context.now() - begin);
}

void Execution::download(agt_tensor *out) {
  size_t done = 0;
  try {
    for (; done < plan.outputs.size(); ++done) {
      const OutputRecord &output = plan.outputs[done];
      const agt_param &result = plan.graph.results[done];
      allocateTensor(out[done], result.dtype, output.shape.data(), result.rank);
      uint64_t bytes =
          *tensorBytes(result.dtype, output.shape.data(), result.rank);
      PlacedPlan::Room room = placed->roomOf(*output.buffer);
      placed->transfer().download(room.chunk, room.offset, out[done].data,
                                  bytes);
    }
  } catch (...) {
    for (size_t i = 0; i <= done && i < plan.outputs.size(); ++i)
      agt_tensor_release(&out[i]);
    throw;
  }
}

} // namespace

void execute(agt_run &plan, agt_tensor *out) {
  std::fill_n(out, plan.outputs.size(), agt_tensor{});
  plan.context.report = {};
  Execution(plan).run(out);
}

} // namespace agt::rt
