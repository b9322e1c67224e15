//===- ProgramData.cpp - The constant data of a program -------------------===//

#include "codegen/host/ProgramData.h"
#include "codegen/host/agents/AgentModule.h"
#include "runtime/include/agt/agent.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <cstddef>

using namespace agt;
using namespace agt::host;
using llvm::Constant;

// The structs are built below member by member; a change of the header that
// moves one must not go unnoticed.
static_assert(sizeof(agt_kernel_variant) == 72 &&
              offsetof(agt_kernel_variant, subgroup_size) == 16 &&
              offsetof(agt_kernel_variant, min_flops) == 24 &&
              offsetof(agt_kernel_variant, tile) == 32 &&
              offsetof(agt_kernel_variant, min_rows) == 64);
static_assert(sizeof(agt_kernel) == 32 &&
              offsetof(agt_kernel, n_variants) == 16 &&
              offsetof(agt_kernel, n_cpu_variants) == 20 &&
              offsetof(agt_kernel, cpu_variants) == 24);
static_assert(sizeof(agt_param) == 16 && offsetof(agt_param, dtype) == 8);
static_assert(sizeof(agt_graph) == 56 && offsetof(agt_graph, n_params) == 32 &&
              offsetof(agt_graph, run) == 40 &&
              offsetof(agt_graph, mesh) == 48);
static_assert(sizeof(agt_mesh) == 32 && sizeof(agt_mesh_axis) == 24 &&
              offsetof(agt_mesh_axis, link) == 16);
static_assert(sizeof(agt_tool) == 16 && sizeof(agt_test) == 24 &&
              sizeof(agt_agents) == 56 && offsetof(agt_agents, n_agents) == 32);
static_assert(sizeof(agt_program) == 48 &&
              offsetof(agt_program, graphs) == 16 &&
              offsetof(agt_program, ir) == 32);

namespace {

class DataBuilder {
public:
  explicit DataBuilder(llvm::Module &module)
      : module(module), context(module.getContext()),
        ptr(llvm::PointerType::get(context, 0)) {}

  Constant *i32(int64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  }
  Constant *i64(int64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value);
  }
  Constant *f64(double value) {
    return llvm::ConstantFP::get(llvm::Type::getDoubleTy(context), value);
  }
  Constant *structure(llvm::ArrayRef<Constant *> members) {
    return llvm::ConstantStruct::getAnon(context, members);
  }
  /// A constant of its own, and its address.
  Constant *place(Constant *value) {
    return new llvm::GlobalVariable(module, value->getType(), true,
                                    llvm::GlobalValue::InternalLinkage, value,
                                    "agt.data");
  }
  Constant *text(llvm::StringRef text) {
    return place(llvm::ConstantDataArray::getString(context, text));
  }
  /// The address of bytes; null for none.
  Constant *bytes(llvm::StringRef bytes) {
    if (bytes.empty())
      return llvm::ConstantPointerNull::get(ptr);
    return place(llvm::ConstantDataArray::getString(context, bytes,
                                                    /*AddNull=*/false));
  }
  /// The address of an array of such members; null for none.
  Constant *array(llvm::ArrayRef<Constant *> members) {
    if (members.empty())
      return llvm::ConstantPointerNull::get(ptr);
    auto *type =
        llvm::ArrayType::get(members.front()->getType(), members.size());
    return place(llvm::ConstantArray::get(type, members));
  }
  /// Gives the name that host functions refer to its value.
  void define(llvm::StringRef name, Constant *value,
              llvm::GlobalValue::LinkageTypes linkage =
                  llvm::GlobalValue::InternalLinkage) {
    auto *global = new llvm::GlobalVariable(module, value->getType(), true,
                                            linkage, value);
    if (llvm::GlobalVariable *declared = module.getNamedGlobal(name)) {
      declared->replaceAllUsesWith(global);
      declared->eraseFromParent();
    }
    global->setName(name);
  }

  Constant *tile(const std::array<int64_t, 4> &tile);
  Constant *native(const cpu::CpuVariant &variant);
  Constant *kernel(const Kernel &kernel,
                   llvm::ArrayRef<cpu::CpuVariant> native);
  Constant *params(const std::vector<ParamInfo> &params);
  Constant *graph(const GraphInfo &info);
  Constant *mesh(const GraphInfo &info);
  Constant *agents(const AgentsInfo &info);
  /// `agents` is null in a program without any.
  void addMain(Constant *program, Constant *agents, bool hasModels);
  void addStart(llvm::StringRef name, unsigned index, Constant *program,
                Constant *agents);

private:
  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::PointerType *ptr;
};

Constant *DataBuilder::tile(const std::array<int64_t, 4> &tile) {
  return llvm::ConstantDataArray::get(
      context,
      llvm::ArrayRef<uint64_t>(reinterpret_cast<const uint64_t *>(tile.data()),
                               tile.size()));
}

/// A function that is linked in later.
Constant *DataBuilder::native(const cpu::CpuVariant &variant) {
  auto *type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(context),
      {ptr, ptr, llvm::Type::getInt64Ty(context), ptr}, false);
  auto *function = llvm::cast<llvm::Function>(
      module.getOrInsertFunction(variant.function, type).getCallee());
  return structure({function, i32(variant.isa), i32(variant.scratchBytes),
                    f64(variant.minFlops), tile(variant.tile)});
}

Constant *DataBuilder::kernel(const Kernel &kernel,
                              llvm::ArrayRef<cpu::CpuVariant> natives) {
  std::vector<Constant *> variants;
  for (const spirv::KernelBinary &variant : kernel.variants) {
    Constant *code = place(llvm::ConstantDataArray::get(
        context, llvm::ArrayRef<uint32_t>(variant.words)));
    variants.push_back(structure({code, i64(4 * variant.words.size()),
                                  i32(variant.subgroupSize),
                                  i32(variant.features), f64(variant.minFlops),
                                  tile(variant.tile), i64(variant.minRows)}));
  }
  std::vector<Constant *> functions;
  for (const cpu::CpuVariant &variant : natives)
    functions.push_back(native(variant));
  return structure({text(kernel.name), array(variants), i32(variants.size()),
                    i32(functions.size()), array(functions)});
}

Constant *DataBuilder::params(const std::vector<ParamInfo> &params) {
  std::vector<Constant *> members;
  for (const ParamInfo &param : params)
    members.push_back(
        structure({text(param.name), i32(param.dtype), i32(param.rank)}));
  return array(members);
}

Constant *DataBuilder::graph(const GraphInfo &info) {
  llvm::Function *run = module.getFunction(graphSymbol(info.name));
  return structure({text(info.name), text(info.place), params(info.params),
                    params(info.results), i32(info.params.size()),
                    i32(info.results.size()), run, mesh(info)});
}

Constant *DataBuilder::mesh(const GraphInfo &info) {
  if (info.axes.empty())
    return llvm::ConstantPointerNull::get(ptr);
  std::vector<Constant *> axes;
  for (const AxisInfo &axis : info.axes)
    axes.push_back(
        structure({text(axis.name), i64(axis.size), f64(axis.link)}));
  return place(structure(
      {text(info.mesh), text(info.meshPlace), array(axes), i64(axes.size())}));
}

Constant *DataBuilder::agents(const AgentsInfo &info) {
  auto function = [&](llvm::StringRef name) -> Constant * {
    if (name.empty())
      return llvm::ConstantPointerNull::get(ptr);
    return module.getFunction(name);
  };
  std::vector<Constant *> agents, tools, tests;
  for (const AgentsInfo::Agent &agent : info.agents)
    agents.push_back(function(agent.function));
  for (const AgentsInfo::Tool &tool : info.tools)
    tools.push_back(
        structure({function(tool.request), function(tool.reconcile)}));
  for (const AgentsInfo::Test &test : info.tests)
    tests.push_back(structure(
        {text(test.title), text(test.place), function(test.function)}));
  return structure({text(info.declarations), array(agents), array(tools),
                    array(tests), i64(agents.size()), i64(tools.size()),
                    i64(tests.size())});
}

void DataBuilder::addMain(Constant *program, Constant *agents, bool hasModels) {
  llvm::Type *i32 = llvm::Type::getInt32Ty(context);
  llvm::SmallVector<llvm::Type *> types = {i32, ptr, ptr};
  if (agents)
    types.push_back(ptr);
  llvm::FunctionCallee body =
      module.getOrInsertFunction(agents      ? "agt_main_agents"
                                 : hasModels ? "agt_main_models"
                                             : "agt_main",
                                 llvm::FunctionType::get(i32, types, false));
  auto *type = llvm::FunctionType::get(i32, {i32, ptr}, false);
  auto *main = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                      "main", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", main));
  llvm::SmallVector<llvm::Value *> arguments = {main->getArg(0),
                                                main->getArg(1), program};
  if (agents)
    arguments.push_back(agents);
  builder.CreateRet(builder.CreateCall(body, arguments));
}

/// The function of an agent in a library: agt_agent_start for the agent `index`
/// on the database that AGT_DB names. The context has no part in it yet.
void DataBuilder::addStart(llvm::StringRef name, unsigned index,
                           Constant *program, Constant *agents) {
  llvm::FunctionCallee body = module.getOrInsertFunction(
      "agt_agent_start",
      llvm::FunctionType::get(
          ptr, {ptr, ptr, llvm::Type::getInt32Ty(context), ptr, ptr, ptr, ptr},
          false));
  auto *type = llvm::FunctionType::get(ptr, {ptr, ptr, ptr, ptr}, false);
  auto *start = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                       name, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", start));
  llvm::Value *arguments[] = {
      program,          agents,
      i32(index),       llvm::ConstantPointerNull::get(ptr),
      start->getArg(1), start->getArg(2),
      start->getArg(3)};
  builder.CreateRet(builder.CreateCall(body, arguments));
}

} // namespace

void agt::host::addProgramData(llvm::Module &module, const Manifest &manifest,
                               const KernelTable &kernels, ProgramKind kind,
                               llvm::StringRef ir) {
  DataBuilder data(module);
  for (auto [index, kernel] : llvm::enumerate(kernels.kernels()))
    data.define(KernelTable::symbol(index),
                data.kernel(kernel, kernels.native().variants(index)));
  std::vector<Constant *> graphs;
  for (const GraphInfo &info : manifest.graphs) {
    graphs.push_back(data.graph(info));
    data.define(descriptorSymbol(info.name), graphs.back());
  }
  Constant *program =
      data.structure({data.i32(AGT_ABI_VERSION), data.text(manifest.json()),
                      data.array(graphs), data.i64(graphs.size()),
                      data.bytes(ir), data.i64(ir.size())});
  const AgentsInfo &info = manifest.agents;
  Constant *agents =
      info.declarations.empty() ? nullptr : data.place(data.agents(info));
  if (kind == ProgramKind::Executable)
    return data.addMain(data.place(program), agents,
                        !manifest.llms.empty() && manifest.llms != "[]");
  if (info.agents.empty())
    return;
  Constant *placed = data.place(program);
  for (auto [index, agent] : llvm::enumerate(info.agents))
    data.addStart(startSymbol(agent.name), index, placed, agents);
}
