// Several things that are wrong at once, as the one message of a failure.
#ifndef AGT_RUNTIME_CLI_FAULTS_H
#define AGT_RUNTIME_CLI_FAULTS_H

#include "agt/runtime.h"

#include <string>
#include <string_view>
#include <vector>

namespace agt::rt {

/// Fails with all of them, of which there is one at least.
[[noreturn]] void failForAll(agt_code code,
                             const std::vector<std::string> &messages);

/// The messages that a failure's was made of.
std::vector<std::string> messagesOf(std::string_view message);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_FAULTS_H
