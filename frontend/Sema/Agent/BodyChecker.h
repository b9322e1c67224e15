// The body of an agent, a fn or a test: statements in order, names in nested
// blocks, types of expressions, and the paths of steps. Nothing here runs or
// folds; what it finds goes into the AgentProgram's tables.
//
// A statement's check says whether control may go on behind it, from which
// follow missing `return`s, `yield`s and `goto`s.
#ifndef AGT_FRONTEND_SEMA_AGENT_BODYCHECKER_H
#define AGT_FRONTEND_SEMA_AGENT_BODYCHECKER_H

#include "frontend/Sema/Agent/AgentChecker.h"
#include "frontend/Sema/Agent/StepPaths.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace agt::sema::agents {

/// A parameter of a library function.
struct Expected {
  llvm::StringRef what;
  const Type *type;
};

class BodyChecker {
public:
  enum class Mode { Fn, Agent, Test, Tool };
  BodyChecker(AgentChecker &context, Mode mode, const ast::Decl &owner,
              const Type *result, const ast::TypeRef *resultRef)
      : context(context), checker(context.checker), diags(context.diags),
        program(context.program), types(context.types), mode(mode),
        owner(owner), result(result), resultRef(resultRef), paths(diags) {
    frames.emplace_back();
  }

  std::vector<const Local *> declareParams(llvm::ArrayRef<ast::Param *> list,
                                           llvm::ArrayRef<Param> types);
  /// A body that must end in `return`.
  void checkFn(const ast::Block &block);
  void checkAgent(AgentInfo &info);
  void checkTest(const ast::Block &block);
  /// A field of a tool: `what` it is for, and whether a secret may reach it.
  const Type *checkField(const ast::Expr &expr, const Type *expected,
                         const llvm::Twine &what, bool secrets);
  const Local *declareToken();

private:
  //===--------------------------------------------------------------------===//
  // Statements (Stmts.cpp, Nodes.cpp); whether control may go on behind it
  //===--------------------------------------------------------------------===//

  bool checkBlock(const ast::Block &block);
  bool checkStmts(llvm::ArrayRef<ast::Stmt *> stmts);
  bool checkStmt(const ast::Stmt &stmt);
  void checkLet(const ast::LetStmt &stmt);
  void checkTupleLet(const ast::LetStmt &stmt, const Type *type);
  void checkVar(const ast::VarStmt &stmt);
  void checkAssign(const ast::AssignStmt &stmt);
  bool checkIf(const ast::IfStmt &stmt);
  void checkFor(const ast::ForStmt &stmt);
  void checkWhile(const ast::WhileStmt &stmt);
  void checkLoop(const ast::LoopStmt &stmt);
  bool checkTry(const ast::TryStmt &stmt);
  void checkReturn(const ast::ReturnStmt &stmt);
  void checkYield(const ast::YieldStmt &stmt);
  void checkGoto(const ast::GotoStmt &stmt);
  void checkMock(const ast::MockStmt &stmt);
  void checkMax(const ast::Expr *max, const ast::Node &stmt,
                llvm::StringRef form);
  void checkNodes(AgentInfo &info, bool reachesStart);
  void checkReachable(AgentInfo &info);

  //===--------------------------------------------------------------------===//
  // Expressions (Exprs.cpp)
  //===--------------------------------------------------------------------===//

  /// The type of an expression; `expected` helps `[]`, `none` and literals.
  const Type *check(const ast::Expr &expr, const Type *expected = nullptr);
  const Type *checkKind(const ast::Expr &expr, const Type *expected);
  /// Reports what does not convert: "expected 'T' WHAT, got 'U'".
  const Type *checkAs(const ast::Expr &expr, const Type *expected,
                      const llvm::Twine &what,
                      llvm::SMRange declared = llvm::SMRange());
  void mismatch(llvm::SMRange range, const Type *expected, const Type *got,
                const llvm::Twine &what, llvm::SMRange declared);
  const Type *checkName(const ast::NameRef &expr);
  const Type *checkString(const ast::StringLit &expr);
  const Type *checkChain(const ast::ChainExpr &expr, const Type *expected);
  const Type *checkArithmetic(const ast::ChainExpr &expr, const Type *left,
                              const ast::ChainExpr::Link &link,
                              const Type *right);
  const Type *checkCompare(const ast::CompareExpr &expr);
  const Type *checkUnary(const ast::UnaryExpr &expr);
  const Type *checkRange(const ast::RangeExpr &expr);
  const Type *checkIndex(const ast::IndexExpr &expr);
  const Type *checkMember(const ast::MemberExpr &expr);
  const Type *memberOf(const Type *base, const ast::MemberExpr &expr);
  const Type *checkList(const ast::ListExpr &expr, const Type *expected);
  const Type *checkComprehension(const ast::ComprehensionExpr &expr,
                                 const Type *expected);
  const Type *checkRecordLit(const ast::RecordLit &expr);
  void checkFieldBounds(const RecordField &field, const ast::Expr &value);
  const Type *constant(const ast::Expr &expr, const Value &value,
                       llvm::SMRange range);
  std::optional<int64_t> constantInt(const ast::Expr &expr);
  /// An int; reports a constant below `least`.
  std::optional<int64_t> checkCount(const ast::Expr &expr, int64_t least,
                                    llvm::StringRef what);

  //===--------------------------------------------------------------------===//
  // Calls and the library (Calls.cpp, Library.cpp)
  //===--------------------------------------------------------------------===//

  const Type *checkCall(const ast::CallExpr &expr);
  const Type *checkDeclCall(const ast::CallExpr &expr, const ast::Ident &name,
                            const ast::Decl &decl);
  const Type *checkToolCall(const ast::CallExpr &expr, llvm::SMRange callee,
                            const ast::ToolDecl &decl);
  void checkArgs(const ast::CallExpr &expr, llvm::StringRef callee,
                 llvm::ArrayRef<Param> params, llvm::SMRange declared);
  void checkArgList(const ast::Node &node, llvm::ArrayRef<ast::Arg> args,
                    llvm::SMRange end, llvm::StringRef callee,
                    llvm::ArrayRef<Param> params, llvm::SMRange declared);
  const Type *unknownFunction(const ast::Ident &name);
  const Type *checkLibrary(const ast::CallExpr &expr, const ast::Ident &name);
  bool bind(const ast::CallExpr &expr, llvm::StringRef name, size_t count,
            llvm::ArrayRef<llvm::StringRef> named,
            llvm::SmallVectorImpl<const ast::Expr *> &args);
  const Type *simpleCall(const ast::CallExpr &expr, llvm::StringRef name,
                         llvm::ArrayRef<Expected> params, const Type *result);
  void checkRegex(const ast::Expr &expr);
  const Type *checkLen(const ast::CallExpr &expr);
  const Type *checkConcat(const ast::CallExpr &expr);
  const Type *checkContains(const ast::CallExpr &expr);
  const Type *checkSort(const ast::CallExpr &expr);
  const Type *checkSum(const ast::CallExpr &expr);
  const Type *checkEnd(const ast::CallExpr &expr, llvm::StringRef name);
  const Type *checkRangeCall(const ast::CallExpr &expr);
  const Type *checkOpen(const ast::CallExpr &expr);
  const Type *checkPrefix(const ast::CallExpr &expr);
  const Type *checkRerank(const ast::CallExpr &expr);
  void checkReranker(const ast::Expr &name, const ast::Decl &decl);
  const Type *checkEnvironment(const ast::CallExpr &expr, llvm::StringRef name);
  const Type *checkParse(const ast::ParseCallExpr &expr);
  const Type *checkTestCall(const ast::CallExpr &expr, llvm::StringRef name);
  const Type *checkListArg(const ast::Expr &expr, llvm::StringRef name);

  //===--------------------------------------------------------------------===//
  // Graphs and tensors in tests (Graphs.cpp)
  //===--------------------------------------------------------------------===//

  const Type *checkOnMesh(const ast::OnMeshExpr &expr);
  const Type *checkGraphCall(const ast::CallExpr &expr,
                             const ast::GraphDecl &decl);
  const Type *checkRandn(const ast::CallExpr &expr);
  const Type *checkExpectClose(const ast::CallExpr &expr);

  //===--------------------------------------------------------------------===//
  // Steps of their own form (Ask.cpp, Fork.cpp, Join.cpp, Match.cpp)
  //===--------------------------------------------------------------------===//

  const Type *checkAsk(const ast::AskExpr &expr);
  void refuseOfLocal(const ast::AskExpr &expr);
  void checkAskContext(const ast::AskExpr &expr);
  void checkAskProp(const ast::AskExpr &expr, const ast::Prop &prop);
  void checkAskTools(const ast::Expr &list);
  const Type *checkApprove(const ast::ApproveExpr &expr);
  const Type *checkReceive(const ast::ReceiveExpr &expr);
  const Type *checkFork(const ast::ForkExpr &expr, const Type *expected);
  std::optional<int64_t> checkForkClauses(const ast::ForkExpr &expr,
                                          const Type *list);
  void checkKey(const ast::ForkExpr &expr, const Type *element);
  const Type *checkJoin(const ast::JoinExpr &expr);
  const Type *checkJoinOp(const ast::JoinExpr &expr, const ast::JoinOp &op,
                          const Type *list);
  const Type *checkReduce(const ast::JoinExpr &expr, const ast::JoinOp &op,
                          const Type *list);
  const Type *checkMatchExpr(const ast::MatchExpr &expr, const Type *expected);
  bool checkMatchStmt(const ast::MatchStmt &stmt);

  /// What both forms of match share. `arm` checks one arm's body and says
  /// whether control may go on behind it.
  bool checkArms(const ast::Node &node, const ast::Expr &subject,
                 llvm::ArrayRef<ast::MatchArm *> arms,
                 llvm::function_ref<bool(const ast::MatchArm &)> arm);

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  Local *find(llvm::StringRef name);
  const Local *declare(const ast::Node &node, const ast::Ident &name,
                       Local::Kind kind, const Type *type,
                       const ast::Expr *value = nullptr);
  std::vector<llvm::StringRef> candidates() const;
  void pushFrame() { frames.emplace_back(); }
  void popFrame() { frames.pop_back(); }

  /// Marks an expression or statement as a step and gives it its segment.
  /// False, with an error, where no step may be.
  bool step(const ast::Node &node, llvm::StringRef callee, llvm::SMRange range);

  NodeInfo &info(const ast::Node &node) { return program.nodes[&node]; }
  const Type *error(llvm::SMRange range, const llvm::Twine &message) {
    diags.error(range, message);
    return types.error();
  }
  /// "agent 'review'"
  std::string ownerText() const {
    return (keywordOf(owner) + " '" + owner.name.text + "'").str();
  }

  struct ForkFrame {
    const ast::ForkExpr *fork;
    const Type *expected;
    /// The type of what was yielded so far; null before the first.
    const Type *yielded = nullptr;
    llvm::SMRange firstYield = {};
  };

  AgentChecker &context;
  Checker &checker;
  Diagnostics &diags;
  AgentProgram &program;
  TypeTable &types;
  Mode mode;
  const ast::Decl &owner;
  const Type *result;
  const ast::TypeRef *resultRef;
  std::vector<llvm::StringMap<Local *>> frames;
  std::vector<ForkFrame> forks;
  StepPaths paths;
  /// The `let` whose value is checked, and its value.
  const ast::LetStmt *let = nullptr;
  /// Not empty where no step may be: "the key of a fork".
  llvm::StringRef stepless;
  /// In a tool: whether a secret may stand here.
  bool secrets = false;
  AgentInfo *agent = nullptr;
  /// Of the nodes, while they are checked.
  const ast::AgentNode *node = nullptr;
  struct GotoSite {
    const ast::AgentNode *from;
    const ast::AgentNode *to;
  };
  std::vector<GotoSite> gotos;
  llvm::SmallPtrSet<const ast::AgentNode *, 8> returning;
};

} // namespace agt::sema::agents

#endif
