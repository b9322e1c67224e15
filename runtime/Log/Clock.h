// Times that survive a process: the wall clock for people and across boots,
// the boot clock, which nobody can set, within one boot.
#ifndef AGT_RUNTIME_LOG_CLOCK_H
#define AGT_RUNTIME_LOG_CLOCK_H

#include <cstdint>
#include <string>

namespace agt::rt {

struct Instant {
  int64_t wallMs = 0; // since 1970
  int64_t bootNs = 0; // CLOCK_BOOTTIME
  std::string boot;   // the kernel's boot id

  static Instant now();
  static int64_t wallNs(); // since 1970
  /// Makes it later for this process: tests do not wait. False when the clock
  /// cannot go so far.
  static bool skip(int64_t ns);
  Instant after(int64_t ns) const;
  /// Nanoseconds from now until then, 0 when it is over.
  int64_t remaining() const;

  std::string text() const; // "wall boot id", as the log keeps it
  static Instant parse(const std::string &text);
};

/// CLOCK_BOOTTIME as every process of this machine has it, without skip().
int64_t bootClockNs();

/// "2026-01-31T12:00:00.000Z"
std::string wallText(int64_t wallMs);

/// Where process ids mean the same: boot id and pid namespace, since two
/// containers of one machine number their processes apart.
const std::string &thisMachine();
/// This process as the log names the owner of a run: machine, process id, start
/// time. Process ids come again, the three together do not.
std::string thisProcess();
/// Whether the process of that name is alive on this machine.
bool processLives(const std::string &owner);
bool ofThisMachine(const std::string &owner);
/// The same kernel, perhaps in another pid namespace.
bool ofThisBoot(const std::string &owner);
/// "process 17", "process 17 on another machine"
std::string ownerText(const std::string &owner);

} // namespace agt::rt

#endif // AGT_RUNTIME_LOG_CLOCK_H
