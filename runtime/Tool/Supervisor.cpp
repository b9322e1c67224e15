// The supervisor's side. It is single-threaded, knows one command line and the
// socket at descriptor 3, and does no more than start, watch and kill.
//
// From the other side comes a text with the guard's name; when it is bound, one
// byte goes back. Then come the specification (the time to start by, 0: any;
// the most processes, 0: any; two texts, each after its length: argv and
// environment, entries ended by NUL), then single letters: t (TERM to the
// tool's group), k (kill all). The end of the stream means the same as k. Who
// sends no specification for a while has been stopped, or is gone: nothing is
// started then, and the guard is free again. Back goes one Report, at the
// latest when nothing below us is alive.
#include "runtime/Log/Clock.h"
#include "runtime/Tool/Process.h"
#include "runtime/Tool/Protocol.h"
#include "runtime/Tool/Spawn.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace agt::rt {

namespace {

bool readAll(int from, void *to, size_t n) {
  auto *bytes = static_cast<char *>(to);
  while (n) {
    ssize_t got = read(from, bytes, n);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    bytes += got;
    n -= size_t(got);
  }
  return true;
}

bool readTexts(int from, std::string &content, std::vector<char *> &texts) {
  uint64_t length;
  if (!readAll(from, &length, sizeof length))
    return false;
  content.resize(length);
  if (!readAll(from, content.data(), length))
    return false;
  for (size_t at = 0; at < content.size(); at += std::strlen(&content[at]) + 1)
    texts.push_back(&content[at]);
  texts.push_back(nullptr);
  return true;
}

struct Below {
  pid_t pid, parent;
  int64_t threads;
};

// Everything below us: processes that we are an ancestor of. What loses its
// parent becomes our child, so that the tree cannot be left.
std::vector<Below> descendants() {
  std::vector<Below> all;
  if (DIR *folder = opendir("/proc")) {
    while (dirent *entry = readdir(folder)) {
      pid_t pid = pid_t(std::atoi(entry->d_name));
      if (pid <= 0)
        continue;
      std::string path = "/proc/" + std::to_string(pid) + "/stat";
      int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
      char text[512];
      ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);
      if (file >= 0)
        close(file);
      if (n <= 0)
        continue;
      text[n] = 0;
      // Fields 3 (state), 4 (parent) and 20 (threads).
      const char *name = std::strrchr(text, ')');
      int parent;
      long threads;
      if (name && std::sscanf(name + 1,
                              " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u"
                              " %*u %*d %*d %*d %*d %ld",
                              &parent, &threads) == 2)
        all.push_back({pid, parent, threads});
    }
    closedir(folder);
  }
  std::vector<Below> found{{getpid(), 0, 0}};
  for (size_t i = 0; i < found.size(); ++i)
    for (const Below &process : all)
      if (process.parent == found[i].pid)
        found.push_back(process);
  found.erase(found.begin());
  return found;
}

// Kills until there is no child left; those of the killed come to us.
void killAll() {
  while (true) {
    for (const Below &process : descendants())
      kill(process.pid, SIGKILL);
    pid_t reaped;
    while ((reaped = waitpid(-1, nullptr, WNOHANG)) > 0)
      ;
    if (reaped < 0 && errno == ECHILD)
      return;
    usleep(1000);
  }
}

class Supervisor {
public:
  explicit Supervisor(int socket) : socket(socket) {}

  int run() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fcntl(socket, F_SETFD, FD_CLOEXEC); // it is ours
    std::string guardText, argvText, environmentText;
    std::vector<char *> guard, argv, environment;
    setPatience(instructionSeconds);
    if (!readTexts(socket, guardText, guard))
      return 1;
    int64_t startBy;
    Descriptor bound;
    if (*guard.front())
      bindGuard(guard.front(), bound); // taken: awaitGuard has its own answer
    if (write(socket, "r", 1) != 1 ||
        !readAll(socket, &startBy, sizeof startBy) ||
        !readAll(socket, &mostProcesses, sizeof mostProcesses) ||
        !readTexts(socket, argvText, argv) ||
        !readTexts(socket, environmentText, environment) || isLate(startBy)) {
      report = {'e', ETIMEDOUT};
      ssize_t ignored = write(socket, &report, sizeof report);
      (void)ignored;
      return 1;
    }
    setPatience(0);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, nullptr);
    int signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    start(argv.data(), environment.data());
    // The pipes are the tool's; we must not hold them open.
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = 0; stream < 3; ++stream)
      dup2(null, stream);
    watch(signals);
    killAll();
    ssize_t sent = write(socket, &report, sizeof report);
    return sent == ssize_t(sizeof report) ? 0 : 1;
  }

private:
  static bool isLate(int64_t startBy) {
    return startBy && bootClockNs() > startBy;
  }

  // How long a read of the socket waits; 0: for ever.
  void setPatience(time_t seconds) {
    timeval patience{seconds, 0};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  void start(char **argv, char **environment) {
    int failed[2]; // closed by a successful exec
    if (pipe2(failed, O_CLOEXEC) != 0) {
      report = {'e', errno};
      return;
    }
    tool = fork();
    if (tool == 0) {
      setpgid(0, 0);
      // Should the supervisor itself be killed, its child goes at least.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      sigset_t none;
      sigemptyset(&none);
      sigprocmask(SIG_SETMASK, &none, nullptr);
      signal(SIGPIPE, SIG_DFL);
      signal(SIGXFSZ, SIG_DFL);
      environ = environment;
      execvp(argv[0], argv);
      int error = errno;
      ssize_t ignored = write(failed[1], &error, sizeof error);
      (void)ignored;
      _exit(127);
    }
    close(failed[1]);
    int error;
    if (tool < 0 || readAll(failed[0], &error, sizeof error)) {
      report = {'e', tool < 0 ? errno : error};
      if (tool > 0)
        waitpid(tool, nullptr, 0);
      tool = -1;
    } else {
      setpgid(tool, tool); // also done by the child: whoever is first
    }
    close(failed[0]);
  }

  // Until the tool has ended or we are told to end it.
  void watch(int signals) {
    while (tool > 0) {
      pollfd files[] = {{socket, POLLIN, 0}, {signals, POLLIN, 0}};
      if (poll(files, 2, mostProcesses ? countEveryMs : -1) < 0 &&
          errno != EINTR)
        return;
      if (mostProcesses && tooMany()) {
        report = {'p', int32_t(mostProcesses)};
        return;
      }
      if (files[0].revents) {
        char command;
        ssize_t got = read(socket, &command, 1);
        if (got <= 0 || command == 'k')
          return;
        if (command == 't')
          kill(-tool, SIGTERM);
      }
      if (files[1].revents) {
        signalfd_siginfo ignored;
        while (read(signals, &ignored, sizeof ignored) > 0)
          ;
        reap();
      }
    }
  }

  // Threads count, as in RLIMIT_NPROC; the command around the tool does not.
  bool tooMany() const {
    int64_t count = -1;
    for (const Below &process : descendants())
      count += process.threads;
    return count > int64_t(mostProcesses);
  }

  void reap() {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (pid != tool)
        continue;
      report = WIFEXITED(status) ? Report{'x', WEXITSTATUS(status)}
                                 : Report{'s', WTERMSIG(status)};
      tool = -1;
    }
  }

  static constexpr time_t instructionSeconds = 10;
  static constexpr int countEveryMs = 20;
  int socket;
  uint64_t mostProcesses = 0;
  pid_t tool = -1;
  Report report{'s', SIGKILL};
};

} // namespace

void superviseIfAsked(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], supervisorWord) == 0)
    _exit(Supervisor(3).run());
}

} // namespace agt::rt
