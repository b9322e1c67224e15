// agt_mesh_run and agt_mesh_run_either: the plans of all positions are recorded
// and checked, then run in this process or by the ranks of MPI.
#include "runtime/Mesh/Agree.h"
#include "runtime/Mesh/Check.h"
#include "runtime/Mesh/Choose.h"
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

/// A graph that can be recorded in any of these ways.
static agt_status runWays(agt_context *context, const agt_graph *graph,
                          const std::vector<Way> &ways, const agt_tensor *in,
                          size_t n_in, agt_tensor *out, size_t n_out) {
  return guard([&] {
    if (!context)
      fail(AGT_BAD_INPUT, "the context is NULL", graph->place);
    if (!out && n_out)
      fail(AGT_BAD_INPUT, "there is no room for the results: out is NULL",
           graph->place);
    MpiWorld *world = context->settings.world;
    std::fill_n(out, out ? n_out : 0, agt_tensor{});
    MeshPlans plans(*context);
    Choice choice;
    auto recordAll = [&] {
      checkArguments(*graph, in, n_in, n_out, !world || world->rank() == 0);
      checkMesh(*graph);
      context->dropFailed();
      choice = recordCheapest(*context, *graph, ways, in, plans);
      checkPlansFit(plans.get());
      return std::string(policyName(choice.policy));
    };
    // What inputs hold only rank 0 can check: others would wait for it.
    if (world) {
      std::vector<std::string> chosen =
          agree(*world, /*named=*/false, recordAll);
      for (const std::string &other : chosen)
        if (other != chosen.front())
          fail(AGT_FAILED, "ranks have chosen different policies: " +
                               chosen.front() + " and " + other);
    } else {
      recordAll();
    }
    context->report = {};
    context->report.policy = choice.policy;
    context->report.policyBytes = choice.bytes;
    if (world)
      executeAsRank(*context, *graph, plans.get(), out);
    else
      executeTogether(*context, *graph, plans.get(), out);
  });
}

agt_status agt_mesh_run(agt_context *context, const agt_graph *graph,
                        agt_record_fn record, const agt_tensor *in, size_t n_in,
                        agt_tensor *out, size_t n_out) {
  return runWays(context, graph, {{Policy::None, record}}, in, n_in, out,
                 n_out);
}

agt_status agt_mesh_run_either(agt_context *context, const agt_graph *graph,
                               agt_record_fn pass_kv, agt_record_fn pass_q,
                               const agt_tensor *in, size_t n_in,
                               agt_tensor *out, size_t n_out) {
  return runWays(context, graph,
                 {{Policy::PassKV, pass_kv}, {Policy::PassQ, pass_q}}, in, n_in,
                 out, n_out);
}
