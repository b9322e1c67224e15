// What the command lines of programs share: with graphs alone, with local llms,
// with agents.
#ifndef AGT_RUNTIME_CLI_MAIN_H
#define AGT_RUNTIME_CLI_MAIN_H

#include "agt/runtime.h"

#include <string>

namespace agt::rt {

/// The program as it can be typed again: ./name stays, longer paths go.
std::string callName(const char *path);

/// Prints what went wrong as the compiler would, unless another program has
/// already, and gives the exit code. Releases the status.
int reportFailure(agt_status status);

/// From now on a file that grows beyond `ulimit -f` is an error of the write,
/// which says so, and not the end of the program.
void outliveFileLimit();

/// Fails with AGT_FAILED for a program of another version of the runtime.
void checkVersion(const agt_program &program);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_MAIN_H
