// `agtc check`: all errors of each file, and nothing else.
#include "frontend/Import/Import.h"
#include "tools/agtc/Commands.h"
#include "tools/agtc/Source.h"

using namespace agt;
using namespace agt::tool;

int agt::tool::check(const std::vector<std::string> &files) {
  int result = Fine;
  for (const std::string &path : files) {
    Source source;
    if (!source.read(path))
      return BadUsage;
    if (!loadProgram(source.sources, source.mainBuffer, source.context,
                     source.diagnostics))
      result = ErrorsInProgram;
  }
  return result;
}
