// `prefix`: a text that a model reads once, for all that is asked with it.
//
// The log holds what was read, not what a device has made of it: the tokens of
// a model from a graph, and the text for any other, which is sent it with each
// request. A run that goes on takes them from the log, and the model reads them
// again when it is first asked.
#include "runtime/Model/Model.h"
#include "runtime/Telemetry/StepNote.h"

namespace agt::rt {

static Value prefixStep(agt_scope *scope, const agt_site &site, uint32_t llm,
                        Value text) {
  Strand &strand = *scope->strand;
  const AgentProgram &program = strand.run.program;
  const std::string &name = program.llms[llm].name;
  Effect effect;
  effect.noun = "the llm '" + name + "'";
  effect.effect = EffectClass::Pure;
  effect.timeout = program.llms[llm].timeout;
  effect.type = program.types->find(TypeKind::Context);
  if (strand.run.trace)
    effect.note = noteOfPrefix(program.llms[llm]);
  effect.perform = [&](const Attempt &) {
    std::optional<std::vector<int32_t>> tokens;
    try {
      tokens = readPrefix(strand.run, llm, textOf(text));
    } catch (const Failure &failure) {
      return AttemptResult::failed(
          AttemptResult::Definite,
          "'" + name + "' cannot read the text: " + failure.message);
    }
    Arena &arena = scope->arena();
    Value list = nullptr;
    if (tokens) {
      std::vector<Value> numbers;
      for (int32_t token : *tokens)
        numbers.push_back(makeInt(arena, token));
      list = makeList(arena, numbers);
    }
    AttemptResult result = AttemptResult::done(
        makeRecord(arena, contextShape(),
                   {makeString(arena, name), tokens ? nullptr : text, list}));
    if (tokens) {
      result.tokensIn = int64_t(tokens->size());
      result.tokensOut = 0;
      strand.budget->settle(0, result.tokensIn, 0);
    }
    return result;
  };
  std::string args =
      "{\"llm\":" + jsonString(name) + ",\"text\":" + canonicalJson(text) + "}";
  return runEffect(scope, site, args, effect);
}

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_step_prefix(agt_scope *scope, const agt_site *site, uint32_t llm,
                        const agt_value *text, const agt_value **result) {
  return guardSite(scope, site, [&](const agt_site &at) {
    *result = prefixStep(scope, at, llm, text);
  });
}
