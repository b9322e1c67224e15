// Commands that serve until they are told to end.
#ifndef AGT_RUNTIME_CLI_ENDING_H
#define AGT_RUNTIME_CLI_ENDING_H

namespace agt::rt {

/// From now on SIGTERM and SIGINT are a wish to end, a second one ends the
/// process at once.
void awaitEnding();
/// Whether the wish was heard.
bool toldToEnd();

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_ENDING_H
