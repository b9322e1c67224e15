// `agtc graph FILE --agent|--ring [--name NAME] -o FILE.svg|FILE.dot`: a picture
// of an agent, or of how the shards of an attention go round a mesh.
#include "tools/agtc/Commands.h"
#include "tools/agtc/Frontend.h"
#include "tools/agtc/Source.h"

#include "codegen/host/Program.h"
#include "dialect/Ring/Ring.h"
#include "frontend/Lower/MlirDiagnostics.h"
#include "passes/AgentPicture.h"
#include "passes/Mesh/Shardings.h"
#include "passes/RingPicture.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
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

/// What the IR of a schedule says of its ring; open dims are `tokens` long.
static analysis::Ring ringOf(ring::ScheduleOp schedule, int64_t tokens) {
  analysis::Ring ring;
  ring.places = int64_t(schedule.getMeets().size());
  ring.queries = ring.keys = tokens;
  schedule->walk([&](ring::NeededOp op) {
    auto number = [&](mlir::Value size) {
      return mlir::getConstantIntValue(size).value_or(tokens);
    };
    ring::ViewAttr view = op.getView();
    ring.balance = static_cast<analysis::Tokens>(view.getKeys());
    ring.queries = number(op.getQueries());
    ring.keys = number(op.getKeys());
    ring.offset = mlir::getConstantIntValue(op.getOffset())
                      .value_or(ring.keys - ring.queries);
    ring.causal = view.getCausal();
    ring.left = view.getLeft();
    ring.right = view.getRight();
    ring.pin = view.getPin();
  });
  return ring;
}

/// Elements of a tensor but for its tokens, an open dim counted as one.
static double perToken(mlir::RankedTensorType type, Layout layout) {
  double count = 1;
  int64_t tokens = type.getRank() - (layout == Layout::HSD ? 2 : 3);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != tokens && !type.isDynamicDim(i))
      count *= double(type.getDimSize(i));
  return count;
}

static analysis::RingCosts costsOf(ring::ScheduleOp schedule, MeshOp mesh,
                                   const GraphOptions &options) {
  analysis::RingCosts costs;
  costs.rate = options.rate;
  costs.link = options.link;
  schedule->walk([&](ring::AttendOp op) {
    auto type = [](mlir::Value value) {
      return mlir::cast<mlir::RankedTensorType>(value.getType());
    };
    auto bytes = [](mlir::RankedTensorType type) {
      return double(type.getElementTypeBitWidth()) / 8;
    };
    mlir::RankedTensorType k = type(op.getKey()), v = type(op.getValue());
    Layout layout = op.getLayout();
    costs.bytesOfToken =
        perToken(k, layout) * bytes(k) + perToken(v, layout) * bytes(v);
    costs.flopsOfPair = 2 * (perToken(type(op.getQuery()), layout) +
                             perToken(op.getType().getSums(), layout));
  });
  schedule->walk([&](ring::ShiftOp op) {
    std::optional<unsigned> axis =
        mesh.axisNumber(op.getCut().getAxis().getValue());
    if (axis && mesh.getLinks()[*axis] > 0)
      costs.link = mesh.getLinks()[*axis];
  });
  return costs;
}

static int drawRing(const GraphOptions &options, mlir::ModuleOp module,
                    mlir::MLIRContext &context, Source &source) {
  MlirDiagnostics onSourceLines(context, source.diagnostics);
  if (failed(host::lowerToRing(module, [](mlir::PassManager &) {
        return mlir::success();
      })))
    return ErrorsInProgram;
  for (GraphOp graph : module.getOps<GraphOp>()) {
    auto schedules = graph.getOps<ring::ScheduleOp>();
    if (schedules.empty() ||
        (!options.name.empty() && graph.getSymName() != options.name))
      continue;
    ring::ScheduleOp schedule = *schedules.begin();
    analysis::Ring ring = ringOf(schedule, options.tokens);
    std::string title =
        ("attention of graph '" + graph.getSymName() + "'").str();
    return writeOutput(options.output,
                       isSvg(options)
                           ? ringSvg(title, ring,
                                     costsOf(schedule, meshOf(graph), options))
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
