// What a supervisor and the runtime say to each other.
#ifndef AGT_RUNTIME_TOOL_PROTOCOL_H
#define AGT_RUNTIME_TOOL_PROTOCOL_H

#include <cstdint>

namespace agt::rt {

/// The only argument of a program that is executed as a supervisor.
inline constexpr const char *supervisorWord = "--agt-supervise";

struct Report {
  // x: exit code, s: signal, e: errno of a start that failed, p: killed for
  // more processes than this
  char kind;
  int32_t code;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_PROTOCOL_H
