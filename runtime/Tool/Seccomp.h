// The filter of system calls inside sandboxes.
#ifndef AGT_RUNTIME_TOOL_SECCOMP_H
#define AGT_RUNTIME_TOOL_SECCOMP_H

#include <string>

namespace agt::rt {

/// As BPF, for bubblewrap. Fails with AGT_MISSING where it cannot be made.
std::string seccompFilter();

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_SECCOMP_H
