// `agtc check`: all errors of each file, and nothing else.
#include "frontend/VerifyDiagnostics.h"
#include "tools/agtc/Commands.h"
#include "tools/agtc/Frontend.h"
#include "tools/agtc/Source.h"

using namespace agt;
using namespace agt::tool;

static int checkOne(const std::string &path, const FrontendOptions &options,
                    bool verify) {
  Source source;
  if (!source.read(path))
    return BadUsage;
  if (!verify)
    return exitCode(checkFile(source.diagnostics, source.mainBuffer, options));
  DiagnosticVerifier verifier(source.diagnostics);
  checkFile(source.diagnostics, source.mainBuffer, options);
  return verifier.verify(llvm::errs()) ? Fine : ErrorsInProgram;
}

int agt::tool::check(const CheckOptions &options) {
  auto frontend = frontendOptions(options.defines, options.only);
  if (!frontend)
    return BadUsage;
  frontend->tests = FrontendOptions::Tests::All;
  int result = Fine;
  for (const std::string &path : options.files) {
    int one = checkOne(path, *frontend, options.verifyDiagnostics);
    if (one == BadUsage)
      return one;
    result = std::max(result, one);
  }
  return result;
}
