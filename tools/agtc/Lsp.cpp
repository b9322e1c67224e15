// `agtc lsp`: the language server, on the standard streams.
#include "tools/agtc/Commands.h"
#include "tools/agtc/Frontend.h"
#include "tools/lsp/Server.h"

using namespace agt;
using namespace agt::tool;

int agt::tool::languageServer(const std::vector<std::string> &defines) {
  auto options = frontendOptions(defines, {});
  if (!options)
    return BadUsage;
  options->tests = FrontendOptions::Tests::All;
  return lsp::serve(stdin, llvm::outs(), *options) ? Fine : ErrorsInProgram;
}
