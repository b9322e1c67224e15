// Names of kinds and operators, for dumps and messages.
#include "frontend/AST/AST.h"

#include "llvm/Support/ErrorHandling.h"

using namespace agt::ast;

// The anchor of the class hierarchy's vtable.
Node::~Node() = default;

llvm::StringRef agt::ast::kindName(NodeKind kind) {
#define AGT_KIND(name)                                                         \
  case NodeKind::name:                                                         \
    return #name;
  switch (kind) {
    AGT_KIND(IntLit)
    AGT_KIND(FloatLit)
    AGT_KIND(DurationLit)
    AGT_KIND(QuantityLit)
    AGT_KIND(StringLit)
    AGT_KIND(BoolLit)
    AGT_KIND(NoneLit)
    AGT_KIND(NameRef)
    AGT_KIND(ChainExpr)
    AGT_KIND(CompareExpr)
    AGT_KIND(RangeExpr)
    AGT_KIND(UnaryExpr)
    AGT_KIND(CallExpr)
    AGT_KIND(IndexExpr)
    AGT_KIND(MemberExpr)
    AGT_KIND(OnMeshExpr)
    AGT_KIND(ParseCallExpr)
    AGT_KIND(TupleExpr)
    AGT_KIND(ListExpr)
    AGT_KIND(ComprehensionExpr)
    AGT_KIND(RecordLit)
    AGT_KIND(ForkExpr)
    AGT_KIND(JoinExpr)
    AGT_KIND(AskExpr)
    AGT_KIND(ApproveExpr)
    AGT_KIND(MatchExpr)
    AGT_KIND(ReceiveExpr)
    AGT_KIND(LetStmt)
    AGT_KIND(VarStmt)
    AGT_KIND(AssignStmt)
    AGT_KIND(IfStmt)
    AGT_KIND(MatchStmt)
    AGT_KIND(ForStmt)
    AGT_KIND(WhileStmt)
    AGT_KIND(LoopStmt)
    AGT_KIND(RepeatStmt)
    AGT_KIND(TryStmt)
    AGT_KIND(ReturnStmt)
    AGT_KIND(YieldStmt)
    AGT_KIND(FailStmt)
    AGT_KIND(AssertStmt)
    AGT_KIND(GotoStmt)
    AGT_KIND(SleepStmt)
    AGT_KIND(EmitStmt)
    AGT_KIND(MockStmt)
    AGT_KIND(ShardStmt)
    AGT_KIND(ExprStmt)
    AGT_KIND(ConstDecl)
    AGT_KIND(RecordDecl)
    AGT_KIND(EnumDecl)
    AGT_KIND(TargetDecl)
    AGT_KIND(MeshDecl)
    AGT_KIND(ModelDecl)
    AGT_KIND(WeightsDecl)
    AGT_KIND(LlmDecl)
    AGT_KIND(GraphDecl)
    AGT_KIND(ToolDecl)
    AGT_KIND(FnDecl)
    AGT_KIND(AgentDecl)
    AGT_KIND(TestDecl)
    AGT_KIND(ImportDecl)
    AGT_KIND(AgentNode)
    AGT_KIND(AgentStart)
    AGT_KIND(Field)
    AGT_KIND(Param)
    AGT_KIND(Block)
    AGT_KIND(MatchArm)
    AGT_KIND(Pattern)
    AGT_KIND(Prop)
    AGT_KIND(Props)
    AGT_KIND(Value)
    AGT_KIND(MoreItem)
    AGT_KIND(TypeRef)
    AGT_KIND(File)
  }
#undef AGT_KIND
  llvm_unreachable("a kind without a name");
}

llvm::StringRef agt::ast::spelling(ChainOp op) {
  static const char *const names[] = {"||", "&&", "&", "+", "-", "*", "/", "%"};
  return names[static_cast<int>(op)];
}

llvm::StringRef agt::ast::spelling(CompareOp op) {
  static const char *const names[] = {"==", "!=", "<", "<=", ">", ">="};
  return names[static_cast<int>(op)];
}

llvm::StringRef agt::ast::spelling(JoinOp::Kind kind) {
  static const char *const names[] = {"flatten",  "dedupe", "rank",  "take",
                                      "evidence", "reduce", "budget"};
  return names[kind];
}
