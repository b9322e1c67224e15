// agt_main_models: the commands that are about local llms, for programs that
// have some; every other is agt_main's.
#include "runtime/Cli/Crash.h"
#include "runtime/Cli/Generate.h"
#include "runtime/Cli/Main.h"
#include "runtime/Cli/Serve.h"
#include "runtime/Support/Failure.h"

#include <cstdio>

using namespace agt::rt;

int agt_main_models(int argc, char **argv, const agt_program *program) {
  std::string word = argc > 1 ? argv[1] : "";
  if (word != "generate" && word != "tokens" && word != "serve")
    return agt_main(argc, argv, program);
  outliveFileLimit();
  reportCrashes();
  agt_status status = guard([&] {
    checkVersion(*program);
    std::string exe = callName(argv[0]);
    std::vector<std::string> rest(argv + 2, argv + argc);
    Manifest manifest = parseManifest(*program);
    if (word == "generate")
      runGenerate(rest, *program, manifest, exe);
    else if (word == "tokens")
      runTokens(rest, manifest, exe);
    else
      runServe(rest, *program, manifest, exe);
    if (std::fflush(stdout) != 0)
      fail(AGT_FAILED, "cannot write to the standard output");
  });
  return status ? reportFailure(status) : AGT_OK;
}
