// See FailPoint.h.
#include "runtime/Support/FailPoint.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace agt::rt {

const bool FailPoint::active = std::getenv("AGT_FAIL") != nullptr;

void FailPoint::reached(const char *name) {
  static const std::string wanted = std::getenv("AGT_FAIL");
  static std::atomic<long> times{0};
  if (wanted.rfind("list:", 0) == 0) {
    int file = open(wanted.c_str() + 5,
                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    std::string line = std::string(name) + "\n";
    if (file < 0 || write(file, line.data(), line.size()) < 0)
      std::abort();
    close(file);
    return;
  }
  size_t mark = wanted.rfind('#');
  if (mark != std::string::npos && wanted.compare(0, mark, name) == 0 &&
      ++times == std::atol(wanted.c_str() + mark + 1))
    kill(getpid(), SIGKILL);
}

bool FailPoint::switchedOff(const char *safeguard) {
  static const std::string wanted = std::getenv("AGT_FAIL");
  return wanted == std::string("off:") + safeguard;
}

} // namespace agt::rt
