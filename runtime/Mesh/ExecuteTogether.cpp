// All positions of a mesh in this process, a thread each.
#include "runtime/Mesh/Demand.h"
#include "runtime/Mesh/Execute.h"
#include "runtime/Mesh/InProcess.h"
#include "runtime/Mesh/Position.h"
#include "runtime/Mesh/Together.h"
#include "runtime/Tensor/Dtype.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace agt::rt {
namespace {

class MeshExecution {
public:
  MeshExecution(agt_context &context, const agt_graph &graph,
                std::vector<agt_run *> plans)
      : context(context), graph(graph), plans(std::move(plans)),
        rates(axisRates(context, *graph.mesh)) {}

  void run(agt_tensor *out);

private:
  size_t count() const { return plans.size(); }
  using Body = std::function<void(size_t, double)>;
  void forPositions(const Body &body);
  void openDevices();
  double runOnce(bool keep);
  void fetchResult(size_t index, agt_tensor &out);

  agt_context &context;
  const agt_graph &graph;
  std::vector<agt_run *> plans;
  std::vector<OpenDevice *> devices;
  std::vector<std::unique_ptr<PlacedPlan>> placed;
  std::vector<std::unique_ptr<PositionRun>> positions;
  // Behind what it copies between: it goes first.
  std::optional<InProcessNetwork> network;
  std::vector<double> rates;
};

void MeshExecution::forPositions(const Body &body) {
  runTogether(count(), body, [&](size_t i) {
    if (network)
      network->end(i).cancel();
  });
}

void MeshExecution::openDevices() {
  context.device();
  devices = context.devicesFor(count());
  forPositions([&](size_t i, double) { devices[i]->openFor(*plans[i]); });
}

// From a common start to the end of the last position.
double MeshExecution::runOnce(bool keep) {
  forPositions([&](size_t i, double) { placed[i]->uploadInputs(); });
  double start = 0;
  std::vector<double> ends(count(), 0);
  forPositions([&](size_t i, double begin) {
    if (i == 0)
      start = begin;
    positions[i]->run(begin, keep);
    ends[i] = monotonicSeconds();
  });
  double time = *std::max_element(ends.begin(), ends.end()) - start;
  if (keep) {
    context.report.times.push_back(time);
    context.report.begins.push_back(context.sinceStart(start));
  }
  return time;
}

void MeshExecution::run(agt_tensor *out) {
  openDevices();
  placed.resize(count());
  context.step("plan memory", [&] {
    forPositions([&](size_t i, double) {
      placed[i] = std::make_unique<PlacedPlan>(*plans[i], *devices[i]);
    });
    std::vector<Demand> demands;
    for (auto &plan : placed)
      demands.push_back(demandOf(*plan));
    checkDemands(graph, demands);
  });
  network.emplace(count());
  for (size_t i = 0; i < count(); ++i)
    positions.push_back(std::make_unique<PositionRun>(
        *placed[i], network->end(i), int64_t(count()), rates,
        context.settings.launchTimes));
  context.step("build kernels", [&] {
    forPositions([&](size_t i, double) { placed[i]->loadKernels(); });
  });
  context.step("load inputs", [&] {
    forPositions([&](size_t i, double) {
      placed[i]->allocate();
      placed[i]->uploadConstants();
      positions[i]->prepare();
    });
  });
  if (context.settings.warmUp)
    context.step("warm up", [&] { runOnce(false); });
  for (uint32_t i = 0; i < context.settings.repeat; ++i) {
    context.tellRepeat(i);
    runOnce(true);
  }
  for (auto &plan : placed)
    plan->device.checkMistakes();
  context.step("fetch results", [&] {
    makeResults(graph, out,
                [&](size_t i, agt_tensor &result) { fetchResult(i, result); });
  });
  for (auto &plan : placed)
    context.report.positions.push_back(std::move(plan->report));
}

void MeshExecution::fetchResult(size_t index, agt_tensor &out) {
  const agt_param &param = graph.results[index];
  const OutputRecord &first = plans[0]->outputs[index];
  allocateTensor(out, param.dtype, first.shape.data(), param.rank);
  uint64_t elementBytes = dtypeBytes(param.dtype);
  auto *data = static_cast<unsigned char *>(out.data);
  for (size_t i = 0; i < count(); ++i) {
    std::optional<TensorPart> part = givenPart(*plans[i], index);
    if (!part)
      continue;
    uint64_t bytes = uint64_t(part->elements()) * elementBytes;
    PlacedPlan::Room room = placed[i]->roomOf(*plans[i]->outputs[index].buffer);
    if (unsigned char *host = room.host()) {
      part->write(host, data, elementBytes);
      continue;
    }
    std::vector<unsigned char> copy(bytes);
    placed[i]->transfer().download(room.chunk, room.offset, copy.data(), bytes);
    part->write(copy.data(), data, elementBytes);
  }
}

} // namespace

void executeTogether(agt_context &context, const agt_graph &graph,
                     const std::vector<agt_run *> &plans, agt_tensor *out) {
  MeshExecution(context, graph, plans).run(out);
}

} // namespace agt::rt
