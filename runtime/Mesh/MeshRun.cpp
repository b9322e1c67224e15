// agt_mesh_run: the plans of all positions are recorded and checked, then run
// in this process or by the ranks of MPI.
#include "runtime/Mesh/Agree.h"
#include "runtime/Mesh/Check.h"
#include "runtime/Mesh/Execute.h"
#include "runtime/Mesh/Mesh.h"
#include "runtime/Mesh/Mpi.h"
#include "runtime/Plan/Record.h"
#include "runtime/Support/Failure.h"

#include <algorithm>

namespace agt::rt {
namespace {

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

std::vector<double> axisRates(const agt_context &context,
                              const agt_mesh &mesh) {
  std::vector<double> rates;
  for (uint64_t i = 0; i < mesh.n_axes; ++i) {
    auto rate = context.settings.linkRates.find(mesh.axes[i].name);
    rates.push_back(rate == context.settings.linkRates.end() ? 0
                                                             : rate->second);
  }
  return rates;
}

std::optional<TensorPart> givenPart(const agt_run &plan, size_t index) {
  const OutputRecord &output = plan.outputs[index];
  std::vector<int64_t> parts = partsOf(output.splits, plan.position);
  for (int64_t before = 0; before < plan.position; ++before)
    if (partsOf(output.splits, before) == parts)
      return std::nullopt;
  return TensorPart(output.shape.data(), int(output.shape.size()),
                    output.splits, parts);
}

} // namespace agt::rt

using namespace agt::rt;

agt_status agt_mesh_run(agt_context *context, const agt_graph *graph,
                        agt_record_fn record, const agt_tensor *in, size_t n_in,
                        agt_tensor *out, size_t n_out) {
  std::vector<agt_run *> plans;
  agt_status status = guard([&] {
    if (!context)
      fail(AGT_BAD_INPUT, "the context is NULL", graph->place);
    if (!out && n_out)
      fail(AGT_BAD_INPUT, "there is no room for the results: out is NULL",
           graph->place);
    MpiWorld *world = context->settings.world;
    std::fill_n(out, out ? n_out : 0, agt_tensor{});
    auto recordAll = [&] {
      checkArguments(*graph, in, n_in, n_out, !world || world->rank() == 0);
      checkMesh(*graph);
      context->dropFailed();
      for (int64_t i = 0; i < positionsOf(*graph->mesh); ++i) {
        plans.push_back(&newPlan(*context, *graph, in));
        plans.back()->position = i;
        rethrow(record(plans.back(), in));
        checkOutputs(*plans.back());
      }
      checkPlansFit(plans);
      return std::string();
    };
    // What inputs hold only rank 0 can check: others would wait for it.
    if (world)
      agree(*world, /*named=*/false, recordAll);
    else
      recordAll();
    context->report = {};
    if (world)
      executeAsRank(*context, *graph, plans, out);
    else
      executeTogether(*context, *graph, plans, out);
  });
  for (agt_run *plan : plans)
    context->drop(plan);
  return status;
}
