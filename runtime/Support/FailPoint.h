// Named places at which a test kills the process: AGT_FAIL=NAME#n kills it
// (SIGKILL, as a power cut or the kernel would) when NAME is reached for the
// n-th time. `AGT_FAIL=list:FILE` writes the names as they are reached, so that
// a test finds out where it can kill. `AGT_FAIL=off:NAME` switches a safeguard
// off (`fencing`, `jitter`): a harness has to notice that it is missing.
#ifndef AGT_RUNTIME_SUPPORT_FAILPOINT_H
#define AGT_RUNTIME_SUPPORT_FAILPOINT_H

namespace agt::rt {

class FailPoint {
public:
  /// `name` is a literal. Costs one load where AGT_FAIL is not set.
  static void reach(const char *name) {
    if (active)
      reached(name);
  }

  static bool isOff(const char *safeguard) {
    return active && switchedOff(safeguard);
  }

private:
  static void reached(const char *name);
  static bool switchedOff(const char *safeguard);
  static const bool active;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_SUPPORT_FAILPOINT_H
