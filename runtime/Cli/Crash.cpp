// See Crash.h. The handler runs after anything may have gone wrong: its texts
// are made before, and it only calls what is safe in a signal handler. The
// stack of its own is for the thread that asked; others use theirs. Who handles
// such a signal already says more: agtc, which runs the oracle, and sanitizers.
#include "runtime/Cli/Crash.h"

#include "runtime/Device/SystemMemory.h"
#include "runtime/Support/Text.h"

#include <csignal>
#include <cstring>
#include <string>
#include <unistd.h>

namespace agt::rt {

namespace {

struct Signal {
  int number;
  const char *what;
  std::string text;
};

Signal signals[] = {
    {SIGSEGV, "it used memory that it does not have", {}},
    {SIGBUS,
     "memory was not there, as where a file became shorter while it "
     "was read",
     {}},
    {SIGABRT, "a library gave up", {}},
    {SIGFPE, "it calculated what a processor cannot", {}},
    {SIGILL, "the processor does not know an instruction", {}},
};
char handlerStack[64 * 1024];

void onSignal(int number) {
  for (const Signal &signal : signals)
    if (signal.number == number &&
        write(STDERR_FILENO, signal.text.data(), signal.text.size()) < 0)
      break;
  raise(number); // it has no handler any more
}

} // namespace

void reportCrashes() {
  std::string limit;
  if (std::optional<MemoryBudget> space = addressSpace())
    limit = "; 'ulimit -v' allows it " + bytesText(space->total);
  for (Signal &signal : signals)
    signal.text = "error: the program ends by signal " +
                  std::to_string(signal.number) + ": " + signal.what + limit +
                  "\n";
  stack_t stack{};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof handlerStack;
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (const Signal &signal : signals) {
    struct sigaction known{};
    if (sigaction(signal.number, nullptr, &known) == 0 &&
        known.sa_handler == SIG_DFL)
      sigaction(signal.number, &action, nullptr);
  }
}

} // namespace agt::rt
