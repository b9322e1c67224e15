//===- AgentLowering.cpp - Agents to host functions -----------------------===//
//
// All functions are declared before any is emitted, because they call each
// other. The declarations' JSON comes last: types are numbered as code asks for
// them.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/GraphLowering.h"
#include "codegen/host/agents/AgentEmitter.h"
#include "dialect/Agt/Attributes.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;

namespace {

class AgentLowering {
public:
  explicit AgentLowering(ModuleOp root) : root(root), module(root) {}
  void run(AgentsInfo &info);

private:
  func::FuncOp declare(std::string name, Location loc) {
    MLIRContext *context = root.getContext();
    Type ptr = LLVM::LLVMPointerType::get(context);
    auto type = FunctionType::get(context, {ptr, ptr, ptr},
                                  {IntegerType::get(context, 32)});
    OpBuilder builder = OpBuilder::atBlockEnd(root.getBody());
    return func::FuncOp::create(builder, loc, name, type);
  }
  void add(std::string name, Location loc, Region &region) {
    functions.emplace_back(declare(std::move(name), loc), &region);
  }

  ModuleOp root;
  AgentModule module;
  std::vector<std::pair<func::FuncOp, Region *>> functions;
};

} // namespace

static AgentsInfo::Agent describe(AgentOp agent) {
  AgentsInfo::Agent info{agentSymbol(agent.getSymName()),
                         agent.getSymName().str(),
                         agent.getDoc().value_or("").str(),
                         {}};
  for (unsigned i = 0; i < agent.getNumArguments(); ++i)
    info.params.push_back(cast<StringAttr>(agent.getArgAttr(i, kName)).str());
  return info;
}

void AgentLowering::run(AgentsInfo &info) {
  for (FnOp fn : root.getOps<FnOp>())
    add(fnSymbol(fn.getSymName()), fn.getLoc(), fn.getBody());
  for (ToolOp tool : root.getOps<ToolOp>()) {
    info.tools.push_back({"", ""});
    if (tool.getKind() != "mcp") {
      info.tools.back().request = requestSymbol(tool.getSymName());
      add(info.tools.back().request, tool.getLoc(), tool.getRequest());
    }
    if (tool.getReconcile().empty())
      continue;
    info.tools.back().reconcile = reconcileSymbol(tool.getSymName());
    add(info.tools.back().reconcile, tool.getLoc(), tool.getReconcile());
  }
  for (AgentOp agent : root.getOps<AgentOp>()) {
    info.agents.push_back(describe(agent));
    add(info.agents.back().function, agent.getLoc(), agent.getBody());
  }
  for (TestOp test : root.getOps<TestOp>()) {
    info.tests.push_back({testSymbol(info.tests.size()), test.getTitle().str(),
                          placeOf(test.getLoc())});
    add(info.tests.back().function, test.getLoc(), test.getBody());
  }
  // Local llms alone are the manifest's, and make no program of agents.
  bool agents =
      !functions.empty() || llvm::any_of(root.getOps<LlmOp>(), [](LlmOp llm) {
        return llm.getKind() != "graph";
      });
  for (auto [function, region] : functions)
    AgentEmitter(module, function).emitBody(*region);
  if (agents)
    info.declarations = module.declarations();
  for (Operation &op : llvm::make_early_inc_range(*root.getBody()))
    if (isa<RecordTypeOp, EnumTypeOp, LlmOp, ToolOp, FnOp, AgentOp, TestOp>(op))
      op.erase();
}

LogicalResult agt::host::lowerAgents(ModuleOp module, Manifest &manifest) {
  AgentLowering(module).run(manifest.agents);
  return success();
}
