// The runtime's side of Process.h: start the supervisor, feed and drain the
// tool, keep the time.
#include "runtime/Tool/Process.h"
#include "runtime/Tool/Protocol.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace agt::rt {

namespace {

using Clock = std::chrono::steady_clock;

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

socklen_t abstractName(const std::string &name, sockaddr_un &address) {
  std::memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  size_t n = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), n);
  return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + n);
}

// A socket bound to the guard's name; the name is free again when the last
// process that has the socket is gone.
bool bindGuard(const std::string &guard, Descriptor &bound) {
  bound.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address;
  socklen_t length = abstractName(guard, address);
  return bind(bound.get(), reinterpret_cast<sockaddr *>(&address), length) == 0;
}

std::string packed(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all.append(text.c_str(), text.size() + 1);
  uint64_t length = all.size();
  return std::string(reinterpret_cast<char *>(&length), sizeof length) + all;
}

// One stream of the tool's output: kept up to a bound, then counted.
struct Drain {
  Descriptor from;
  std::string kept;
  uint64_t bytes = 0;

  /// False at the end of the stream.
  bool take(size_t keep) {
    char buffer[65536];
    ssize_t got = read(from.get(), buffer, sizeof buffer);
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
    if (int error = start()) {
      result.kind = ProcessResult::NotStarted;
      result.code = error;
      return result;
    }
    serve();
    int status;
    while (waitpid(supervisor, &status, 0) < 0 && errno == EINTR)
      ;
    finish(result);
    return result;
  }

private:
  int start() {
    int in[2], out[2], err[2], pair[2];
    // A pipe may fail half way: what is open is closed by its Descriptor.
    if (pipe2(in, O_CLOEXEC))
      return errno;
    Descriptor inRead(in[0]);
    input.reset(in[1]);
    if (pipe2(out, O_CLOEXEC))
      return errno;
    outDrain.from.reset(out[0]);
    Descriptor outWrite(out[1]);
    if (pipe2(err, O_CLOEXEC))
      return errno;
    errDrain.from.reset(err[0]);
    Descriptor errWrite(err[1]);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
      return errno;
    control.reset(pair[0]);
    Descriptor far(pair[1]);
    Descriptor bound;
    if (!spec.guard.empty())
      bindGuard(spec.guard, bound); // taken: awaitGuard has its own answer

    Descriptor extra;
    if (!spec.extra.empty()) {
      extra.reset(memfd_create("extra", MFD_CLOEXEC));
      if (extra.get() < 0 ||
          ::write(extra.get(), spec.extra.data(), spec.extra.size()) !=
              ssize_t(spec.extra.size()) ||
          lseek(extra.get(), 0, SEEK_SET) != 0)
        return errno;
    }

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    // Away from 0..5 first, which the ends themselves may be.
    int ends[] = {inRead.get(), outWrite.get(), errWrite.get(),
                  far.get(),    bound.get(),    extra.get()};
    static_assert(sizeof ends / sizeof ends[0] == extraDescriptor + 1);
    int above =
        1 + std::max(extraDescriptor, *std::max_element(ends, std::end(ends)));
    for (int i = 0; i <= extraDescriptor; ++i)
      if (ends[i] >= 0)
        posix_spawn_file_actions_adddup2(&actions, ends[i], above + i);
    for (int i = 0; i <= extraDescriptor; ++i)
      if (ends[i] >= 0) {
        posix_spawn_file_actions_adddup2(&actions, above + i, i);
        posix_spawn_file_actions_addclose(&actions, above + i);
      }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigfillset(&defaults);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    // A group of its own: ^C at the terminal is for us to handle.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    char self[] = "/proc/self/exe", word[32];
    std::strncpy(word, supervisorWord, sizeof word);
    char *argv[] = {self, word, nullptr}, *environment[] = {nullptr};
    int error = posix_spawn(&supervisor, self, &actions, &attributes, argv,
                            environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
      return error;
    std::string wire(reinterpret_cast<const char *>(&spec.mostProcesses),
                     sizeof spec.mostProcesses);
    wire += packed(spec.argv) + packed(spec.environment);
    for (size_t at = 0; at < wire.size();) {
      ssize_t sent =
          send(control.get(), wire.data() + at, wire.size() - at, MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR)
        break; // it will be seen as lost
      at += size_t(std::max<ssize_t>(sent, 0));
    }
    for (int end : {input.get(), outDrain.from.get(), errDrain.from.get()})
      fcntl(end, F_SETFL, O_NONBLOCK);
    if (spec.input.empty())
      input.reset();
    return 0;
  }

  // Feeds, drains and keeps the time until the supervisor has reported.
  void serve() {
    auto deadline = Clock::now() + std::chrono::nanoseconds(spec.timeoutNs);
    while (true) {
      pollfd files[4];
      int n = 0;
      files[n++] = {control.get(), POLLIN, 0};
      for (Drain *drain : {&outDrain, &errDrain})
        if (drain->from.open())
          files[n++] = {drain->from.get(), POLLIN, 0};
      if (input.open())
        files[n++] = {input.get(), POLLOUT, 0};
      if (poll(files, nfds_t(n), 20) < 0 && errno != EINTR)
        return;
      feed();
      for (Drain *drain : {&outDrain, &errDrain})
        if (drain->from.open() && ready(files, n, drain->from.get()) &&
            !drain->take(spec.keep))
          drain->from.reset();
      if (files[0].revents) {
        ssize_t got = read(control.get(), &report, sizeof report);
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

  void say(char command) { send(control.get(), &command, 1, MSG_NOSIGNAL); }

  // SIGPIPE is the whole process's: a tool that does not read must not kill it.
  void feed() {
    if (!input.open())
      return;
    sigset_t pipe, old;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &old);
    ssize_t sent =
        ::write(input.get(), spec.input.data() + fed, spec.input.size() - fed);
    int error = errno;
    if (sent < 0 && error == EPIPE) {
      timespec now = {0, 0};
      sigtimedwait(&pipe, nullptr, &now);
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    if (sent > 0)
      fed += size_t(sent);
    bool over = fed == spec.input.size() ||
                (sent < 0 && error != EAGAIN && error != EINTR);
    if (over)
      input.reset();
  }

  void finish(ProcessResult &result) {
    // All writers are dead: what is in the pipes is all there will be.
    for (Drain *drain : {&outDrain, &errDrain})
      while (drain->from.open()) {
        uint64_t before = drain->bytes;
        if (!drain->take(spec.keep) || drain->bytes == before)
          drain->from.reset();
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

  const ProcessSpec &spec;
  Descriptor input, control;
  Drain outDrain, errDrain;
  pid_t supervisor = -1;
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

bool awaitGuard(const std::string &guard,
                const std::function<bool()> &cancelled) {
  while (true) {
    Descriptor bound;
    if (bindGuard(guard, bound))
      return true;
    if (cancelled && cancelled())
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

} // namespace agt::rt
