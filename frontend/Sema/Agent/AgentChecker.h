// What checking the bodies of agents, fns and tests shares: the tables that it
// fills, types of signatures, tools and models, and who calls whom. Names and
// consts are the Checker's.
#ifndef AGT_FRONTEND_SEMA_AGENT_AGENTCHECKER_H
#define AGT_FRONTEND_SEMA_AGENT_AGENTCHECKER_H

#include "frontend/Sema/Agent/CheckedAgents.h"
#include "frontend/Sema/Checker.h"

#include "llvm/ADT/MapVector.h"

namespace agt::sema::agents {

/// "1s", "500ms", as the author would write it.
std::string durationText(int64_t nanoseconds);

class AgentChecker {
public:
  AgentChecker(Checker &checker, AgentProgram &program)
      : checker(checker), diags(checker.diags), program(program),
        types(program.types) {}

  /// Signatures, tools and models, then all bodies.
  void check();

  /// Says what is compiled, in source order.
  void choose(llvm::ArrayRef<const ast::Decl *> chosen);

  /// The type that is written there; the error type where it is wrong, which
  /// is reported once.
  const Type *resolve(const ast::TypeRef &type);
  /// Of a const's value; null for what has no place in an agent.
  const Type *typeOf(const Value &value);
  /// `Output`, `Message`, or what `err` is in `try ... else err`.
  const Type *builtinRecord(llvm::StringRef name);

  const RecordInfo *recordOf(const ast::RecordDecl &decl) const {
    return records.lookup(&decl);
  }
  const ToolInfo *tool(const ast::Decl &decl) const {
    return program.toolOf.lookup(&decl);
  }
  /// The tool that a provider lists under the name; null after an error.
  const ToolInfo *listedTool(const ast::ToolDecl &provider,
                             const ast::Ident &name);
  const AgentInfo *agent(const ast::Decl &decl) const {
    return program.agentOf.lookup(&decl);
  }

  /// Notes that the body of `caller` calls `callee`, for recursion, budgets
  /// and `--only`.
  void noteUse(const ast::Decl &caller, const ast::Decl &callee,
               llvm::SMRange range);
  struct Use {
    const ast::Decl *decl;
    llvm::SMRange range;
  };
  llvm::ArrayRef<Use> usesOf(const ast::Decl &decl) const;

  Checker &checker;
  Diagnostics &diags;
  AgentProgram &program;
  TypeTable &types;

private:
  void declareRecords();
  void fillRecord(RecordInfo &info);
  std::vector<Param> params(llvm::ArrayRef<ast::Param *> list);
  void declareTool(const ast::ToolDecl &decl, const McpServer *server);
  void declareProvider(const ast::ToolDecl &decl);
  void findServers(AgentInfo &agent);
  void checkRecursion();
  void checkCallee(const AgentInfo &agent, const Use &use);

  llvm::DenseMap<const ast::Decl *, RecordInfo *> records;
  llvm::StringMap<const RecordInfo *> builtins;
  llvm::MapVector<const ast::Decl *, std::vector<Use>> uses;
};

} // namespace agt::sema::agents

#endif
