// Options and exit codes of what the frontend does.
#ifndef AGT_TOOLS_AGTC_FRONTEND_H
#define AGT_TOOLS_AGTC_FRONTEND_H

#include "frontend/Frontend.h"

#include <optional>

namespace agt::tool {

/// Nothing, with a message, for a `--define` that is not NAME=VALUE.
std::optional<FrontendOptions>
frontendOptions(const std::vector<std::string> &defines,
                const std::vector<std::string> &only);

int exitCode(FrontendStatus status);

} // namespace agt::tool

#endif
