// Values that no log, trace, argv or error text may hold. Whoever reads a
// secret says so here; whoever writes a text that came from outside asks here.
#ifndef AGT_RUNTIME_AGENT_SECRETS_H
#define AGT_RUNTIME_AGENT_SECRETS_H

#include <string>

namespace agt::rt {

/// The value of the environment variable. Throws StepFailure when it is unset.
std::string readSecret(const std::string &name);
/// The text with every secret that was read so far as "***".
std::string redact(std::string text);
/// Whether a secret stands in the text.
bool holdsSecret(const std::string &text);

} // namespace agt::rt

#endif // AGT_RUNTIME_AGENT_SECRETS_H
