// EXE generate LLM ... and EXE tokens LLM ...
#ifndef AGT_RUNTIME_CLI_GENERATE_H
#define AGT_RUNTIME_CLI_GENERATE_H

#include "runtime/Program/Manifest.h"

namespace agt::rt {

/// Writes what the llm makes of a prompt to the standard output, as it comes.
/// Fails with AGT_BAD_INPUT for options, files and prompts that do not fit.
void runGenerate(const std::vector<std::string> &arguments,
                 const agt_program &program, const Manifest &manifest,
                 const std::string &exe);

/// Writes the tokens of a text as numbers.
void runTokens(const std::vector<std::string> &arguments,
               const Manifest &manifest, const std::string &exe);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_GENERATE_H
