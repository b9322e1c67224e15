#include "tools/agtc/Frontend.h"

#include "tools/agtc/Commands.h"
#include "tools/agtc/Source.h"
#include "tools/agtc/Weights.h"

using namespace agt;
using namespace agt::tool;

std::optional<FrontendOptions>
agt::tool::frontendOptions(const std::vector<std::string> &defines,
                           const std::vector<std::string> &only) {
  FrontendOptions options;
  for (const std::string &define : defines) {
    size_t equals = define.find('=');
    if (equals == 0 || equals == std::string::npos) {
      complain("expected --define NAME=VALUE, got '" + define + "'");
      return std::nullopt;
    }
    options.defines.emplace_back(define.substr(0, equals),
                                 define.substr(equals + 1));
  }
  options.only = only;
  options.readWeights = readWeights;
  return options;
}

int agt::tool::exitCode(FrontendStatus status) {
  switch (status) {
  case FrontendStatus::Fine:
    return Fine;
  case FrontendStatus::ErrorsInProgram:
    return ErrorsInProgram;
  case FrontendStatus::BadOptions:
    return BadUsage;
  case FrontendStatus::Bug:
    return Bug;
  }
  return Bug;
}
