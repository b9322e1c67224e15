// What is said where the program ends by a signal.
#ifndef AGT_RUNTIME_CLI_CRASH_H
#define AGT_RUNTIME_CLI_CRASH_H

namespace agt::rt {

/// From now on a signal that ends the program, a fault of its own or of a
/// library that it opened, is told on stderr first, with the limit of its
/// memory if it has one. The program then ends by that signal.
void reportCrashes();

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_CRASH_H
