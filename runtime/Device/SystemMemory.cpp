// See SystemMemory.h. Every source may be absent (another kernel, a strange
// container): what cannot be read does not limit.
#include "runtime/Device/SystemMemory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace agt::rt {

static constexpr uint64_t unlimited = std::numeric_limits<uint64_t>::max();

// A file that holds one number; anything else ("max") is `unlimited`.
static uint64_t numberIn(const std::string &path) {
  std::ifstream file(path);
  uint64_t value = unlimited;
  return file >> value ? value : unlimited;
}

// A line "NAME:   12345 kB" of /proc/meminfo, in bytes.
static uint64_t memInfo(const std::string &name) {
  std::ifstream file("/proc/meminfo");
  std::string word;
  uint64_t kilobytes;
  while (file >> word) {
    if (word == name + ":" && file >> kilobytes)
      return kilobytes * 1024;
  }
  return unlimited;
}

static void limitTo(MemoryBudget &budget, uint64_t limit, uint64_t used) {
  if (limit == unlimited)
    return;
  budget.total = std::min(budget.total, limit);
  budget.free = std::min(budget.free, limit > used ? limit - used : 0);
}

// What a group's page cache holds can be given back, so it does not count.
static uint64_t inactiveFileBytes(const std::string &folder) {
  std::ifstream file(folder + "/memory.stat");
  std::string name;
  uint64_t value;
  while (file >> name >> value)
    if (name == "inactive_file" || name == "total_inactive_file")
      return value;
  return 0;
}

static void limitToGroup(MemoryBudget &budget, const std::string &folder,
                         const char *limitName, const char *usedName) {
  uint64_t limit = numberIn(folder + "/" + limitName);
  uint64_t used = numberIn(folder + "/" + usedName);
  if (limit == unlimited || used == unlimited)
    return;
  uint64_t cache = inactiveFileBytes(folder);
  limitTo(budget, limit, used > cache ? used - cache : 0);
}

// Walks from the process's own group up to the root: every level limits.
static void limitToGroups(MemoryBudget &budget) {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    size_t first = line.find(':');
    size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    bool unified = controllers.empty();
    if (!unified && controllers != "memory")
      continue;
    std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (;;) {
      std::string folder = group == "/" ? root : root + group;
      limitToGroup(budget, folder,
                   unified ? "memory.max" : "memory.limit_in_bytes",
                   unified ? "memory.current" : "memory.usage_in_bytes");
      size_t slash = group.rfind('/');
      if (group == "/" || slash == std::string::npos)
        break;
      group = slash ? group.substr(0, slash) : "/";
    }
  }
}

std::optional<MemoryBudget> addressSpace() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  file >> pages;
  uint64_t used = pages * uint64_t(sysconf(_SC_PAGESIZE));
  uint64_t total = limit.rlim_cur;
  return MemoryBudget{total > used ? total - used : 0, total};
}

MemoryBudget systemMemory() {
  MemoryBudget budget;
  budget.total = memInfo("MemTotal");
  budget.free = memInfo("MemAvailable");
  limitToGroups(budget);
  if (std::optional<MemoryBudget> space = addressSpace())
    limitTo(budget, space->total, space->total - space->free);
  return budget;
}

void applyMemoryLimit(MemoryBudget &budget, uint64_t used) {
  const char *text = std::getenv("AGT_MEMORY");
  if (!text || !*text)
    return;
  char *end;
  uint64_t limit = std::strtoull(text, &end, 10);
  if (*end == 0)
    limitTo(budget, limit, used);
}

} // namespace agt::rt
