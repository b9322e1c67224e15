// `sandbox:` clauses of exec tools.
#ifndef AGT_RUNTIME_TOOL_SANDBOX_H
#define AGT_RUNTIME_TOOL_SANDBOX_H

#include "runtime/Agent/Declarations.h"
#include "runtime/Tool/Process.h"

namespace agt::rt {

/// PATH, LANG, TZ and what the clause names.
std::vector<std::string> sandboxEnvironment(const SandboxDecl &box);

/// Makes the command of `spec` one that runs it inside. Throws Failure
/// (AGT_MISSING) when this machine cannot give what the clause asks for.
void enterSandbox(const SandboxDecl &box, const std::string &tool,
                  ProcessSpec &spec);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_SANDBOX_H
