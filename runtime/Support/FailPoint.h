// Named places at which a test kills the process: AGT_FAIL=NAME#n kills it
// (SIGKILL, as a power cut or the kernel would) when NAME is reached for the
// n-th time. `AGT_FAIL=list:FILE` writes the names as they are reached, so that
// a test finds out where it can kill.
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

private:
  static void reached(const char *name);
  static const bool active;
};

} // namespace agt::rt

#endif // AGT_RUNTIME_SUPPORT_FAILPOINT_H
