// `agtc graph FILE --agent [NAME] -o FILE.svg|FILE.dot`: a picture of an agent.
#include "tools/agtc/Commands.h"
#include "tools/agtc/Frontend.h"
#include "tools/agtc/Source.h"

#include "passes/AgentPicture.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Path.h"

using namespace agt;
using namespace agt::tool;

int agt::tool::graph(const GraphOptions &options) {
  llvm::StringRef suffix = llvm::sys::path::extension(options.output);
  if (!options.output.empty() && suffix != ".svg" && suffix != ".dot") {
    complain("expected -o FILE.svg or -o FILE.dot, got '" + options.output +
             "'");
    return BadUsage;
  }
  if (!options.agent) {
    complain("expected --agent: pictures of meshes are not part of this "
             "version");
    return BadUsage;
  }
  Source source;
  if (!source.read(options.input))
    return BadUsage;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  FrontendOptions frontend;
  FrontendResult result =
      compileToAgt(source.diagnostics, source.mainBuffer, context, frontend);
  if (!result.module)
    return exitCode(result.status);
  std::vector<AgentOp> agents;
  for (AgentOp agent : result.module->getOps<AgentOp>())
    if (options.name.empty() || agent.getSymName() == options.name)
      agents.push_back(agent);
  if (agents.size() != 1) {
    std::string names;
    for (AgentOp agent : result.module->getOps<AgentOp>())
      names += (names.empty() ? "'" : ", '") + agent.getSymName().str() + "'";
    complain(!options.name.empty()
                 ? "'" + options.input + "' has no agent '" + options.name + "'"
             : agents.empty() ? "there is no agent in '" + options.input + "'"
                              : "'" + options.input + "' has agents " + names +
                                    "; say which one with --name");
    return BadUsage;
  }
  AgentPicture picture(agents.front());
  return writeOutput(options.output,
                     suffix == ".svg" ? picture.svg() : picture.dot())
             ? Fine
             : BadUsage;
}
