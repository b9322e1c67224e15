// See Spawn.h.
#include "runtime/Tool/Spawn.h"

#include "runtime/Support/Socket.h"
#include "runtime/Tool/Protocol.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <iterator>
#include <link.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

namespace agt::rt {

namespace {

socklen_t abstractName(const std::string &name, sockaddr_un &address) {
  std::memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  size_t n = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), n);
  return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + n);
}

std::vector<std::string> findOwnCommand() {
  Dl_info own;
  auto *here = reinterpret_cast<void *>(&findOwnCommand);
  struct Objects {
    uintptr_t program = 0, linkerBase = 0;
    std::string linker;
    bool first = true;
  } objects;
  objects.linkerBase = getauxval(AT_BASE);
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        auto &objects = *static_cast<Objects *>(data);
        if (objects.first)
          objects.program = info->dlpi_addr;
        if (info->dlpi_addr == objects.linkerBase)
          objects.linker = info->dlpi_name;
        objects.first = false;
        return 0;
      },
      &objects);
  char path[PATH_MAX];
  bool isLibrary =
      dladdr(here, &own) && !objects.linker.empty() &&
      reinterpret_cast<uintptr_t>(own.dli_fbase) != objects.program &&
      realpath(own.dli_fname, path);
  if (!isLibrary)
    return {"/proc/self/exe"};
  return {objects.linker, path};
}

std::string packed(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all.append(text.c_str(), text.size() + 1);
  uint64_t length = all.size();
  return std::string(reinterpret_cast<char *>(&length), sizeof length) + all;
}

// The guard first: it is the supervisor's alone, and taken before there can be
// anything that it guards. This process may be stopped at any point of this.
bool instruct(const ProcessSpec &spec, int control) {
  char ready;
  ssize_t got = -1;
  if (!sendAll(control, packed({spec.guard})))
    return false;
  do
    got = recv(control, &ready, 1, 0);
  while (got < 0 && errno == EINTR);
  std::string wire(reinterpret_cast<const char *>(&spec.startByNs),
                   sizeof spec.startByNs);
  wire.append(reinterpret_cast<const char *>(&spec.mostProcesses),
              sizeof spec.mostProcesses);
  return got == 1 &&
         sendAll(control, wire + packed(spec.argv) + packed(spec.environment));
}

} // namespace

bool bindGuard(const std::string &guard, Descriptor &bound) {
  bound.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address;
  socklen_t length = abstractName(guard, address);
  return bind(bound.get(), reinterpret_cast<sockaddr *>(&address), length) == 0;
}

const std::vector<std::string> &ownCommand() {
  static const std::vector<std::string> command = findOwnCommand();
  return command;
}

int spawn(const ProcessSpec &spec, Spawned &child) {
  int in[2], out[2], err[2], pair[2];
  // A pipe may fail half way: what is open is closed by its Descriptor.
  if (pipe2(in, O_CLOEXEC))
    return errno;
  Descriptor inRead(in[0]);
  child.input.reset(in[1]);
  if (pipe2(out, O_CLOEXEC))
    return errno;
  child.out.reset(out[0]);
  Descriptor outWrite(out[1]);
  if (pipe2(err, O_CLOEXEC))
    return errno;
  child.err.reset(err[0]);
  Descriptor errWrite(err[1]);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
    return errno;
  child.control.reset(pair[0]);
  Descriptor far(pair[1]);
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
  int ends[] = {inRead.get(), outWrite.get(), errWrite.get(), far.get(),
                -1,           extra.get()};
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
  std::vector<std::string> words = ownCommand();
  words.push_back(supervisorWord);
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  char *environment[] = {nullptr};
  int error = posix_spawn(&child.supervisor, argv[0], &actions, &attributes,
                          argv.data(), environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    return error;
  far.reset();                         // so that its end is seen
  instruct(spec, child.control.get()); // else it will be seen as lost
  for (int end : {child.input.get(), child.out.get(), child.err.get()})
    fcntl(end, F_SETFL, O_NONBLOCK);
  return 0;
}

ssize_t writePipe(int to, std::string_view bytes) {
  // SIGPIPE is the whole process's: a tool that does not read must not kill it.
  sigset_t pipe, old;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &old);
  ssize_t sent = ::write(to, bytes.data(), bytes.size());
  int error = errno;
  if (sent < 0 && error == EPIPE) {
    timespec now = {0, 0};
    sigtimedwait(&pipe, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  errno = error;
  return sent;
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
