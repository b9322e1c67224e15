// See Choose.h.
#include "runtime/Mesh/Choose.h"

#include "runtime/Mesh/Execute.h"
#include "runtime/Mesh/Gather.h"
#include "runtime/Mesh/Mesh.h"
#include "runtime/Plan/Record.h"

#include <numeric>

namespace agt::rt {

MeshPlans::~MeshPlans() {
  for (agt_run *plan : plans)
    context->drop(plan);
}

void MeshPlans::record(const agt_graph &graph, agt_record_fn record,
                       const agt_tensor *in) {
  for (int64_t i = 0; i < positionsOf(*graph.mesh); ++i) {
    plans.push_back(&newPlan(*context, graph, in));
    plans.back()->position = i;
    rethrow(record(plans.back(), in));
    checkOutputs(*plans.back());
  }
}

std::vector<uint64_t> bytesByAxis(const std::vector<agt_run *> &plans) {
  std::vector<uint64_t> bytes(plans.front()->graph.mesh->n_axes);
  for (const agt_run *plan : plans) {
    for (const ExchangeRecord &exchange : plan->exchanges)
      bytes[exchange.axis] += exchange.receiveBytes;
    for (const GatherRecord &gather : plan->gathers)
      for (const GatherMessages::Receive &receive :
           messagesOf(gather, plan->position, int64_t(plans.size())).receives)
        bytes[gather.axis] += receive.bytes;
  }
  return bytes;
}

double transferCost(const std::vector<uint64_t> &bytes,
                    const std::vector<double> &rates) {
  double seconds = 0;
  for (size_t axis = 0; axis < bytes.size(); ++axis) {
    if (bytes[axis] == 0)
      continue;
    if (rates[axis] == 0)
      return double(std::accumulate(bytes.begin(), bytes.end(), uint64_t(0)));
    seconds += double(bytes[axis]) / rates[axis];
  }
  return seconds;
}

// The rates of links as they are in this run: slowed down, or as declared.
static std::vector<double> linkRates(const agt_context &context,
                                     const agt_mesh &mesh) {
  std::vector<double> rates = axisRates(context, mesh);
  for (uint64_t i = 0; i < mesh.n_axes; ++i)
    if (rates[i] == 0)
      rates[i] = mesh.axes[i].link;
  return rates;
}

// Those of the ways that differ and may be taken.
static std::vector<Way> waysToTry(const std::vector<Way> &ways, Policy forced) {
  std::vector<Way> result;
  for (const Way &way : ways) {
    bool isKnown = false;
    for (const Way &other : result)
      isKnown |= other.record == way.record;
    if (forced == Policy::None ? !isKnown : way.policy == forced)
      result.push_back(way);
  }
  return result;
}

Choice recordCheapest(agt_context &context, const agt_graph &graph,
                      const std::vector<Way> &ways, const agt_tensor *in,
                      MeshPlans &plans) {
  std::vector<Way> tried = waysToTry(ways, context.settings.policy);
  if (tried.empty())
    fail(AGT_BAD_INPUT,
         std::string("graph '") + graph.name + "' cannot go '" +
             policyName(context.settings.policy) + "'",
         graph.place);
  Choice choice;
  if (tried.size() == 1) {
    plans.record(graph, tried.front().record, in);
    choice.policy = tried.front().policy;
    return choice;
  }
  // Unknown rates of an axis make bytes the measure of all ways.
  std::vector<double> rates = linkRates(context, *graph.mesh);
  std::vector<std::vector<uint64_t>> bytes;
  std::vector<MeshPlans> recorded;
  std::vector<Policy> policies;
  std::exception_ptr failure;
  for (const Way &way : tried) {
    MeshPlans made(context);
    try {
      made.record(graph, way.record, in);
    } catch (const Failure &each) {
      if (each.code != AGT_BAD_INPUT)
        throw;
      if (!failure)
        failure = std::current_exception();
      continue;
    }
    bytes.push_back(bytesByAxis(made.get()));
    recorded.push_back(std::move(made));
    policies.push_back(way.policy);
  }
  if (recorded.empty())
    std::rethrow_exception(failure);
  for (size_t axis = 0; axis < rates.size(); ++axis)
    for (const std::vector<uint64_t> &each : bytes)
      if (each[axis] && rates[axis] == 0)
        rates.assign(rates.size(), 0);
  size_t best = 0;
  for (size_t i = 0; i < recorded.size(); ++i) {
    choice.bytes.emplace_back(
        policies[i],
        std::accumulate(bytes[i].begin(), bytes[i].end(), uint64_t(0)));
    if (transferCost(bytes[i], rates) < transferCost(bytes[best], rates))
      best = i;
  }
  plans = std::move(recorded[best]);
  choice.policy = policies[best];
  return choice;
}

} // namespace agt::rt
