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
                  llvm::function_ref<FailureOr<spirv::KernelCode>()> build) {
  if (auto known = numbers.find(key); known != numbers.end())
    return known->second;
  FailureOr<spirv::KernelCode> code = build();
  if (failed(code))
    return failure();
  table.push_back(std::move(*code));
  numbers[key] = table.size() - 1;
  return table.size() - 1;
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

std::string agt::host::placeOf(Location location) {
  if (auto range = dyn_cast<FileLineColRange>(location))
    return llvm::formatv("{0}:{1}:{2}", range.getFilename().getValue(),
                         range.getStartLine(), range.getStartColumn());
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      if (std::string place = placeOf(part); !place.empty())
        return place;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return placeOf(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(location))
    return placeOf(name.getChildLoc());
  return "";
}

/// A function that one position records with, and one that has all do so.
static LogicalResult lowerOnMesh(GraphOp graph, func::FuncOp function,
                                 KernelTable &kernels) {
  MLIRContext *context = graph.getContext();
  Type ptr = LLVM::LLVMPointerType::get(context);
  OpBuilder builder(function);
  std::string name = graphSymbol(graph.getSymName()) + ".position";
  auto position = func::FuncOp::create(
      builder, graph.getLoc(), name,
      FunctionType::get(context, {ptr, ptr}, {ptr}));
  position.setPrivate();
  if (failed(GraphEmitter(graph, position, kernels).runPosition()))
    return failure();
  HostBuilder b(function);
  Value record = func::ConstantOp::create(b.ir(), graph.getLoc(),
                                          position.getFunctionType(), name);
  Value address = UnrealizedConversionCastOp::create(b.ir(), graph.getLoc(),
                                                     ptr, record)
                      .getResult(0);
  b.tailCall("agt_mesh_run",
             {b.argument(0), b.symbol(descriptorSymbol(graph.getSymName())),
              address, b.argument(1), b.argument(2), b.argument(3),
              b.argument(4)});
  return success();
}

LogicalResult agt::host::lowerGraphs(ModuleOp module, KernelTable &kernels) {
  MLIRContext *context = module.getContext();
  Type ptr = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  auto type = FunctionType::get(context, {ptr, ptr, i64, ptr, i64}, {ptr});
  for (GraphOp graph : llvm::make_early_inc_range(module.getOps<GraphOp>())) {
    OpBuilder builder(graph);
    auto function = func::FuncOp::create(builder, graph.getLoc(),
                                         graphSymbol(graph.getSymName()), type);
    if (failed(meshOf(graph) ? lowerOnMesh(graph, function, kernels)
                             : GraphEmitter(graph, function, kernels).run()))
      return failure();
    graph.erase();
  }
  // What the manifest has told already.
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<MeshOp, WeightsOp>(op))
      op.erase();
  return success();
}
