// What a supervisor and the runtime say to each other.
#ifndef AGT_RUNTIME_TOOL_PROTOCOL_H
#define AGT_RUNTIME_TOOL_PROTOCOL_H

#include <cstdint>

namespace agt::rt {

/// The only argument of a program that is executed as a supervisor.
inline constexpr const char *supervisorWord = "--agt-supervise";

struct Report {
  char kind; // x: exit code, s: signal, e: errno of a start that failed
  int32_t code;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_PROTOCOL_H
