#include "frontend/Lower/Lower.h"
#include "frontend/Lower/Agent/AgentLowering.h"
#include "frontend/Lower/GraphLowering.h"

using namespace agt;
using namespace mlir;

OwningOpRef<ModuleOp> agt::lowerProgram(const sema::Program &program,
                                        const llvm::SourceMgr &sources,
                                        MLIRContext &context) {
  context.loadDialect<AgtDialect, arith::ArithDialect, math::MathDialect,
                      tensor::TensorDialect>();
  Locations locations(sources, context);
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  builder.setInsertionPointToEnd(module->getBody());
  for (const sema::CheckedGraph &graph : program.graphs)
    GraphLowering(graph, builder, locations).lower();
  AgentLowering(*program.agents, builder, locations).lower();
  return module;
}
