// See Ending.h.
#include "runtime/Cli/Ending.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace agt::rt {

static std::atomic<int> asked{0}; // how often this process was told to end

static void ask(int) {
  ++asked;
  // Who asks twice does not want to wait.
  if (asked > 1)
    _exit(128 + SIGTERM);
}

void awaitEnding() {
  struct sigaction action = {};
  action.sa_handler = ask;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

bool toldToEnd() { return asked > 0; }

} // namespace agt::rt
