// What a step is to those who read traces: the name of its span and what the
// conventions for generative AI want to know of it. Made where the step is
// carried out, since only the program knows it; the log does not hold it.
#ifndef AGT_RUNTIME_TELEMETRY_STEPNOTE_H
#define AGT_RUNTIME_TELEMETRY_STEPNOTE_H

#include "runtime/Agent/Declarations.h"
#include "runtime/Telemetry/Span.h"

#include <memory>

namespace agt::rt {

struct StepNote {
  std::string name;
  SpanKind kind = SpanKind::Internal;
  Attributes attributes;
  bool tool = false;  // its arguments and result are a tool's
  bool model = false; // its tokens are those of one call of a model
};

/// What a program asked of a model, where it said so.
struct ModelWishes {
  bool json = false; // an answer of a type
  std::optional<int64_t> maxTokens, seed;
  std::optional<double> temperature;
  std::vector<std::string> stop;
};

/// A call of a model: `chat MODEL`.
std::shared_ptr<const StepNote> noteOfModel(const LlmDecl &llm,
                                            const ModelWishes &wishes);
/// A conversation in which the model may call tools: its turns are the calls of
/// the model, so it is `ask LLM`.
std::shared_ptr<const StepNote> noteOfConversation(const LlmDecl &llm);
/// A text that a model reads: `prefix MODEL`.
std::shared_ptr<const StepNote> noteOfPrefix(const LlmDecl &llm);
/// `execute_tool NAME`.
std::shared_ptr<const StepNote> noteOfTool(const ToolDecl &tool);

} // namespace agt::rt

#endif // AGT_RUNTIME_TELEMETRY_STEPNOTE_H
