// See Sandbox.h. The sandbox is bubblewrap's: namespaces of its own for users,
// processes, network, IPC and host name; a file system of read-only binds with
// private /tmp and /proc; no capabilities; a filter of system calls on top.
// prlimit(1) sets the limits inside, where they count for the tool alone.
//
// Whether this machine allows all that is tried once, with `true`. Where it
// does not, no tool that asks for a sandbox runs.
#include "runtime/Tool/Sandbox.h"

#include "runtime/Support/Failure.h"
#include "runtime/Tool/Seccomp.h"
#include "runtime/Tool/Tool.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace agt::rt {

namespace {

constexpr int64_t untrustedMemory = 512 << 20;

bool exists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

using Words = std::vector<std::string>;

void add(Words &words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

// /usr, /lib and what on this system are links into /usr.
void addSystem(Words &words) {
  add(words, {"--ro-bind", "/usr", "/usr"});
  for (const char *name : {"bin", "sbin", "lib", "lib32", "lib64"}) {
    std::string path = std::string("/") + name;
    char target[PATH_MAX];
    ssize_t n = readlink(path.c_str(), target, sizeof target);
    if (n > 0)
      add(words, {"--symlink", std::string(target, size_t(n)), path});
    else if (exists(path))
      add(words, {"--ro-bind", path, path});
  }
  add(words, {"--ro-bind-try", "/etc/ssl", "/etc/ssl"});
}

bool within(const std::string &path, const Words &folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string &folder) {
                       return path == folder || folder == "/" ||
                              (path.compare(0, folder.size(), folder) == 0 &&
                               path[folder.size()] == '/');
                     });
}

// What the clause lists, a folder before what is in it: what is listed deeper
// down counts there.
struct Bind {
  std::string path;
  bool writable;
};

std::vector<Bind> binds(const SandboxDecl &box) {
  std::vector<Bind> all;
  for (const std::string &path : box.read)
    all.push_back({path, false});
  for (const std::string &path : box.write)
    all.push_back({path, true});
  std::sort(all.begin(), all.end(), [](const Bind &a, const Bind &b) {
    return a.path == b.path ? a.writable < b.writable : a.path < b.path;
  });
  return all;
}

void addBind(Words &words, const Bind &bind) {
  add(words, {bind.writable ? "--bind" : "--ro-bind", bind.path, bind.path});
}

std::string currentFolder() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) ? path : "/";
}

Words fences(const SandboxDecl &box) {
  Words words = {"bwrap",
                 "--unshare-user",
                 "--unshare-pid",
                 "--unshare-ipc",
                 "--unshare-uts",
                 "--unshare-cgroup-try",
                 "--die-with-parent",
                 "--new-session",
                 "--cap-drop",
                 "ALL",
                 "--hostname",
                 "sandbox",
                 "--seccomp",
                 std::to_string(extraDescriptor)};
  bool network = box.network && !box.untrusted;
  if (!network)
    add(words, {"--unshare-net"});
  std::vector<Bind> listed = box.untrusted ? std::vector<Bind>() : binds(box);
  bool wholeRoot = !listed.empty() && listed[0].path == "/";
  if (wholeRoot) {
    for (const Bind &bind : listed)
      if (bind.path == "/")
        addBind(words, bind);
  } else {
    addSystem(words);
    if (network)
      for (const char *path :
           {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"})
        add(words, {"--ro-bind-try", path, path});
  }
  // Private whatever is listed above them.
  add(words, {"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"});
  for (const Bind &bind : listed)
    if (bind.path != "/")
      addBind(words, bind);
  std::string folder = "/tmp";
  if (!box.untrusted) {
    std::string here = currentFolder();
    if (within(here, box.read) || within(here, box.write))
      folder = here;
  }
  add(words, {"--chdir", folder, "--", "prlimit",
              "--nproc=" + std::to_string(box.processes),
              "--fsize=" + std::to_string(box.files), "--core=0"});
  std::optional<int64_t> memory = box.memory;
  if (box.untrusted && !memory)
    memory = untrustedMemory;
  if (memory)
    add(words, {"--as=" + std::to_string(*memory)});
  if (box.cpu)
    add(words,
        {"--cpu=" + std::to_string((*box.cpu + 999999999) / 1000000000)});
  add(words, {"--"});
  return words;
}

// "" when sandboxes can be made here, else why not.
const std::string &obstacle() {
  static const std::string text = [] {
    ProcessSpec spec;
    SandboxDecl strict;
    strict.untrusted = true;
    spec.argv = fences(strict);
    spec.argv.push_back("true");
    spec.environment = sandboxEnvironment(strict);
    spec.extra = seccompFilter();
    spec.timeoutNs = 10'000'000'000;
    ProcessResult result = runProcess(spec);
    if (result.kind == ProcessResult::NotStarted)
      return std::string("bwrap cannot be started; install the package "
                         "bubblewrap");
    if (result.kind == ProcessResult::Exited && result.code == 0)
      return std::string();
    std::string said = excerpt(result.err);
    return "bubblewrap says: " + (said.empty() ? "nothing" : said);
  }();
  return text;
}

} // namespace

std::vector<std::string> sandboxEnvironment(const SandboxDecl &box) {
  std::vector<std::string> all;
  for (const char *name : {"PATH", "LANG", "TZ"})
    if (const char *value = std::getenv(name))
      all.push_back(std::string(name) + "=" + value);
  for (const auto &[name, text] : box.env)
    all.push_back(name + "=" + text.resolve());
  return all;
}

void enterSandbox(const SandboxDecl &box, const std::string &tool,
                  ProcessSpec &spec) {
  if (!obstacle().empty())
    fail(AGT_MISSING, "the tool '" + tool +
                          "' asks for a sandbox, which this machine does not "
                          "give: " +
                          obstacle());
  for (const auto *list : {&box.read, &box.write})
    for (const std::string &path : *list)
      if (!box.untrusted && !exists(path))
        fail(AGT_MISSING, "the sandbox of the tool '" + tool + "' names '" +
                              path + "', which is not there");
  Words words = fences(box);
  words.insert(words.end(), spec.argv.begin(), spec.argv.end());
  spec.argv = words;
  spec.extra = seccompFilter();
  // The kernel exempts the superuser from RLIMIT_NPROC, in any namespace.
  if (geteuid() == 0)
    spec.mostProcesses = uint64_t(box.processes);
}

} // namespace agt::rt
