// The runtime's side of Process.h: start the supervisor, feed and drain the
// tool, keep the time.
#include "runtime/Tool/Process.h"
#include "runtime/Tool/Protocol.h"
#include "runtime/Tool/Spawn.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace agt::rt {

namespace {

using Clock = std::chrono::steady_clock;

// One stream of the tool's output: kept up to a bound, then counted.
struct Drain {
  Descriptor *from = nullptr;
  std::string kept;
  uint64_t bytes = 0;

  /// False at the end of the stream.
  bool take(size_t keep) {
    char buffer[65536];
    ssize_t got = read(from->get(), buffer, sizeof buffer);
    if (got < 0)
      return errno == EINTR || errno == EAGAIN;
    if (got == 0)
      return false;
    bytes += uint64_t(got);
    if (kept.size() < keep)
      kept.append(buffer, std::min(size_t(got), keep - kept.size()));
    return true;
  }
};

class Running {
public:
  explicit Running(const ProcessSpec &spec) : spec(spec) {}

  ProcessResult run() {
    ProcessResult result{ProcessResult::Lost, 0, "", "", 0, 0};
    if (int error = spawn(spec, child)) {
      result.kind = ProcessResult::NotStarted;
      result.code = error;
      return result;
    }
    outDrain.from = &child.out;
    errDrain.from = &child.err;
    if (spec.input.empty())
      input().reset();
    serve();
    int status;
    while (waitpid(child.supervisor, &status, 0) < 0 && errno == EINTR)
      ;
    finish(result);
    return result;
  }

private:
  // Feeds, drains and keeps the time until the supervisor has reported.
  void serve() {
    auto deadline = Clock::now() + std::chrono::nanoseconds(spec.timeoutNs);
    while (true) {
      pollfd files[4];
      int n = 0;
      files[n++] = {child.control.get(), POLLIN, 0};
      for (Drain *drain : {&outDrain, &errDrain})
        if (drain->from->open())
          files[n++] = {drain->from->get(), POLLIN, 0};
      if (input().open())
        files[n++] = {input().get(), POLLOUT, 0};
      if (poll(files, nfds_t(n), 20) < 0 && errno != EINTR)
        return;
      feed();
      for (Drain *drain : {&outDrain, &errDrain})
        if (drain->from->open() && ready(files, n, drain->from->get()) &&
            !drain->take(spec.keep))
          drain->from->reset();
      if (files[0].revents) {
        ssize_t got = read(child.control.get(), &report, sizeof report);
        if (got == ssize_t(sizeof report))
          reported = true;
        if (got >= 0 || errno != EINTR)
          return;
      }
      auto now = Clock::now();
      if (!ending && spec.cancelled && spec.cancelled()) {
        ending = ProcessResult::Cancelled;
        terminate(now);
      } else if (!ending && now >= deadline) {
        ending = ProcessResult::TimedOut;
        terminate(now);
      } else if (ending && !killed && now >= killAt) {
        killed = true;
        say('k');
      }
    }
  }

  static bool ready(pollfd *files, int n, int descriptor) {
    for (int i = 0; i < n; ++i)
      if (files[i].fd == descriptor)
        return files[i].revents != 0;
    return false;
  }

  void terminate(Clock::time_point now) {
    say('t');
    killAt = now + std::chrono::nanoseconds(spec.graceNs);
  }

  void say(char command) {
    send(child.control.get(), &command, 1, MSG_NOSIGNAL);
  }

  void feed() {
    if (!input().open())
      return;
    ssize_t sent =
        writePipe(input().get(), std::string_view(spec.input).substr(fed));
    if (sent > 0)
      fed += size_t(sent);
    bool over = fed == spec.input.size() ||
                (sent < 0 && errno != EAGAIN && errno != EINTR);
    if (over)
      input().reset();
  }

  void finish(ProcessResult &result) {
    // All writers are dead: what is in the pipes is all there will be.
    for (Drain *drain : {&outDrain, &errDrain})
      while (drain->from->open()) {
        uint64_t before = drain->bytes;
        if (!drain->take(spec.keep) || drain->bytes == before)
          drain->from->reset();
      }
    result.out = std::move(outDrain.kept);
    result.err = std::move(errDrain.kept);
    result.outBytes = outDrain.bytes;
    result.errBytes = errDrain.bytes;
    result.code = report.code;
    if (ending)
      result.kind = ending == ProcessResult::Cancelled
                        ? ProcessResult::Cancelled
                        : ProcessResult::TimedOut;
    else if (!reported)
      result.kind = ProcessResult::Lost;
    else
      result.kind = report.kind == 'x'   ? ProcessResult::Exited
                    : report.kind == 's' ? ProcessResult::Signalled
                    : report.kind == 'p' ? ProcessResult::TooMany
                                         : ProcessResult::NotStarted;
  }

  Descriptor &input() { return child.input; }

  const ProcessSpec &spec;
  Spawned child;
  Drain outDrain, errDrain;
  size_t fed = 0;
  Report report{'s', 0};
  bool reported = false, killed = false;
  int ending = 0; // ProcessResult::Kind, 0: not ending
  Clock::time_point killAt;
};

} // namespace

ProcessResult runProcess(const ProcessSpec &spec) {
  return Running(spec).run();
}

} // namespace agt::rt
