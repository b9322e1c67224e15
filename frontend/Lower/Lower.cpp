#include "frontend/Lower/Lower.h"
#include "dialect/Agt/Attributes.h"
#include "frontend/Lower/Agent/AgentLowering.h"
#include "frontend/Lower/GraphLowering.h"

#include "llvm/ADT/StringSet.h"

using namespace agt;
using namespace mlir;

/// What a target says of its link and rates.
static DictionaryAttr declared(const sema::TargetInfo &target,
                               OpBuilder &builder) {
  SmallVector<NamedAttribute> rates{
      builder.getNamedAttr("name", builder.getStringAttr(target.name))};
  auto add = [&](StringRef what, double rate) {
    if (rate > 0)
      rates.push_back(
          builder.getNamedAttr(what, builder.getF64FloatAttr(rate)));
  };
  add("link", target.link);
  for (sema::DType dtype :
       {sema::DType::F32, sema::DType::F16, sema::DType::BF16})
    add(sema::dtypeName(dtype), target.flops[unsigned(dtype)]);
  return builder.getDictionaryAttr(rates);
}

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
    auto op = MeshOp::create(builder, locations.get(mesh.range), mesh.name,
                             builder.getStrArrayAttr(axes), sizes, links);
    for (const sema::TargetInfo &target : program.targets)
      if (target.name == mesh.target)
        // For passes that explain what they do (AttentionRemarks.h).
        op->setAttr(kTargetOfMesh, declared(target, builder));
  }
}

/// The graphs of meshes that are called `on single`, with those that they call.
/// The ones that tests run are true: the others are but parts of their callers.
static llvm::DenseMap<const sema::CheckedGraph *, bool>
singlesOf(const sema::Program &program, const HiddenInputs &inputs) {
  llvm::DenseMap<const sema::CheckedGraph *, bool> singles;
  std::vector<const sema::CheckedGraph *> work;
  auto add = [&](StringRef name, bool isRun) {
    const sema::CheckedGraph &graph = inputs.graph(name);
    if (!graph.signature->decl->mesh)
      return;
    auto [entry, isNew] = singles.try_emplace(&graph, isRun);
    entry->second |= isRun;
    if (isNew)
      work.push_back(&graph);
  };
  const sema::agents::AgentProgram &agents = *program.agents;
  if (llvm::any_of(agents.chosen, llvm::IsaPred<ast::TestDecl>))
    for (const auto &[node, info] : agents.nodes)
      if (info.onSingle)
        add(info.decl->name.text, /*isRun=*/true);
  for (const sema::CheckedGraph &graph : program.graphs)
    for (const sema::Inst &inst : graph.insts)
      if (inst.op == sema::Op::Call && inst.flag)
        add(inst.text, /*isRun=*/false);
  while (!work.empty()) {
    const sema::CheckedGraph &graph = *work.back();
    work.pop_back();
    for (const sema::Inst &inst : graph.insts)
      if (inst.op == sema::Op::Call)
        add(inst.text, /*isRun=*/false);
  }
  return singles;
}

static void lowerGraphs(const sema::Program &program, OpBuilder &builder,
                        Locations &locations) {
  HiddenInputs inputs(program.graphs);
  auto singles = singlesOf(program, inputs);
  for (const sema::CheckedGraph &graph : program.graphs) {
    GraphLowering(graph, inputs, builder, locations).lower();
    auto single = singles.find(&graph);
    if (single == singles.end())
      continue;
    GraphOp op = GraphLowering(graph, inputs, builder, locations,
                               /*onSingle=*/true)
                     .lower();
    if (!single->second)
      op.setPrivate();
  }
}

static void lowerWeights(const sema::Program &program, OpBuilder &builder,
                         Locations &locations) {
  for (const sema::WeightsInfo &weights : program.weights)
    WeightsOp::create(builder, locations.get(weights.decl->name.range),
                      weights.decl->name.text, weights.path,
                      weights.decl->format.text);
}

/// Llms from graphs.
static void lowerLocalLlms(const sema::Program &program, OpBuilder &builder,
                           Locations &locations) {
  for (const sema::LocalLlm &llm : program.localLlms) {
    NamedAttrList settings;
    settings.set("context", builder.getI64IntegerAttr(llm.context));
    settings.set("graph", builder.getStringAttr(llm.graph->name.text));
    settings.set("page", builder.getI64IntegerAttr(llm.page));
    settings.set("tokenizer", builder.getStringAttr(llm.tokenizer));
    if (llm.pin)
      settings.set("pin", builder.getI64IntegerAttr(llm.pin));
    if (llm.waitNanoseconds)
      settings.set("wait", builder.getI64IntegerAttr(llm.waitNanoseconds));
    LlmOp::create(builder, locations.get(llm.decl->name.range),
                  llm.decl->name.text, "graph",
                  settings.getDictionary(builder.getContext()));
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
  lowerWeights(program, builder, locations);
  lowerGraphs(program, builder, locations);
  lowerLocalLlms(program, builder, locations);
  AgentLowering(*program.agents, builder, locations).lower();
  return module;
}
