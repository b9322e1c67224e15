// Child processes that cannot outlive us, cannot hang us and cannot fill our
// memory.
//
// Between this process and the tool stands a supervisor: this program executed
// again, as a subreaper, so that whatever the tool starts (daemons included)
// ends up below it. One socket ties it to us. It dies for any reason: the
// supervisor kills everything below it and goes.
#ifndef AGT_RUNTIME_TOOL_PROCESS_H
#define AGT_RUNTIME_TOOL_PROCESS_H

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace agt::rt {

struct ProcessSpec {
  std::vector<std::string> argv;
  std::vector<std::string> environment; // "NAME=value"
  std::string input;
  int64_t timeoutNs = 0;
  int64_t graceNs = 400'000'000; // between TERM and KILL
  size_t keep = 8 << 20;         // bytes of each stream; the rest is counted
  /// Bound as an abstract socket's name while anything of it is alive; "":
  /// none.
  std::string guard;
  /// By CLOCK_BOOTTIME: later the command is not started; 0: whenever.
  int64_t startByNs = 0;
  /// More than these are the end of it, threads counted and the first process
  /// not; 0: the kernel's limits do.
  uint64_t mostProcesses = 0;
  /// What the command finds to read at extraDescriptor; "": nothing.
  std::string extra;
  std::function<bool()> cancelled;
};

inline constexpr int extraDescriptor = 5;

struct ProcessResult {
  enum Kind {
    Exited,
    Signalled,
    NotStarted,
    TimedOut,
    Cancelled,
    Lost,
    TooMany
  } kind;
  int code = 0; // exit code, signal, errno, most processes
  std::string out, err;
  uint64_t outBytes = 0, errBytes = 0; // all of them
};

/// Blocks until nothing of the process is left.
ProcessResult runProcess(const ProcessSpec &spec);

/// Blocks until no process that was started under this guard is alive; false
/// when `cancelled` said so first.
bool awaitGuard(const std::string &guard,
                const std::function<bool()> &cancelled);

/// To be called first in main(): does not return when this process is to be a
/// supervisor.
void superviseIfAsked(int argc, char **argv);

} // namespace agt::rt

#endif // AGT_RUNTIME_TOOL_PROCESS_H
