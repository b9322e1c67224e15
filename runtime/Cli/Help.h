// The texts of EXE, EXE --help and EXE run --help.
#ifndef AGT_RUNTIME_CLI_HELP_H
#define AGT_RUNTIME_CLI_HELP_H

#include "runtime/Program/Manifest.h"

#include <string>

namespace agt::rt {

/// What the program holds, with its doc comments, and how to call it.
std::string listingText(const Manifest &manifest, const std::string &exe);
/// The same, with all commands and options of the program itself.
std::string helpText(const Manifest &manifest, const std::string &exe);
/// The options of `run` and what the graphs take.
std::string runHelpText(const Manifest &manifest, const std::string &exe);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_HELP_H
