// A child agent: its steps are in the same run, below SITE/AGENT, so that it is
// over when its parent goes on, and whatever ends the parent ends it.
#include "runtime/Agent/Execution.h"
#include "runtime/Tool/Tool.h"

namespace agt::rt {

namespace {

constexpr int maxDepth = 200; // of children in children: the stack is finite

std::string argumentsOf(const AgentDecl &agent,
                        const std::vector<Value> &args) {
  std::vector<std::string> names;
  for (const ParamDecl &param : agent.params)
    names.push_back(param.name);
  Arena arena;
  Shape shape(names);
  return canonicalJson(makeRecord(arena, shape, args));
}

Value runChild(agt_scope *scope, const agt_site &site, uint32_t index,
               const std::vector<Value> &args) {
  Strand &strand = *scope->strand;
  Execution &run = strand.run;
  const AgentDecl &agent = run.program.agents[index];
  std::string path = scope->path(site.name),
              arguments = argumentsOf(agent, args);
  const PastStep *past = findPast(scope, site, arguments);
  if (past && past->state == PastState::Done) {
    strand.budget->settle(0, past->tokens, 0);
    strand.budget->countStep();
    return readLogged(scope, past->result, agent.result);
  }
  if (past && past->state == PastState::Failed)
    throw StepFailure(past->error);
  int64_t active = run.activeNs();
  if (past) {
    Json began = infoMember(past->info, "active");
    if (began.is_number())
      active = began.get<int64_t>();
  } else {
    refuseNew(scope, path);
    strand.budget->openStep(active);
    Event event = makeEvent(EventKind::Intent, path);
    event.args = arguments;
    event.hash = site.hash ? site.hash : "";
    event.info = "{\"active\":" + std::to_string(active) +
                 ",\"agent\":" + jsonString(agent.name) + "}";
    strand.note(std::move(event)); // nothing leaves: its first effect commits
  }
  if (++strand.depth > maxDepth)
    throw StepFailure("agents call each other more than " +
                      std::to_string(maxDepth) + " deep");
  Budget *outer = strand.budget;
  Budget budget(outer, agent.budget, agent.name, active);
  strand.budget = &budget;
  Value result = nullptr;
  std::string prefix = path + "/" + agent.name;
  int32_t outcome = run.program.code.agents[index](makeScope(strand, prefix),
                                                   args.data(), &result);
  strand.budget = outer;
  --strand.depth;
  if (outcome > AGT_STEP_FAILED)
    throw Unwind{outcome};
  Event event = makeEvent(
      outcome == AGT_STEP_OK ? EventKind::Result : EventKind::Failure, path);
  if (outcome == AGT_STEP_OK) {
    event.result = canonicalJson(result);
    event.tokensIn = budget.tokensUsed();
  } else {
    event.error = strand.failure;
    event.info = "{\"final\":true}";
  }
  strand.note(std::move(event));
  if (outcome != AGT_STEP_OK)
    throw StepFailure(strand.failure);
  return result;
}

} // namespace

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_step_agent(agt_scope *scope, const agt_site *site, uint32_t agent,
                       const agt_value *const *args, const agt_value **result) {
  return guardSite(scope, site, [&](const agt_site &at) {
    size_t n = scope->strand->run.program.agents[agent].params.size();
    *result = runChild(scope, at, agent, std::vector<Value>(args, args + n));
  });
}
