//===- GraphLowering.cpp - Graphs to host functions -----------------------===//

#include "codegen/host/GraphLowering.h"
#include "codegen/host/GraphEmitter.h"
#include "passes/Mesh/Shardings.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;

FailureOr<size_t>
KernelTable::find(llvm::StringRef key,
                  llvm::function_ref<FailureOr<Kernel>()> build) {
  if (auto known = numbers.find(key); known != numbers.end())
    return known->second;
  FailureOr<Kernel> kernel = build();
  if (failed(kernel))
    return failure();
  table.push_back(std::move(*kernel));
  numbers[key] = table.size() - 1;
  return table.size() - 1;
}

FailureOr<Kernel> KernelTable::finished(
    llvm::StringRef name, agt::kernels::LaunchSize launch,
    llvm::function_ref<FailureOr<spirv::KernelCode>()> spirv) const {
  Kernel kernel{name.str(), std::move(launch), {}};
  if (!wantsSpirv)
    return std::move(kernel);
  FailureOr<spirv::KernelCode> code = spirv();
  if (failed(code))
    return failure();
  kernel.variants = std::move(code->variants);
  return std::move(kernel);
}

std::string KernelTable::symbol(size_t index) {
  return "agt.kernel." + std::to_string(index);
}

std::string agt::host::graphSymbol(llvm::StringRef name) {
  return (name + "_graph").str();
}

std::string agt::host::descriptorSymbol(llvm::StringRef name) {
  return ("agt.graph." + name).str();
}

static std::string positionSymbol(GraphOp graph) {
  return graphSymbol(graph.getSymName()) + ".position";
}

/// The function that one position of a mesh records with.
static LogicalResult lowerPosition(OpBuilder &builder, GraphOp graph,
                                   KernelTable &kernels) {
  MLIRContext *context = graph.getContext();
  Type ptr = LLVM::LLVMPointerType::get(context);
  auto position =
      func::FuncOp::create(builder, graph.getLoc(), positionSymbol(graph),
                           FunctionType::get(context, {ptr, ptr}, {ptr}));
  position.setPrivate();
  return GraphEmitter(graph, position, kernels).runPosition();
}

/// The address of that function.
static Value addressOfPosition(HostBuilder &b, GraphOp graph) {
  MLIRContext *context = graph.getContext();
  Type ptr = LLVM::LLVMPointerType::get(context);
  Value record = func::ConstantOp::create(
      b.ir(), graph.getLoc(), FunctionType::get(context, {ptr, ptr}, {ptr}),
      positionSymbol(graph));
  return UnrealizedConversionCastOp::create(b.ir(), graph.getLoc(), ptr, record)
      .getResult(0);
}

/// A function that has all positions record, one way or the other.
static LogicalResult lowerOnMesh(GraphOp graph, func::FuncOp function,
                                 KernelTable &kernels) {
  OpBuilder builder(function);
  if (failed(lowerPosition(builder, graph, kernels)))
    return failure();
  HostBuilder b(function);
  SmallVector<Value> arguments = {
      b.argument(0), b.symbol(descriptorSymbol(graph.getSymName())),
      addressOfPosition(b, graph)};
  auto policy = graph->getAttrOfType<StringAttr>(kPolicy);
  if (policy) {
    GraphOp other = otherPolicy(graph);
    arguments.push_back(other ? addressOfPosition(b, other) : arguments.back());
    if (policy.getValue() == kPassQ)
      std::swap(arguments[2], arguments[3]);
  }
  for (unsigned i = 1; i < 5; ++i)
    arguments.push_back(b.argument(i));
  b.tailCall(policy ? "agt_mesh_run_either" : "agt_mesh_run", arguments);
  return success();
}

LogicalResult agt::host::lowerGraphs(ModuleOp module, KernelTable &kernels) {
  MLIRContext *context = module.getContext();
  Type ptr = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  auto type = FunctionType::get(context, {ptr, ptr, i64, ptr, i64}, {ptr});
  SmallVector<GraphOp> graphs(module.getOps<GraphOp>());
  for (GraphOp graph : graphs) {
    OpBuilder builder(graph);
    if (graph->hasAttr(kPolicyOf)) {
      if (failed(lowerPosition(builder, graph, kernels)))
        return failure();
      continue;
    }
    auto function = func::FuncOp::create(builder, graph.getLoc(),
                                         graphSymbol(graph.getSymName()), type);
    if (failed(meshOf(graph) ? lowerOnMesh(graph, function, kernels)
                             : GraphEmitter(graph, function, kernels).run()))
      return failure();
  }
  for (GraphOp graph : graphs)
    graph.erase();
  // What the manifest has told already.
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<MeshOp, WeightsOp>(op))
      op.erase();
  return success();
}
