// Running the `test` blocks of a program.
#ifndef AGT_RUNTIME_AGENT_TESTS_H
#define AGT_RUNTIME_AGENT_TESTS_H

#include "runtime/Agent/Declarations.h"

namespace agt::rt {

/// Prints a line for each test whose name holds `filter`; the exit code.
int runTests(const AgentProgram &program, const std::string &filter);

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_TESTS_H
