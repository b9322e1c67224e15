// Declarations of agents: records, enums, models, tools, fns, agents and tests
// become ops of the module, bodies by BodyLowering.
#ifndef AGT_FRONTEND_LOWER_AGENT_AGENTLOWERING_H
#define AGT_FRONTEND_LOWER_AGENT_AGENTLOWERING_H

#include "dialect/Agt/Agt.h"
#include "frontend/Lower/Locations.h"
#include "frontend/Sema/Agent/CheckedAgents.h"

namespace agt {

class AgentLowering {
public:
  AgentLowering(const sema::agents::AgentProgram &program,
                mlir::OpBuilder &builder, Locations &locations)
      : program(program), builder(builder), locations(locations) {}

  /// Appends everything that was chosen, in source order.
  void lower();

  mlir::Type type(const sema::agents::Type *type);
  /// The type with the fields of its records, for hashes.
  std::string meaning(const sema::agents::Type *type);

  const sema::agents::AgentProgram &program;
  mlir::OpBuilder &builder;
  Locations &locations;

private:
  void lowerRecord(const sema::agents::RecordInfo &record);
  void lowerEnum(const ast::EnumDecl &decl);
  void lowerLlm(const sema::agents::LlmInfo &llm);
  void lowerTool(const sema::agents::ToolInfo &tool);
  void lowerFn(const sema::agents::FnInfo &fn);
  void lowerAgent(const sema::agents::AgentInfo &agent);
  void lowerTest(const ast::TestDecl &test);
  mlir::FunctionType functionType(llvm::ArrayRef<sema::agents::Param> params,
                                  const sema::agents::Type *result);
  mlir::ArrayAttr paramNames(llvm::ArrayRef<sema::agents::Param> params);

  mlir::DictionaryAttr toolSettings(const sema::agents::ToolInfo &tool);
  mlir::DictionaryAttr server(const sema::agents::McpServer &server);
  mlir::DictionaryAttr sandbox(const sema::agents::Sandbox &sandbox);
  mlir::DictionaryAttr agentSettings(const sema::agents::AgentInfo &agent);
  mlir::DictionaryAttr retry(int64_t attempts, int64_t base, int64_t max);
  mlir::Attribute text(const sema::agents::Text &text);
};

/// The hash of a step's meaning: 16 hex digits of SHA-256 over the parts, each
/// behind its length.
std::string stepHash(llvm::ArrayRef<std::string> parts);

} // namespace agt

#endif
