// The command line of `run`.
#ifndef AGT_RUNTIME_CLI_RUNOPTIONS_H
#define AGT_RUNTIME_CLI_RUNOPTIONS_H

#include "runtime/Device/Select.h"
#include "runtime/Plan/Policy.h"
#include "runtime/Program/Manifest.h"

#include <map>
#include <string>
#include <vector>

namespace agt::rt {

enum class StatsForm { None, Text, Json };

struct RunOptions {
  bool help = false;
  size_t graph = 0; // position in the program
  std::vector<std::string> in;
  std::vector<std::string> out;
  std::map<std::string, std::string> weights; // paths
  std::vector<DeviceChoice> devices;          // one a position
  std::map<std::string, double> linkRates;    // bytes a second, by axis
  Policy policy = Policy::None;               // forced
  uint32_t repeat = 1;
  bool repeatGiven = false;
  StatsForm stats = StatsForm::None;
  std::string statsFile; // "" is stdout
  std::string trace;     // "" is none
  bool check = false;
};

/// Parses what stands behind `run`. Fails with AGT_BAD_INPUT.
RunOptions parseRunOptions(const std::vector<std::string> &arguments,
                           const agt_program &program,
                           const Manifest &manifest);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_RUNOPTIONS_H
