// Regular expressions that are known when the program is compiled.
#ifndef AGT_FRONTEND_SEMA_AGENT_REGEX_H
#define AGT_FRONTEND_SEMA_AGENT_REGEX_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace agt::sema::agents {

/// What is wrong with a pattern, as PCRE2 says it; nothing when it is fine.
std::optional<std::string> regexError(llvm::StringRef pattern);

} // namespace agt::sema::agents

#endif
