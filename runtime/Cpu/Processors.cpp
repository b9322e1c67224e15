// See Processors.h.
#include "runtime/Cpu/Processors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string>
#include <thread>

namespace agt::rt {

std::vector<int> usableProcessors() {
  std::vector<int> result;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set))
        result.push_back(i);
  return result;
}

// Processors' worth of time that the process's control group gets; a large
// number where nothing limits it.
static double groupLimit() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  double limit = 1e9;
  while (std::getline(groups, line)) {
    if (line.compare(0, 3, "0::") != 0)
      continue;
    std::string group = line.substr(3);
    for (;;) {
      std::string root = "/sys/fs/cgroup";
      std::ifstream file((group == "/" ? root : root + group) + "/cpu.max");
      double quota, period;
      if (file >> quota >> period && period > 0)
        limit = std::min(limit, quota / period);
      size_t slash = group.rfind('/');
      if (group == "/" || slash == std::string::npos)
        break;
      group = slash ? group.substr(0, slash) : "/";
    }
  }
  return limit;
}

unsigned threadCount() {
  if (const char *text = std::getenv("AGT_CPU_THREADS")) {
    char *end = nullptr;
    long count = std::strtol(text, &end, 10);
    if (count > 0 && *end == 0)
      return unsigned(std::min(count, 1024L));
  }
  size_t usable = usableProcessors().size();
  if (usable == 0)
    usable = std::max(1u, std::thread::hardware_concurrency());
  return unsigned(
      std::max(1.0, std::min(double(usable), std::ceil(groupLimit()))));
}

void pinThread(pthread_t thread, int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  // Where it is refused the thread runs anywhere, only less well.
  (void)pthread_setaffinity_np(thread, sizeof set, &set);
}

} // namespace agt::rt
