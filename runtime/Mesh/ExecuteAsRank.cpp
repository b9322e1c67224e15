// One position of a mesh as a rank of MPI. All ranks have recorded the plans of
// all positions, so that each knows what the others send it: rank 0 cuts the
// inputs and sends each rank its parts, and puts the results together. Steps
// that can fail are taken together (Agree.h); a failure in one is everybody's.
#include "runtime/Mesh/Agree.h"
#include "runtime/Mesh/Demand.h"
#include "runtime/Mesh/Execute.h"
#include "runtime/Mesh/Position.h"
#include "runtime/Mesh/ReportText.h"
#include "runtime/Mesh/WireText.h"
#include "runtime/Tensor/Dtype.h"
#include "runtime/Tensor/Tensor.h"

#include <algorithm>
#include <deque>
#include <unistd.h>

namespace agt::rt {
namespace {

using Json = nlohmann::json;
using Bytes = std::vector<unsigned char>;

class RankExecution {
public:
  RankExecution(agt_context &context, const agt_graph &graph,
                const std::vector<agt_run *> &plans)
      : context(context), graph(graph), plans(plans),
        world(*context.settings.world), self(world.rank()),
        own(*plans[size_t(self)]), rates(axisRates(context, *graph.mesh)) {}

  void run(agt_tensor *out);

private:
  std::vector<std::string> together(const std::function<std::string()> &body) {
    return agree(world, plans.size() > 1, body);
  }
  void plan();
  void load();
  void shareInputs();
  void receiveInputs();
  void runOnce(bool keep);
  void fetchResult(size_t index, agt_tensor &out);
  void sendResults();
  Bytes bytesOf(size_t index, uint64_t bytes);
  void collectReports();

  agt_context &context;
  const agt_graph &graph;
  const std::vector<agt_run *> &plans;
  MpiWorld &world;
  int64_t self;
  agt_run &own;
  std::vector<double> rates;
  std::deque<Bytes> parts; // of inputs, on other ranks than 0
  // What a step sends or receives. Where it is cut short this stays until
  // nothing travels any more.
  std::deque<Bytes> travelling;
  std::unique_ptr<PlacedPlan> placed;
  std::unique_ptr<PositionRun> position;
};

// Positions of one machine may share its memory.
std::string machineName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

void RankExecution::plan() {
  std::vector<std::string> texts = together([&] {
    OpenDevice *device = context.devicesFor(plans.size())[size_t(self)];
    device->openFor(own);
    placed = std::make_unique<PlacedPlan>(own, *device);
    Demand demand = demandOf(*placed);
    return wireText(
        Json::array({machineName() + " " + demand.memory, demand.device,
                     demand.bytes, demand.budget.free, demand.budget.total}));
  });
  std::vector<Demand> demands;
  for (const std::string &text : texts) {
    Json json = Json::parse(text);
    demands.push_back({json[0], json[1], json[2], {json[3], json[4]}});
  }
  checkDemands(graph, demands);
}

void RankExecution::load() {
  together([&] {
    self == 0 ? shareInputs() : receiveInputs();
    position =
        std::make_unique<PositionRun>(*placed, world, int64_t(plans.size()),
                                      rates, context.settings.launchTimes);
    placed->loadKernels();
    placed->allocate();
    placed->uploadConstants();
    position->prepare();
    return std::string();
  });
}

// The buffers of a plan that hold some of an input, in the order in which all
// ranks know them.
std::vector<agt_buffer *> inputParts(agt_run &plan) {
  std::vector<agt_buffer *> result;
  for (agt_buffer &buffer : plan.buffers)
    if (buffer.input && buffer.isUsed() && buffer.bytes)
      result.push_back(&buffer);
  return result;
}

void RankExecution::receiveInputs() {
  std::vector<Transport::Request> requests;
  for (agt_buffer *buffer : inputParts(own)) {
    Bytes &part = parts.emplace_back(buffer->bytes);
    buffer->part = part.data();
    requests.push_back(world.postReceive(0, part.data(), buffer->bytes, {}));
  }
  for (Transport::Request request : requests)
    world.wait(request);
}

void RankExecution::shareInputs() {
  for (size_t other = 1; other < plans.size(); ++other) {
    std::vector<Transport::Request> requests;
    for (agt_buffer *buffer : inputParts(*plans[other])) {
      const agt_tensor &tensor = *buffer->input;
      TensorPart part(tensor.shape, tensor.rank, buffer->splits,
                      partsOf(buffer->splits, int64_t(other)));
      Bytes &copy = travelling.emplace_back(buffer->bytes);
      part.read(tensor, copy.data());
      requests.push_back(
          world.postSend(int64_t(other), copy.data(), buffer->bytes, {}));
    }
    for (Transport::Request request : requests)
      world.wait(request);
    travelling.clear();
  }
}

// From a common start, as well as messages tell it, to the last rank's end.
void RankExecution::runOnce(bool keep) {
  together([&] {
    placed->uploadInputs();
    return std::string();
  });
  double start = 0;
  std::vector<std::string> times = together([&] {
    start = monotonicSeconds();
    position->run(start, keep);
    return wireText(monotonicSeconds() - start);
  });
  if (!keep)
    return;
  double longest = 0;
  for (const std::string &time : times)
    longest = std::max(longest, Json::parse(time).get<double>());
  context.report.times.push_back(longest);
  context.report.begins.push_back(context.sinceStart(start));
}

// This rank's part of a result.
Bytes RankExecution::bytesOf(size_t index, uint64_t bytes) {
  Bytes copy(bytes);
  PlacedPlan::Room room = placed->roomOf(*own.outputs[index].buffer);
  placed->transfer().download(room.chunk, room.offset, copy.data(), bytes);
  return copy;
}

void RankExecution::sendResults() {
  for (size_t i = 0; i < graph.n_results; ++i) {
    std::optional<TensorPart> part = givenPart(own, i);
    if (!part || part->elements() == 0)
      continue;
    Bytes &copy = travelling.emplace_back(bytesOf(
        i, uint64_t(part->elements()) * dtypeBytes(graph.results[i].dtype)));
    world.wait(world.postSend(0, copy.data(), copy.size(), {}));
    travelling.clear();
  }
}

void RankExecution::fetchResult(size_t index, agt_tensor &out) {
  const agt_param &param = graph.results[index];
  const OutputRecord &output = own.outputs[index];
  allocateTensor(out, param.dtype, output.shape.data(), param.rank);
  uint64_t elementBytes = dtypeBytes(param.dtype);
  for (size_t i = 0; i < plans.size(); ++i) {
    std::optional<TensorPart> part = givenPart(*plans[i], index);
    if (!part || part->elements() == 0)
      continue;
    Bytes &copy =
        travelling.emplace_back(uint64_t(part->elements()) * elementBytes);
    if (i == 0)
      copy = bytesOf(index, copy.size());
    else
      world.wait(world.postReceive(int64_t(i), copy.data(), copy.size(), {}));
    part->write(copy.data(), static_cast<unsigned char *>(out.data),
                elementBytes);
    travelling.clear();
  }
}

void RankExecution::collectReports() {
  std::vector<std::string> texts = together([&] {
    placed->device.checkMistakes();
    return reportText(placed->report);
  });
  for (const std::string &text : texts)
    context.report.positions.push_back(reportFromText(text));
}

void RankExecution::run(agt_tensor *out) {
  context.step("plan memory", [&] { plan(); });
  context.step("load inputs", [&] { load(); });
  if (context.settings.warmUp)
    context.step("warm up", [&] { runOnce(false); });
  for (uint32_t i = 0; i < context.settings.repeat; ++i) {
    context.tellRepeat(i);
    runOnce(true);
  }
  context.step("fetch results", [&] {
    together([&] {
      if (self != 0)
        sendResults();
      else
        makeResults(graph, out, [&](size_t i, agt_tensor &result) {
          fetchResult(i, result);
        });
      return std::string();
    });
  });
  collectReports();
}

} // namespace

void executeAsRank(agt_context &context, const agt_graph &graph,
                   const std::vector<agt_run *> &plans, agt_tensor *out) {
  RankExecution execution(context, graph, plans);
  try {
    execution.run(out);
  } catch (...) {
    // Nothing may arrive in memory that is given back now.
    context.settings.world->stop();
    for (size_t i = 0; i < graph.n_results; ++i)
      agt_tensor_release(&out[i]);
    throw;
  }
}

} // namespace agt::rt
