// The command line of `run`.
#ifndef AGT_RUNTIME_CLI_RUNOPTIONS_H
#define AGT_RUNTIME_CLI_RUNOPTIONS_H

#include "runtime/Cli/Manifest.h"

#include <string>
#include <vector>

namespace agt::rt {

enum class StatsForm { None, Text, Json };

struct RunOptions {
  bool help = false;
  size_t graph = 0; // position in the program
  std::vector<std::string> in;
  std::vector<std::string> out;
  std::string device = "auto";
  uint32_t repeat = 1;
  bool repeatGiven = false;
  StatsForm stats = StatsForm::None;
  std::string statsFile; // "" is stdout
  std::string trace;     // "" is none
};

/// Parses what stands behind `run`. Fails with AGT_BAD_INPUT.
RunOptions parseRunOptions(const std::vector<std::string> &arguments,
                           const Manifest &manifest);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_RUNOPTIONS_H
