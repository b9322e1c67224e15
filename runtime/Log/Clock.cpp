// See Clock.h.
#include "runtime/Log/Clock.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace agt::rt {

static int64_t nanoseconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

static const std::string &bootId() {
  static const std::string id = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string line;
    std::getline(file, line);
    return line.empty() ? std::string("unknown") : line;
  }();
  return id;
}

static std::atomic<int64_t> skipped{0};

int64_t Instant::wallNs() { return nanoseconds(CLOCK_REALTIME) + skipped; }

Instant Instant::now() {
  return {wallNs() / 1000000, bootClockNs() + skipped, bootId()};
}

int64_t bootClockNs() { return nanoseconds(CLOCK_BOOTTIME); }

bool Instant::skip(int64_t ns) {
  if (ns > INT64_MAX / 4 - skipped)
    return false;
  skipped += std::max<int64_t>(ns, 0);
  return true;
}

Instant Instant::after(int64_t ns) const {
  // A duration of centuries stays in range.
  ns = std::min(ns, INT64_MAX / 4);
  return {wallMs + ns / 1000000, bootNs + ns, boot};
}

int64_t Instant::remaining() const {
  Instant present = now();
  int64_t left = boot == present.boot ? bootNs - present.bootNs
                                      : (wallMs - present.wallMs) * 1000000;
  return std::max<int64_t>(left, 0);
}

std::string Instant::text() const {
  return std::to_string(wallMs) + " " + std::to_string(bootNs) + " " + boot;
}

Instant Instant::parse(const std::string &text) {
  Instant result;
  std::istringstream stream(text);
  stream >> result.wallMs >> result.bootNs >> result.boot;
  return result;
}

std::string wallText(int64_t wallMs) {
  time_t seconds = time_t(wallMs / 1000);
  tm parts;
  gmtime_r(&seconds, &parts);
  char buffer[32], all[48];
  std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(all, sizeof all, "%s.%03dZ", buffer, int(wallMs % 1000));
  return all;
}

// Field 22 of /proc/PID/stat, "" when there is no such process or only what is
// left of it. The name in field 2 may hold anything, so start behind it.
static std::string startTime(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  size_t name = line.rfind(')');
  if (name == std::string::npos)
    return "";
  std::istringstream rest(line.substr(name + 1));
  std::string field;
  for (int i = 3; i <= 22 && rest >> field; ++i)
    if (i == 3 && (field == "Z" || field == "X"))
      return "";
  return field;
}

// The number of this process's namespace of a kind.
static std::string namespaceId(const char *kind) {
  char link[64];
  ssize_t n = readlink((std::string("/proc/self/ns/") + kind).c_str(), link,
                       sizeof link);
  std::string digits;
  for (ssize_t i = 0; i < n; ++i)
    if (link[i] >= '0' && link[i] <= '9')
      digits += link[i];
  return digits.empty() ? "0" : digits;
}

// Those of one machine see each other's processes, and the guards of their
// tools, whose names belong to a network namespace.
const std::string &thisMachine() {
  static const std::string name =
      bootId() + "." + namespaceId("pid") + "." + namespaceId("net");
  return name;
}

std::string thisProcess() {
  int64_t pid = getpid();
  return thisMachine() + ":" + std::to_string(pid) + ":" + startTime(pid);
}

static int64_t processId(const std::string &owner) {
  size_t colon = owner.find(':');
  return colon == std::string::npos ? 0 : std::atoll(owner.c_str() + colon + 1);
}

bool ofThisMachine(const std::string &owner) {
  return owner.substr(0, owner.find(':')) == thisMachine();
}

std::string ownerText(const std::string &owner) {
  return "process " + std::to_string(processId(owner)) +
         (ofThisMachine(owner) ? "" : " on another machine");
}

bool ofThisBoot(const std::string &owner) {
  return owner.substr(0, owner.find_first_of(".:")) == bootId();
}

bool processLives(const std::string &owner) {
  size_t last = owner.rfind(':');
  if (owner.find(':') == last || !ofThisMachine(owner))
    return false;
  return startTime(processId(owner)) == owner.substr(last + 1);
}

} // namespace agt::rt
