// `ask`: a conversation with a model as one step.
//
// The step itself has an intent and, in the end, the answer. What happens in
// between has steps of its own below it: NAME/turn#i for the model's turns when
// it may call tools, NAME/tool#i for the calls, NAME/repair for the one further
// question after an answer that is not valid. A crash in the middle replays
// those that are done; the model is asked again only for what is missing.
#include "runtime/Agent/RunFigures.h"
#include "runtime/Log/Token.h"
#include "runtime/Model/Model.h"
#include "runtime/Support/FailPoint.h"
#include "runtime/Telemetry/StepNote.h"
#include "runtime/Tool/Limit.h"
#include "runtime/Tool/Tool.h"

#include <algorithm>

namespace agt::rt {

namespace {

class Conversation {
public:
  Conversation(agt_scope *scope, const agt_site &site, const agt_ask &ask)
      : scope(scope), strand(*scope->strand), site(site), ask(ask),
        program(strand.run.program), llm(program.llms[ask.llm]) {}

  Value run() {
    Effect effect = modelEffect(ask.type);
    effect.note = traced(/*whole=*/true);
    effect.perform = [&](const Attempt &attempt) { return converse(attempt); };
    // Half of a conversation with tools is steps of its own: the time limit is
    // each turn's.
    return runEffect(scope, site, arguments(), effect);
  }

private:
  Effect modelEffect(uint32_t type) const {
    Effect effect;
    effect.noun = "the llm '" + llm.name + "'";
    effect.effect = EffectClass::Idempotent;
    effect.retry = llm.retry;
    effect.timeout = llm.timeout;
    effect.type = type;
    return effect;
  }

  // What the trace says of a call of the model, or of all of them together.
  std::shared_ptr<const StepNote> traced(bool whole) const {
    if (!strand.run.trace)
      return nullptr;
    if (whole && ask.n_tools)
      return noteOfConversation(llm);
    ModelWishes wishes;
    wishes.json = program.types->at(ask.type).kind != TypeKind::String;
    if (ask.tokens)
      wishes.maxTokens = ask.tokens->number;
    if (ask.seed)
      wishes.seed = ask.seed->number;
    if (ask.temperature)
      wishes.temperature = agt_value_as_float(ask.temperature);
    if (ask.stop)
      for (uint64_t i = 0; i < ask.stop->count; ++i)
        wishes.stop.emplace_back(textOf(ask.stop->elements[i]));
    return noteOfModel(llm, wishes);
  }

  std::string arguments() const {
    Json all = {{"llm", llm.name}};
    auto put = [&](const char *name, Value value) {
      if (value)
        all[name] = Json::parse(canonicalJson(value));
    };
    if (ask.context)
      all["with"] = sha256Hex(canonicalJson(ask.context));
    put("system", ask.system);
    put("user", ask.user);
    put("messages", ask.messages);
    put("max", ask.max);
    put("temperature", ask.temperature);
    put("tokens", ask.tokens);
    put("seed", ask.seed);
    put("stop", ask.stop);
    for (uint64_t i = 0; i < ask.n_tools; ++i)
      all["tools"].push_back(program.tools[ask.tools[i]].name);
    // nlohmann's numbers and ours agree on integers, and floats are shortest
    // in both; keys are sorted by the map.
    return canonical(all);
  }

  static std::string canonical(const Json &json) {
    if (json.is_object()) {
      std::string out = "{";
      for (const auto &entry : json.items())
        out += (out.size() > 1 ? "," : "") + jsonString(entry.key()) + ":" +
               canonical(entry.value());
      return out + "}";
    }
    if (json.is_array()) {
      std::string out = "[";
      for (const Json &element : json)
        out += (out.size() > 1 ? "," : "") + canonical(element);
      return out + "]";
    }
    if (json.is_string())
      return jsonString(json.get_ref<const std::string &>());
    if (json.is_number_float())
      return floatText(json.get<double>());
    return json.dump();
  }

  // ---- one conversation ----------------------------------------------------

  AttemptResult converse(const Attempt &attempt) {
    entries = Json::array();
    tokensIn = tokensOut = 0;
    cost = 0;
    prepare(attempt);
    ModelReply reply;
    int64_t calls = 0;
    for (int turn = 0;; ++turn) {
      reply = ask.n_tools ? loggedTurn("turn#" + std::to_string(turn), attempt)
                          : oneTurn(attempt);
      if (reply.kind != AttemptResult::Done)
        return failure(reply.kind, reply.error, reply.retryAfter);
      if (reply.calls.empty())
        break;
      if (std::string why = unusable(reply); !why.empty())
        return failure(AttemptResult::Unknown, why);
      answerCalls(reply, calls);
    }
    return conclude(attempt, reply);
  }

  void prepare(const Attempt &attempt) {
    request = ModelRequest();
    auto say = [&](const char *role, std::string_view text) {
      request.messages.push_back({role, std::string(text), {}, ""});
    };
    // The context comes first and is the same message in every request, so
    // that endpoints which keep what they have read find it. It speaks as a
    // user does: what is read is not to be obeyed.
    if (ask.context) {
      Value reader = ask.context->elements[0], text = ask.context->elements[1],
            tokens = ask.context->elements[2];
      if (textOf(reader) != llm.name)
        throw StepFailure("the context is of the llm '" +
                          std::string(textOf(reader)) + "', not of '" +
                          llm.name + "'");
      if (text)
        say("user", textOf(text));
      if (tokens)
        for (uint64_t i = 0; i < tokens->count; ++i)
          request.context.push_back(int32_t(tokens->elements[i]->number));
    }
    if (ask.system)
      say("system", textOf(ask.system));
    if (ask.messages)
      for (uint64_t i = 0; i < ask.messages->count; ++i) {
        Value message = ask.messages->elements[i];
        say(std::string(textOf(message->elements[0])).c_str(),
            textOf(message->elements[1]));
      }
    if (ask.user)
      say("user", textOf(ask.user));
    for (uint64_t i = 0; i < ask.n_tools; ++i)
      request.tools.push_back(describe(program.tools[ask.tools[i]]));
    const Type &type = program.types->at(ask.type);
    if (type.kind != TypeKind::String) {
      request.schema = program.types->schema(ask.type);
      request.schemaName = type.name.empty() ? "answer" : type.name;
    }
    if (ask.tokens)
      request.maxTokens = ask.tokens->number;
    if (ask.temperature)
      request.temperature = agt_value_as_float(ask.temperature);
    if (ask.seed)
      request.seed = ask.seed->number;
    if (ask.stop)
      for (uint64_t i = 0; i < ask.stop->count; ++i)
        request.stop.emplace_back(textOf(ask.stop->elements[i]));
    request.timeout = attempt.timeout;
    request.cancel = attempt.cancel;
  }

  ModelTool describe(const ToolDecl &tool) const {
    Json properties = Json::object(), required = Json::array();
    Json definitions = Json::object();
    for (const ParamDecl &param : tool.params) {
      Json schema = program.types->schema(param.type);
      if (schema.contains("$defs")) {
        definitions.update(schema["$defs"]);
        schema.erase("$defs");
      }
      if (!param.doc.empty())
        schema["description"] = param.doc;
      properties[param.name] = schema;
      required.push_back(param.name);
    }
    Json parameters = {{"type", "object"},
                       {"properties", properties},
                       {"required", required},
                       {"additionalProperties", false}};
    if (!definitions.empty())
      parameters["$defs"] = definitions;
    return {tool.modelName, tool.doc, parameters};
  }

  // A call of the model, charged to the budget.
  ModelReply oneTurn(const Attempt &attempt) {
    int64_t estimate = request.maxTokens > 0 ? request.maxTokens : 1024;
    for (const ModelMessage &message : request.messages)
      estimate += roughTokens(message.text);
    strand.budget->reserve(estimate);
    ModelRequest bounded = request;
    int64_t left = strand.budget->tokensLeft();
    if (left >= 0 && (bounded.maxTokens < 0 || bounded.maxTokens > left))
      bounded.maxTokens = std::max<int64_t>(left, 1);
    bounded.timeout = attempt.timeout;
    ModelReply reply;
    try {
      // Right before the call leaves, so that what its endpoint sees keeps the
      // limit; of this call alone, a repair waits for a place of its own.
      LimitSlot slot(strand.run.log, llm, *attempt.cancel);
      if (attempt.startByBootNs &&
          Instant::now().bootNs > attempt.startByBootNs)
        strand.confirmOwner(0);          // it has waited for long
      if (attempt.cancel->cancelled()) { // and has no place
        reply.kind = AttemptResult::NotSent;
        reply.error = "was cancelled";
      } else {
        reply = askModel(strand.run, ask.llm, bounded);
      }
    } catch (...) {
      strand.budget->settle(estimate, 0, 0);
      throw;
    }
    strand.budget->settle(estimate, reply.tokensIn + reply.tokensOut,
                          reply.cost);
    if (strand.joined && reply.kind == AttemptResult::Done)
      strand.run.options.figures->readBehind(
          *std::exchange(strand.joined, std::nullopt), scope->path(site.name),
          reply.tokensIn, reply.readSeconds);
    count(reply);
    return reply;
  }

  void count(const ModelReply &reply) {
    tokensIn += reply.tokensIn;
    tokensOut += reply.tokensOut;
    cost += reply.cost;
    if (reply.entry >= 0)
      entries.push_back(reply.entry);
    model = reply.model;
    finish = reply.finish;
  }

  // A turn as a step below this one. Its result is the reply as JSON text.
  ModelReply loggedTurn(const std::string &name, const Attempt &outer) {
    std::string path = std::string(site.name) + "/" + name;
    agt_site inner = {path.c_str(), nullptr, nullptr, site.place,
                      AGT_CHANGE_FAIL};
    Effect effect = modelEffect(AGT_NO_INDEX);
    effect.noun = "the llm '" + llm.name + "'";
    effect.note = traced(/*whole=*/false);
    ModelReply reply;
    bool asked = false;
    effect.perform = [&](const Attempt &attempt) {
      asked = true;
      reply = oneTurn(attempt);
      // The turns' entries and tokens are theirs, not this step's as well.
      if (reply.entry >= 0)
        entries.erase(entries.size() - 1);
      AttemptResult result;
      result.kind = reply.kind;
      result.error = "'" + llm.name + "' " + reply.error;
      result.retryAfter = reply.retryAfter;
      if (reply.kind == AttemptResult::Done)
        result.value = makeString(strand.arena, canonical(reply.json()));
      result.tokensIn = reply.tokensIn;
      result.tokensOut = reply.tokensOut;
      result.info =
          info(reply.entry < 0 ? Json::array() : Json::array({reply.entry}),
               reply.cost, /*part=*/true);
      return result;
    };
    std::string asking;
    for (const ModelMessage &message : request.messages)
      asking += message.role + "\n" + message.text + "\n";
    Value logged =
        runEffect(scope, inner,
                  "{\"messages\":" + std::to_string(request.messages.size()) +
                      ",\"request\":" + jsonString(sha256Hex(asking)) + "}",
                  effect);
    ModelReply back = ModelReply::fromJson(parseJson(textOf(logged)));
    if (!asked) {
      tokensIn += back.tokensIn;
      tokensOut += back.tokensOut;
      model = back.model;
      finish = back.finish;
    }
    (void)outer;
    return back;
  }

  void answerCalls(const ModelReply &reply, int64_t &calls) {
    request.messages.push_back({"assistant", reply.text, reply.calls, ""});
    int64_t bound = ask.max ? ask.max->number : 8;
    for (const ModelToolCall &call : reply.calls) {
      if (calls == bound)
        throw StepFailure("'" + llm.name + "' asked for more than " +
                          std::to_string(bound) + " calls of tools");
      std::string answer = answerCall(call, calls++);
      request.messages.push_back({"tool", answer, {}, call.id});
    }
  }

  // By the name that the model was given; scripts may also write it as the
  // program does.
  const uint32_t *findTool(const std::string &name) const {
    return std::find_if(ask.tools, ask.tools + ask.n_tools,
                        [&](uint32_t index) {
                          const ToolDecl &tool = program.tools[index];
                          return tool.modelName == name || tool.name == name;
                        });
  }

  // What a tool says to the model; its failures are answers too.
  std::string answerCall(const ModelToolCall &call, int64_t number) {
    auto allowed = findTool(call.name);
    if (allowed == ask.tools + ask.n_tools)
      return "error: there is no tool '" + call.name + "'";
    const ToolDecl &tool = program.tools[*allowed];
    std::string path =
        std::string(site.name) + "/tool#" + std::to_string(number);
    agt_site inner = {path.c_str(), nullptr, nullptr, site.place,
                      AGT_CHANGE_FAIL};
    try {
      return textOfAnswer(
          callTool(scope, inner, *allowed, readArguments(tool, call)));
    } catch (StepFailure &failure) {
      return "error: " + failure.message;
    }
  }

  std::string textOfAnswer(Value value) const {
    std::string text;
    appendText(text, value);
    return text;
  }

  std::vector<Value> readArguments(const ToolDecl &tool,
                                   const ModelToolCall &call) const {
    Json json = parseJson(call.arguments.empty() ? "{}" : call.arguments);
    if (!json.is_object())
      throw StepFailure("expected the arguments of '" + tool.name +
                        "' as an object");
    Reading reading;
    reading.strict = true;
    std::vector<Value> args;
    for (const ParamDecl &param : tool.params) {
      auto found = json.find(param.name);
      bool optional = program.types->at(param.type).kind == TypeKind::Option;
      if (found == json.end() && !optional)
        throw StepFailure("expected the argument '" + param.name + "' of '" +
                          tool.name + "'");
      args.push_back(found == json.end()
                         ? nullptr
                         : program.types->read(scope->arena(), *found,
                                               param.type, reading));
    }
    return args;
  }

  // ---- the answer ----------------------------------------------------------

  // Why the reply cannot be acted on; "" when it can.
  std::string unusable(const ModelReply &reply) const {
    if (reply.finish.empty())
      return "ended without a finish reason";
    if (reply.finish == "length")
      return "was cut off at its limit of tokens";
    if (reply.finish != "stop" && reply.finish != "tool_calls")
      return "ended with the finish reason '" + reply.finish + "'";
    return "";
  }

  // "" when the text is valid; sets `answer`.
  std::string invalid(const std::string &text) {
    try {
      if (text.empty())
        throw StepFailure("the answer is empty");
      if (program.types->at(ask.type).kind == TypeKind::String) {
        answer = makeString(scope->arena(), text);
        return "";
      }
      BlobSink sink = blobSink(strand);
      Reading reading;
      reading.strict = true;
      reading.blobs = &sink;
      answer = program.types->read(scope->arena(), parseJson(text), ask.type,
                                   reading);
      return "";
    } catch (StepFailure &failure) {
      return failure.message;
    }
  }

  AttemptResult conclude(const Attempt &attempt, ModelReply reply) {
    for (bool repaired = false;; repaired = true) {
      if (!reply.refusal.empty() || reply.finish == "content_filter")
        return failure(AttemptResult::Definite,
                       "refused to answer" +
                           (reply.refusal.empty() ? "" : ": " + reply.refusal));
      if (std::string why = unusable(reply); !why.empty())
        return failure(AttemptResult::Unknown, why);
      std::string why = invalid(reply.text);
      if (why.empty())
        break;
      if (repaired)
        return failure(AttemptResult::Unknown,
                       "gave no valid answer, nor when asked again: " + why);
      request.messages.push_back({"assistant", reply.text, {}, ""});
      request.messages.push_back(
          {"user",
           "That answer is not valid: " + why +
               ". Answer again, with nothing but what was asked for.",
           {},
           ""});
      request.tools.clear();
      reply = loggedTurn("repair", attempt);
    }
    AttemptResult result = AttemptResult::done(answer);
    result.tokensIn = tokensIn;
    result.tokensOut = tokensOut;
    result.info = info(entries, cost);
    return result;
  }

  // `part`: a turn, whose tokens and cost the whole ask counts as well.
  std::string info(const Json &used, double spent, bool part = false) const {
    Json all = {{"model", model}, {"finish", finish}};
    if (part)
      all["part"] = true;
    if (!used.empty()) {
      all["llm"] = ask.llm;
      all["entries"] = used;
    }
    if (spent != 0)
      all["cost"] = spent;
    return all.dump();
  }

  AttemptResult failure(AttemptResult::Kind kind, const std::string &error,
                        int64_t retryAfter = 0) {
    AttemptResult result =
        AttemptResult::failed(kind, "'" + llm.name + "' " + error);
    result.retryAfter = retryAfter;
    if (!entries.empty())
      result.info = info(entries, cost);
    return result;
  }

  agt_scope *scope;
  Strand &strand;
  const agt_site &site;
  const agt_ask &ask;
  const AgentProgram &program;
  const LlmDecl &llm;
  ModelRequest request;
  Value answer = nullptr;
  Json entries = Json::array();
  int64_t tokensIn = 0, tokensOut = 0;
  double cost = 0;
  std::string model, finish;
};

} // namespace

Value askStep(agt_scope *scope, const agt_site &site, const agt_ask &ask) {
  return Conversation(scope, site, ask).run();
}

} // namespace agt::rt

using namespace agt::rt;

int32_t agt_step_ask(agt_scope *scope, const agt_site *site, const agt_ask *ask,
                     const agt_value **result) {
  return guardSite(scope, site, [&](const agt_site &at) {
    *result = askStep(scope, at, *ask);
  });
}
