// The command lines of generate, tokens and serve: CLI11 splits them, values
// are checked here, so that every message is ours.
#ifndef AGT_RUNTIME_CLI_MODELOPTIONS_H
#define AGT_RUNTIME_CLI_MODELOPTIONS_H

#include "runtime/Program/Manifest.h"

#include <map>
#include <string>
#include <vector>

namespace agt::rt {

/// What a command takes besides --help.
struct ModelCommand {
  bool hasLlm = true;               // the first word
  std::vector<std::string> single;  // options that take one value
  std::vector<std::string> several; // those that may be given again
  std::vector<std::string> flags;   // those without a value
  bool hasStats = false;
};

struct ModelOptions {
  std::string llm;
  // By option; absent ones are not there.
  std::map<std::string, std::string> values;
  std::map<std::string, std::vector<std::string>> lists;
  std::map<std::string, bool> flags;
  std::string stats;
  bool help = false;

  bool flag(const char *name) const;
  const std::string *find(const char *name) const;
  const std::vector<std::string> &list(const char *name) const;
  /// Fail with AGT_BAD_INPUT for what is no such number.
  uint64_t wholeNumber(const char *name, uint64_t otherwise) const;
  double realNumber(const char *name, double otherwise, double least,
                    double most, const char *what) const;
};

/// Fails with AGT_BAD_INPUT for what the command does not take.
ModelOptions parseModelOptions(const std::vector<std::string> &arguments,
                               const ModelCommand &command);

/// Fails with AGT_BAD_INPUT where the program has no such llm.
const ManifestLlm &findLlm(const std::string &name, const Manifest &manifest,
                           const std::string &command);

} // namespace agt::rt

#endif // AGT_RUNTIME_CLI_MODELOPTIONS_H
