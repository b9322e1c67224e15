#include "frontend/Lower/Lower.h"
#include "frontend/Lower/Agent/AgentLowering.h"
#include "frontend/Lower/GraphLowering.h"

#include "llvm/ADT/StringSet.h"

using namespace agt;
using namespace mlir;

/// The meshes that graphs of the program are on.
static void lowerMeshes(const sema::Program &program, OpBuilder &builder,
                        Locations &locations) {
  llvm::StringSet<> used;
  for (const sema::CheckedGraph &graph : program.graphs)
    used.insert(graph.signature->decl->mesh.text);
  for (const sema::MeshInfo &mesh : program.meshes) {
    if (!used.contains(mesh.name))
      continue;
    SmallVector<StringRef> axes;
    SmallVector<int64_t> sizes;
    SmallVector<double> links;
    for (const sema::MeshAxis &axis : mesh.axes) {
      axes.push_back(axis.name);
      sizes.push_back(axis.size);
      links.push_back(axis.link);
    }
    MeshOp::create(builder, locations.get(mesh.range), mesh.name,
                   builder.getStrArrayAttr(axes), sizes, links);
  }
}

OwningOpRef<ModuleOp> agt::lowerProgram(const sema::Program &program,
                                        const llvm::SourceMgr &sources,
                                        MLIRContext &context) {
  context.loadDialect<AgtDialect, arith::ArithDialect, math::MathDialect,
                      tensor::TensorDialect>();
  Locations locations(sources, context);
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  builder.setInsertionPointToEnd(module->getBody());
  lowerMeshes(program, builder, locations);
  for (const sema::CheckedGraph &graph : program.graphs)
    GraphLowering(graph, builder, locations).lower();
  AgentLowering(*program.agents, builder, locations).lower();
  return module;
}
