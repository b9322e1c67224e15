// Agents, fns, tools and models after checking. Bodies stay the AST that the
// author wrote; what checking found out about their nodes stands beside it in
// one table: types of expressions, what names and calls mean, names of steps.
// Lowering (frontend/Lower/Agent) walks the AST with that table.
#ifndef AGT_FRONTEND_SEMA_AGENT_CHECKEDAGENTS_H
#define AGT_FRONTEND_SEMA_AGENT_CHECKEDAGENTS_H

#include "frontend/Sema/Agent/Types.h"
#include "frontend/Sema/Value.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace agt::sema::agents {

/// A parameter, `let`, `var` or variable of a loop, fork or `try`.
struct Local {
  enum Kind { Param, Let, Var, Loop, Fork, Element, Caught, Narrowed };
  Kind kind = Let;
  llvm::StringRef name;
  const Type *type = nullptr;
  llvm::SMRange range;
  /// How many forks enclose the declaration.
  unsigned forkDepth = 0;
  /// The expression of a `let`.
  const ast::Expr *value = nullptr;
  /// Of Narrowed: the option.
  const Local *narrowed = nullptr;
  bool assigned = false;
};

/// What a call or a step is.
enum class Callee : uint8_t {
  None,
  Library,
  Fn,
  Tool,
  Agent,
  Graph,
  /// `now random uuid env read_file open`.
  Recorded,
  Rerank,
  Prefix,
  /// `env` and `secret` in a tool.
  Environment,
};

/// One node of a body.
struct NodeInfo {
  const Type *type = nullptr;
  /// Of an expression: what it is converted to, where that was asked for.
  const Type *wanted = nullptr;
  /// Of a comparison: what both sides are converted to.
  const Type *sides = nullptr;
  Callee callee = Callee::None;
  /// What is called, asked or named: fn, tool, agent, llm, enum.
  const ast::Decl *decl = nullptr;
  const Local *local = nullptr;
  /// Of the call of a graph: without its mesh.
  bool onSingle = false;
  /// A const, or the field of a model.
  std::shared_ptr<Value> constant;
  /// A step's segment, or a loop's; empty where there is none.
  std::string segment;
  /// The step's name in an older program.
  std::string was;
};

/// Text that is put together when the program starts: constants, and what the
/// environment holds.
struct TextPart {
  enum Kind { Constant, Env, Secret };
  Kind kind = Constant;
  /// The text, or the name of the variable.
  std::string text;
};
using Text = std::vector<TextPart>;

struct Param {
  llvm::StringRef name;
  const Type *type = nullptr;
  llvm::SMRange range;
};

enum class Effect : uint8_t { Pure, Idempotent, Reconcile, Once };
llvm::StringRef effectName(Effect effect);
enum class OnChange : uint8_t { Fail, Keep, Rerun };

struct Sandbox {
  bool untrusted = false;
  bool hostNetwork = false;
  std::vector<std::string> read, write;
  std::vector<std::pair<std::string, Text>> env;
  std::optional<int64_t> memoryBytes, cpuNanoseconds, processes, fileBytes;
};

/// `tool NAME = mcp {...}`: how the server is reached.
struct McpServer {
  const ast::ToolDecl *decl = nullptr;
  /// An argv; empty for a server behind a URL.
  std::vector<Text> command;
  Text url;
  std::vector<std::pair<std::string, Text>> headers;
  std::optional<Sandbox> sandbox;
};

/// `limit: 5 per 1s, concurrent 2`; 0 for no limit.
struct CallLimit {
  int64_t calls = 0, nanoseconds = 0; // calls in any such time
  int64_t concurrent = 0;
};

/// The fields that depend on a call are expressions over the parameters and
/// the token.
struct ToolInfo {
  const ast::ToolDecl *decl = nullptr;
  /// As it is called: `find`, `notes.read_graph`.
  std::string name;
  /// Of a tool that an MCP server offers.
  const McpServer *server = nullptr;
  std::vector<Param> params;
  const Type *result = nullptr;
  std::vector<const Local *> locals;
  const Local *token = nullptr;
  /// Exec: a list; null for HTTP.
  const ast::Expr *argv = nullptr;
  const ast::Expr *stdinText = nullptr;
  bool stdinJson = false;
  std::string method;
  const ast::Expr *url = nullptr;
  const ast::Expr *body = nullptr;
  std::vector<std::pair<std::string, const ast::Expr *>> headers;

  std::optional<Effect> effect;
  const ToolInfo *reconciler = nullptr;
  /// By parameter of the reconciler.
  std::vector<const ast::Value *> reconcileArgs;
  int64_t settleNanoseconds = 0;
  int64_t timeoutNanoseconds = 15'000'000'000;
  /// Of an MCP tool: how far progress extends the time.
  std::optional<int64_t> longestNanoseconds;
  /// Where the time is given; the tool's name where it is not.
  llvm::SMRange timeoutRange;
  int64_t retries = 0;
  int64_t backoffNanoseconds = 500'000'000;
  int64_t maxBackoffNanoseconds = 30'000'000'000;
  CallLimit limit;
  std::optional<Sandbox> sandbox;
  OnChange onChange = OnChange::Fail;
};

struct LlmInfo {
  const ast::LlmDecl *decl = nullptr;
  /// `openai` or `mock`.
  std::string provider;
  Text model, endpoint, key;
  /// Absolute.
  std::string file;
  int64_t timeoutNanoseconds = 60'000'000'000;
  int64_t retries = 4;
  CallLimit limit;
};

struct FnInfo {
  const ast::FnDecl *decl = nullptr;
  std::vector<Param> params;
  const Type *result = nullptr;
  std::vector<const Local *> locals;
};

/// One amount of a budget.
template <typename T> struct Amount {
  std::optional<T> value;
  llvm::SMRange range;
};
struct Budget {
  Amount<int64_t> tokens, steps, wallNanoseconds;
  Amount<double> usd;
};

struct NodeDecl {
  const ast::AgentNode *node = nullptr;
  std::vector<const Local *> params;
};

struct AgentInfo {
  const ast::AgentDecl *decl = nullptr;
  std::vector<Param> params;
  const Type *result = nullptr;
  Budget budget;
  /// Claims before it is parked.
  std::optional<int64_t> attempts;
  /// MCP servers whose tools a run of it may call, in source order.
  std::vector<const McpServer *> servers;
  std::vector<const Local *> locals;
  std::vector<NodeDecl> nodes;
  const ast::AgentNode *start = nullptr;
  int64_t maxVisits = 0;
};

struct AgentProgram {
  TypeTable types;
  std::deque<Local> locals;
  std::deque<RecordInfo> records;
  std::vector<const ast::EnumDecl *> enums;
  std::deque<McpServer> servers;
  std::deque<ToolInfo> tools;
  std::deque<LlmInfo> llms;
  std::deque<FnInfo> fns;
  std::deque<AgentInfo> agents;
  llvm::DenseMap<const ast::Node *, NodeInfo> nodes;
  llvm::DenseMap<const ast::Decl *, const ToolInfo *> toolOf;
  llvm::DenseMap<const ast::Decl *, const LlmInfo *> llmOf;
  llvm::DenseMap<const ast::Decl *, const FnInfo *> fnOf;
  llvm::DenseMap<const ast::Decl *, const AgentInfo *> agentOf;
  /// The local that a `let`, `var`, loop, comprehension, fork or `try`
  /// declares, and the narrowed one of a match arm.
  llvm::DenseMap<const ast::Node *, const Local *> declared;
  /// Of calls and `goto`: what each parameter is given.
  llvm::DenseMap<const ast::Node *, std::vector<const ast::Expr *>> arguments;
  /// Of `mock` statements, absolute.
  llvm::DenseMap<const ast::Node *, std::string> mockFiles;
  /// Of `let (a, b)`.
  llvm::DenseMap<const ast::Node *, std::vector<const Local *>> declaredTuple;

  /// What is compiled, graphs and all, in source order.
  std::vector<const ast::Decl *> chosen;

  const NodeInfo &info(const ast::Node &node) const {
    static const NodeInfo none;
    auto found = nodes.find(&node);
    return found == nodes.end() ? none : found->second;
  }
  const Type *typeOf(const ast::Expr &expr) const { return info(expr).type; }
};

} // namespace agt::sema::agents

#endif
