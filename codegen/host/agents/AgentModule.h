//===- AgentModule.h - What the functions of a program share ----*- C++ -*-===//
//
// Types by number, declarations by number, constant texts, and the sites of
// steps. The numbers are those of docs/Agents.md: everything that compiled code
// says about a type, a tool or a model is an index into the lists of the
// declarations.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_CODEGEN_HOST_AGENTS_AGENTMODULE_H
#define AGT_CODEGEN_HOST_AGENTS_AGENTMODULE_H

#include "codegen/host/Manifest.h"
#include "dialect/Agt/Agt.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace agt::host {

class AgentModule {
public:
  explicit AgentModule(mlir::ModuleOp module);

  mlir::ModuleOp module() { return root; }

  /// The number of a type, which is declared with what it is made of.
  uint32_t typeIndex(mlir::Type type);
  uint32_t toolIndex(llvm::StringRef name) { return tools.lookup(name); }
  uint32_t llmIndex(llvm::StringRef name) { return llms.lookup(name); }
  uint32_t agentIndex(llvm::StringRef name) { return agents.lookup(name); }
  bool isTool(llvm::StringRef name) const { return tools.count(name); }
  bool isLlm(llvm::StringRef name) const { return llms.count(name); }
  /// How many fields a record has, and the type of one.
  mlir::Type fieldType(RecordType record, uint64_t index);

  /// The name of a constant with these bytes and a NUL behind them.
  std::string text(llvm::StringRef bytes);
  /// The name of the agt_site of a step.
  std::string site(mlir::Operation *step);
  /// A new name for the function of a branch.
  std::string branchName(llvm::StringRef owner);

  /// The JSON of all declarations.
  std::string declarations();

private:
  llvm::json::Value toJson(mlir::Attribute attribute);
  llvm::json::Object describeType(mlir::Type type);
  llvm::json::Object describeRecord(RecordType type);
  llvm::json::Object describe(ToolOp tool);
  llvm::json::Object describe(AgentOp agent);
  llvm::json::Object describe(LlmOp llm);
  /// The variables that the program reads as secrets.
  llvm::json::Array secrets();
  llvm::json::Array params(mlir::ArrayRef<mlir::Type> types,
                           llvm::function_ref<std::string(size_t)> name);
  void addSettings(llvm::json::Object &object, mlir::DictionaryAttr settings);

  mlir::ModuleOp root;
  llvm::StringMap<uint32_t> tools, llms, agents;
  llvm::DenseMap<mlir::Type, uint32_t> typeNumbers;
  std::vector<std::optional<llvm::json::Object>> types;
  llvm::StringMap<std::string> texts;
  unsigned sites = 0, branches = 0;
};

/// The functions of an agent, a fn, and a tool.
std::string agentSymbol(llvm::StringRef name);
/// Of an agent in a library, for C.
std::string startSymbol(llvm::StringRef agent);
std::string fnSymbol(llvm::StringRef name);
std::string requestSymbol(llvm::StringRef tool);
std::string reconcileSymbol(llvm::StringRef tool);
std::string testSymbol(size_t index);

/// Turns all agents of a module into functions and describes them in
/// `manifest`.
mlir::LogicalResult lowerAgents(mlir::ModuleOp module, Manifest &manifest);

} // namespace agt::host

#endif // AGT_CODEGEN_HOST_AGENTS_AGENTMODULE_H
