// EXE serve: an OpenAI-compatible endpoint for the llms from graphs.
#ifndef AGT_RUNTIME_CLI_SERVE_H
#define AGT_RUNTIME_CLI_SERVE_H

#include "runtime/Program/Manifest.h"

namespace agt::rt {

/// Loads all llms of the program, prints the address, and serves on it until
/// told to end. Fails with AGT_BAD_INPUT for options and files that do not fit.
void runServe(const std::vector<std::string> &arguments,
              const agt_program &program, const Manifest &manifest,
              const std::string &exe);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_SERVE_H
