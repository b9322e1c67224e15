// `agtc graph FILE --agent|--ring [--name NAME] -o FILE.svg|FILE.dot`: a
// picture of an agent, or of how the shards of an attention go round a mesh.
#include "tools/agtc/Commands.h"
#include "tools/agtc/Frontend.h"
#include "tools/agtc/Schedules.h"
#include "tools/agtc/Source.h"

#include "dialect/Ring/Ring.h"
#include "frontend/Lower/MlirDiagnostics.h"
#include "passes/AgentPicture.h"
#include "passes/Mesh/Shardings.h"
#include "passes/Pipelines.h"
#include "passes/RingPicture.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Path.h"

using namespace agt;
using namespace agt::tool;

static bool isSvg(const GraphOptions &options) {
  return llvm::sys::path::extension(options.output) == ".svg";
}

static int drawAgent(const GraphOptions &options, mlir::ModuleOp module) {
  std::vector<AgentOp> agents;
  for (AgentOp agent : module.getOps<AgentOp>())
    if (options.name.empty() || agent.getSymName() == options.name)
      agents.push_back(agent);
  if (agents.size() != 1) {
    std::string names;
    for (AgentOp agent : module.getOps<AgentOp>())
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
                     isSvg(options) ? picture.svg() : picture.dot())
             ? Fine
             : BadUsage;
}

static int drawRing(const GraphOptions &options, mlir::ModuleOp module,
                    mlir::MLIRContext &context, Source &source) {
  MlirDiagnostics onSourceLines(context, source.diagnostics);
  mlir::PassManager passes(&context);
  buildRingPipeline(passes);
  if (failed(passes.run(module)))
    return ErrorsInProgram;
  for (GraphOp graph : module.getOps<GraphOp>()) {
    auto schedules = graph.getOps<ring::ScheduleOp>();
    // Of a graph that is there twice, what its statements ask for.
    if (schedules.empty() || graph->hasAttr(kPolicyOf) ||
        (!options.name.empty() && graph.getSymName() != options.name))
      continue;
    ring::ScheduleOp schedule = *schedules.begin();
    analysis::Ring ring = ringOf(schedule, options.tokens);
    std::string title =
        ("attention of graph '" + graph.getSymName() + "'").str();
    return writeOutput(options.output,
                       isSvg(options)
                           ? ringSvg(title, ring,
                                     costsOf(schedule, meshOf(graph),
                                             options.rate, options.link))
                           : ringDot(title, ring))
               ? Fine
               : BadUsage;
  }
  complain(options.name.empty()
               ? "no graph of '" + options.input +
                     "' has an attention that goes round a ring"
               : "'" + options.input + "' has no graph '" + options.name +
                     "' with an attention that goes round a ring");
  return BadUsage;
}

int agt::tool::graph(const GraphOptions &options) {
  llvm::StringRef suffix = llvm::sys::path::extension(options.output);
  if (!options.output.empty() && suffix != ".svg" && suffix != ".dot") {
    complain("expected -o FILE.svg or -o FILE.dot, got '" + options.output +
             "'");
    return BadUsage;
  }
  if (options.agent == options.ring) {
    complain("expected --agent or --ring");
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
  return options.ring ? drawRing(options, *result.module, context, source)
                      : drawAgent(options, *result.module);
}
