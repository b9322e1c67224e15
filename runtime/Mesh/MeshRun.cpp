// agt_mesh_run: all positions of a mesh in this process, a thread each.
#include "runtime/Mesh/Check.h"
#include "runtime/Mesh/Demand.h"
#include "runtime/Mesh/InProcess.h"
#include "runtime/Mesh/Mesh.h"
#include "runtime/Mesh/Position.h"
#include "runtime/Mesh/Together.h"
#include "runtime/Plan/Context.h"
#include "runtime/Plan/Record.h"
#include "runtime/Support/Failure.h"
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
      : context(context), graph(graph), plans(std::move(plans)) {}

  void run(agt_tensor *out);

private:
  size_t count() const { return plans.size(); }
  using Body = std::function<void(size_t, double)>;
  void forPositions(const Body &body);
  void openDevices();
  double runOnce(bool keep);
  void fetch(agt_tensor *out);
  void fetchResult(size_t index, agt_tensor &out);

  agt_context &context;
  const agt_graph &graph;
  std::vector<agt_run *> plans;
  std::vector<OpenDevice *> devices;
  std::vector<std::unique_ptr<PlacedPlan>> placed;
  // Before what it copies between: it goes first.
  std::optional<InProcessNetwork> network;
  std::vector<std::unique_ptr<PositionRun>> positions;
  std::vector<double> axisRates;
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
  axisRates.assign(graph.mesh->n_axes, 0);
  for (uint64_t i = 0; i < graph.mesh->n_axes; ++i) {
    auto rate = context.settings.linkRates.find(graph.mesh->axes[i].name);
    if (rate != context.settings.linkRates.end())
      axisRates[i] = rate->second;
  }
  for (size_t i = 0; i < count(); ++i)
    positions.push_back(std::make_unique<PositionRun>(
        *placed[i], network->end(i), int64_t(count()), axisRates,
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
  context.step("fetch results", [&] { fetch(out); });
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
    std::vector<int64_t> parts = partsOf(first.splits, int64_t(i));
    // Where several hold the same part, the first gives it.
    if (nearestHolder(first.splits, parts, int64_t(i), int64_t(i)) >= 0)
      continue;
    TensorPart part(first.shape.data(), param.rank, first.splits, parts);
    uint64_t bytes = uint64_t(part.elements()) * elementBytes;
    PlacedPlan::Room room = placed[i]->roomOf(*plans[i]->outputs[index].buffer);
    if (unsigned char *host = room.host()) {
      part.write(host, data, elementBytes);
      continue;
    }
    std::vector<unsigned char> copy(bytes);
    placed[i]->transfer().download(room.chunk, room.offset, copy.data(), bytes);
    part.write(copy.data(), data, elementBytes);
  }
}

void MeshExecution::fetch(agt_tensor *out) {
  size_t done = 0;
  try {
    for (; done < graph.n_results; ++done)
      fetchResult(done, out[done]);
  } catch (...) {
    for (size_t i = 0; i <= done && i < graph.n_results; ++i)
      agt_tensor_release(&out[i]);
    throw;
  }
}

void checkMesh(const agt_graph &graph) {
  const agt_mesh &mesh = *graph.mesh;
  constexpr int64_t most = 4096; // threads of one process
  for (uint64_t i = 0; i < mesh.n_axes; ++i)
    if (mesh.axes[i].size < 1)
      fail(AGT_BAD_INPUT,
           std::string("axis '") + mesh.axes[i].name + "' of mesh '" +
               mesh.name + "' has " + std::to_string(mesh.axes[i].size) +
               " positions",
           mesh.place);
  int64_t count = 1;
  for (uint64_t i = 0; i < mesh.n_axes; ++i)
    if (__builtin_mul_overflow(count, mesh.axes[i].size, &count) ||
        count > most)
      fail(AGT_BAD_INPUT,
           std::string("mesh '") + mesh.name + "' has more than " +
               std::to_string(most) +
               " positions, which is what one program can hold",
           mesh.place);
}

} // namespace
} // namespace agt::rt

using namespace agt::rt;

agt_status agt_mesh_run(agt_context *context, const agt_graph *graph,
                        agt_record_fn record, const agt_tensor *in, size_t n_in,
                        agt_tensor *out, size_t n_out) {
  std::vector<agt_run *> plans;
  agt_status status = guard([&] {
    checkArguments(*graph, in, n_in, n_out, true);
    checkMesh(*graph);
    context->dropFailed();
    std::fill_n(out, n_out, agt_tensor{});
    for (int64_t i = 0; i < positionsOf(*graph->mesh); ++i) {
      plans.push_back(&newPlan(*context, *graph, in));
      plans.back()->position = i;
      rethrow(record(plans.back(), in));
      checkOutputs(*plans.back());
    }
    checkPlansFit(plans);
    context->report = {};
    MeshExecution(*context, *graph, plans).run(out);
  });
  for (agt_run *plan : plans)
    context->drop(plan);
  return status;
}
