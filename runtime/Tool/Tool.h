// Calls of declared tools: how one attempt is made, and what its end means.
#ifndef AGT_RUNTIME_TOOL_TOOL_H
#define AGT_RUNTIME_TOOL_TOOL_H

#include "runtime/Agent/Effect.h"

namespace agt::rt {

/// A step that calls tool `index` with `args`, at `site` (which a call chosen
/// by a model makes itself).
Value callTool(agt_scope *scope, const agt_site &site, uint32_t index,
               const std::vector<Value> &args);

/// One attempt, by kind of tool. Never throws StepFailure.
AttemptResult performTool(agt_scope *scope, uint32_t index,
                          const std::vector<Value> &args,
                          const Attempt &attempt);
AttemptResult performExec(agt_scope *scope, const ToolDecl &tool,
                          uint32_t index, const std::vector<Value> &args,
                          const Attempt &attempt);
AttemptResult performHttp(agt_scope *scope, const ToolDecl &tool,
                          uint32_t index, const std::vector<Value> &args,
                          const Attempt &attempt);
AttemptResult performMcp(agt_scope *scope, const ToolDecl &tool,
                         const Attempt &attempt);

/// The program's own environment, less what is secret.
std::vector<std::string> plainEnvironment(const AgentProgram &program);
/// What the supervisor of an exec tool's call holds while anything of it is
/// alive. `owner`: the process that makes it; runs of two step logs may have
/// one name, and then their calls have one token.
std::string callGuard(const std::string &owner, const std::string &token);
/// What the tool's request function makes of arguments and token.
Value toolRequest(agt_scope *scope, uint32_t index,
                  const std::vector<Value> &args, const Attempt &attempt);
/// {"name": value, ...}
std::string namedArguments(const ToolDecl &tool,
                           const std::vector<Value> &args);
/// The output of a tool read as its result; throws StepFailure.
Value readOutput(agt_scope *scope, uint32_t type, const std::string &output);
/// Keeps what handles stand for with the strand's next commit.
BlobSink blobSink(Strand &strand);
/// Whether the type is the built-in record that takes any exit as an answer.
bool isOutputRecord(const Type &type);
/// The first lines of what a tool complained, for an error.
std::string excerpt(const std::string &text);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_TOOL_H
