// A child process under its supervisor, as descriptors: what tools that run to
// their end (Process.h) and MCP servers (runtime/Mcp) share.
#ifndef AGT_RUNTIME_TOOL_SPAWN_H
#define AGT_RUNTIME_TOOL_SPAWN_H

#include "runtime/Tool/Process.h"

#include <string_view>
#include <sys/types.h>
#include <unistd.h>

namespace agt::rt {

/// Closed with the object.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor &) = delete;
  void reset(int other = -1) {
    if (number >= 0)
      close(number);
    number = other;
  }
  int get() const { return number; }
  bool open() const { return number >= 0; }

private:
  int number = -1;
};

struct Spawned {
  Descriptor input, out, err; // the child's; none of them blocks
  Descriptor control;         // the supervisor's socket, see Supervisor.cpp
  pid_t supervisor = -1;
};

/// Starts argv, environment, guard and limits of `spec`; returns errno, 0: all
/// is well. Whoever called reaps `supervisor`, which goes when `control` is
/// closed, with everything below it.
int spawn(const ProcessSpec &spec, Spawned &child);

/// A socket bound to the guard's name; false where it is taken. The name is
/// free again when the last process that has the socket is gone.
bool bindGuard(const std::string &guard, Descriptor &bound);

/// What executes this code once more: the program it is in or, where that is
/// somebody else's and this a library, the dynamic linker on the library's file
/// (LibraryEntry.cpp).
const std::vector<std::string> &ownCommand();

/// As write(2), but a reader that is gone is EPIPE and no signal.
ssize_t writePipe(int to, std::string_view bytes);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_SPAWN_H
