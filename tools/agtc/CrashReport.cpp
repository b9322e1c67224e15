// The handler runs after anything may have gone wrong, on a stack of its own (a
// stack overflow is the likeliest bug), so it only calls what is safe in a
// signal handler: the file's name and the command line are prepared at start,
// the source is written from where it lies.
#include "tools/agtc/CrashReport.h"

#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

std::string reportPath;
std::string header;
std::string outOfMemory;
llvm::StringRef source;
char handlerStack[64 * 1024];

void put(int file, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = write(file, text.data(), text.size());
    if (written <= 0)
      return;
    text = text.drop_front(written);
  }
}

[[noreturn]] void writeReport() {
  put(STDERR_FILENO, "agtc: error: this is a bug in agtc\n");
  int file = open(reportPath.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file >= 0) {
    put(file, header);
    put(file, source);
    close(file);
    put(STDERR_FILENO, "agtc: note: what reproduces it is in '");
    put(STDERR_FILENO, reportPath);
    put(STDERR_FILENO, "'\n");
  }
  _exit(70);
}

void onSignal(int) { writeReport(); }

/// Too little memory is no bug, and leaves nothing to do. Threads may come here
/// together: one says so.
[[noreturn]] void giveUp() {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  while (said.test_and_set())
    pause();
  put(STDERR_FILENO, outOfMemory);
  _exit(2);
}

void prepareForTooLittle() {
  outOfMemory = "agtc: error: out of memory";
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    outOfMemory +=
        ": 'ulimit -v' allows " + std::to_string(limit.rlim_cur) + " bytes";
  outOfMemory += "\n";
  std::set_new_handler([] { giveUp(); });
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { giveUp(); });
}

} // namespace

void agt::tool::rememberForCrash(llvm::StringRef text) { source = text; }

void agt::tool::installCrashHandler(int argc, char **argv) {
  const char *folder = std::getenv("TMPDIR");
  reportPath = std::string(folder && *folder ? folder : "/tmp") +
               "/agtc-crash-" + std::to_string(getpid()) + ".agt";
  header = "// agtc";
  for (int index = 1; index < argc; ++index) {
    header += ' ';
    for (char c : llvm::StringRef(argv[index]))
      header += c == '\n' ? ' ' : c;
  }
  header += '\n';

  stack_t stack{};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof(handlerStack);
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
    sigaction(signal, &action, nullptr);
  std::set_terminate([] { writeReport(); });
  prepareForTooLittle();
}
