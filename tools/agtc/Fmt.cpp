// `agtc fmt`: formats files in place; `--check` only says which are not.
#include "frontend/Format/Formatter.h"
#include "tools/agtc/Commands.h"
#include "tools/agtc/Source.h"

#include "llvm/Support/FileSystem.h"

using namespace agt;
using namespace agt::tool;

/// A pipe has no text that another could take the place of.
static bool canBeReplaced(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status) || !llvm::sys::fs::is_other(status))
    return true;
  complain("cannot format '" + path + "' in place: it is not a regular file");
  return false;
}

static int formatOne(const std::string &path, bool checkOnly) {
  if (!checkOnly && !canBeReplaced(path))
    return BadUsage;
  Source source;
  if (!source.read(path))
    return BadUsage;
  auto text = formatFile(source.sources, source.mainBuffer, source.diagnostics);
  if (!text)
    return ErrorsInProgram;
  if (*text == source.sources.getMemoryBuffer(source.mainBuffer)->getBuffer())
    return Fine;
  if (checkOnly) {
    llvm::errs() << path << ": error: not formatted, see 'agtc fmt'\n";
    return ErrorsInProgram;
  }
  return writeOutput(path, *text) ? Fine : BadUsage;
}

int agt::tool::fmt(const FmtOptions &options) {
  int result = Fine;
  for (const std::string &path : options.files)
    result = std::max(result, formatOne(path, options.checkOnly));
  return result;
}
