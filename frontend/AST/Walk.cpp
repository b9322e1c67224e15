// One function per kind of list keeps the order of children in one place;
// everything that walks the tree goes through it.
#include "frontend/AST/Walk.h"

#include "llvm/Support/ErrorHandling.h"

using namespace agt::ast;

namespace {

/// Collects non-null children in the order they are given.
class Collector {
public:
  explicit Collector(llvm::SmallVectorImpl<Node *> &out) : out(out) {}

  void expr(const Node &node);
  void stmt(const Node &node);
  void decl(const Node &node);
  void rest(const Node &node);

private:
  void add(Node *node) {
    if (node)
      out.push_back(node);
  }
  template <typename... Nodes> void addAll(Nodes *...nodes) {
    (add(nodes), ...);
  }
  template <typename T> void addList(const std::vector<T *> &nodes) {
    for (T *node : nodes)
      add(node);
  }
  void addArgs(const std::vector<Arg> &args) {
    for (const Arg &arg : args)
      add(arg.value);
  }

  llvm::SmallVectorImpl<Node *> &out;
};

void Collector::expr(const Node &node) {
  switch (node.kind) {
  case NodeKind::StringLit:
    for (const StringPart &part : llvm::cast<StringLit>(node).parts)
      add(part.expr);
    return;
  case NodeKind::ChainExpr: {
    const auto &chain = llvm::cast<ChainExpr>(node);
    add(chain.first);
    for (const ChainExpr::Link &link : chain.rest)
      add(link.operand);
    return;
  }
  case NodeKind::CompareExpr: {
    const auto &compare = llvm::cast<CompareExpr>(node);
    return addAll(compare.lhs, compare.rhs);
  }
  case NodeKind::RangeExpr: {
    const auto &range = llvm::cast<RangeExpr>(node);
    return addAll(range.from, range.to);
  }
  case NodeKind::UnaryExpr:
    return add(llvm::cast<UnaryExpr>(node).operand);
  case NodeKind::CallExpr: {
    const auto &call = llvm::cast<CallExpr>(node);
    add(call.callee);
    return addArgs(call.args);
  }
  case NodeKind::IndexExpr: {
    const auto &index = llvm::cast<IndexExpr>(node);
    add(index.base);
    return addList(index.indices);
  }
  case NodeKind::MemberExpr:
    return add(llvm::cast<MemberExpr>(node).base);
  case NodeKind::OnMeshExpr:
    return add(llvm::cast<OnMeshExpr>(node).base);
  case NodeKind::ParseCallExpr: {
    const auto &call = llvm::cast<ParseCallExpr>(node);
    add(call.type);
    return addArgs(call.args);
  }
  case NodeKind::TupleExpr:
    return addList(llvm::cast<TupleExpr>(node).elements);
  case NodeKind::ListExpr:
    return addList(llvm::cast<ListExpr>(node).elements);
  case NodeKind::ComprehensionExpr: {
    const auto &each = llvm::cast<ComprehensionExpr>(node);
    return addAll(each.element, each.list, each.condition);
  }
  case NodeKind::RecordLit:
    for (const FieldInit &field : llvm::cast<RecordLit>(node).fields)
      add(field.value);
    return;
  case NodeKind::ForkExpr: {
    const auto &fork = llvm::cast<ForkExpr>(node);
    add(fork.list);
    for (const ForkClause &clause : fork.clauses)
      add(clause.value);
    return add(fork.body);
  }
  case NodeKind::JoinExpr: {
    const auto &join = llvm::cast<JoinExpr>(node);
    add(join.list);
    for (const JoinOp &op : join.ops)
      add(op.value);
    return;
  }
  case NodeKind::AskExpr: {
    const auto &ask = llvm::cast<AskExpr>(node);
    return addAll(ask.type, ask.props);
  }
  case NodeKind::ApproveExpr: {
    const auto &approve = llvm::cast<ApproveExpr>(node);
    return addAll(approve.text, approve.role, approve.within);
  }
  case NodeKind::MatchExpr: {
    const auto &match = llvm::cast<MatchExpr>(node);
    add(match.subject);
    return addList(match.arms);
  }
  case NodeKind::ReceiveExpr: {
    const auto &receive = llvm::cast<ReceiveExpr>(node);
    return addAll(receive.type, receive.within);
  }
  default: // Literals and names.
    return;
  }
}

void Collector::stmt(const Node &node) {
  switch (node.kind) {
  case NodeKind::LetStmt: {
    const auto &let = llvm::cast<LetStmt>(node);
    return addAll(let.type, let.value);
  }
  case NodeKind::VarStmt: {
    const auto &var = llvm::cast<VarStmt>(node);
    return addAll(var.type, var.value);
  }
  case NodeKind::AssignStmt:
    return add(llvm::cast<AssignStmt>(node).value);
  case NodeKind::IfStmt: {
    const auto &branch = llvm::cast<IfStmt>(node);
    return addAll(branch.condition, branch.then, branch.otherwise,
                  branch.elseIf);
  }
  case NodeKind::MatchStmt: {
    const auto &match = llvm::cast<MatchStmt>(node);
    add(match.subject);
    return addList(match.arms);
  }
  case NodeKind::ForStmt: {
    const auto &loop = llvm::cast<ForStmt>(node);
    return addAll(loop.list, loop.body);
  }
  case NodeKind::WhileStmt: {
    const auto &loop = llvm::cast<WhileStmt>(node);
    return addAll(loop.condition, loop.max, loop.body);
  }
  case NodeKind::LoopStmt: {
    const auto &loop = llvm::cast<LoopStmt>(node);
    return addAll(loop.max, loop.body);
  }
  case NodeKind::RepeatStmt: {
    const auto &repeat = llvm::cast<RepeatStmt>(node);
    return addAll(repeat.bounds, repeat.body);
  }
  case NodeKind::TryStmt: {
    const auto &attempt = llvm::cast<TryStmt>(node);
    return addAll(attempt.body, attempt.handler);
  }
  case NodeKind::ReturnStmt:
    return add(llvm::cast<ReturnStmt>(node).value);
  case NodeKind::YieldStmt:
    return add(llvm::cast<YieldStmt>(node).value);
  case NodeKind::FailStmt:
    return add(llvm::cast<FailStmt>(node).value);
  case NodeKind::AssertStmt: {
    const auto &check = llvm::cast<AssertStmt>(node);
    return addAll(check.condition, check.message);
  }
  case NodeKind::GotoStmt:
    return addArgs(llvm::cast<GotoStmt>(node).args);
  case NodeKind::SleepStmt:
    return add(llvm::cast<SleepStmt>(node).value);
  case NodeKind::EmitStmt:
    return add(llvm::cast<EmitStmt>(node).value);
  case NodeKind::MockStmt:
    return add(llvm::cast<MockStmt>(node).file);
  case NodeKind::ExprStmt:
    return add(llvm::cast<ExprStmt>(node).expr);
  default: // ShardStmt holds names only.
    return;
  }
}

void Collector::decl(const Node &node) {
  switch (node.kind) {
  case NodeKind::ConstDecl:
    return add(llvm::cast<ConstDecl>(node).value);
  case NodeKind::RecordDecl:
    return addList(llvm::cast<RecordDecl>(node).fields);
  case NodeKind::TargetDecl: {
    const auto &target = llvm::cast<TargetDecl>(node);
    return addAll(target.base, target.props);
  }
  case NodeKind::MeshDecl:
    return add(llvm::cast<MeshDecl>(node).props);
  case NodeKind::ModelDecl:
    return add(llvm::cast<ModelDecl>(node).props);
  case NodeKind::WeightsDecl:
    return add(llvm::cast<WeightsDecl>(node).path);
  case NodeKind::LlmDecl:
    return add(llvm::cast<LlmDecl>(node).props);
  case NodeKind::GraphDecl: {
    const auto &graph = llvm::cast<GraphDecl>(node);
    addList(graph.params);
    for (const GraphResult &result : graph.results)
      add(result.type);
    for (const WhereDim &dim : graph.where)
      add(dim.value);
    return add(graph.body);
  }
  case NodeKind::ToolDecl: {
    const auto &tool = llvm::cast<ToolDecl>(node);
    if (tool.provider)
      return addList(tool.items);
    addList(tool.params);
    return addAll(tool.result, tool.props);
  }
  case NodeKind::FnDecl: {
    const auto &fn = llvm::cast<FnDecl>(node);
    addList(fn.params);
    return addAll(fn.result, fn.body);
  }
  case NodeKind::AgentDecl: {
    const auto &agent = llvm::cast<AgentDecl>(node);
    addList(agent.params);
    add(agent.result);
    return addList(agent.items);
  }
  case NodeKind::TestDecl: {
    const auto &test = llvm::cast<TestDecl>(node);
    return addAll(test.title, test.body);
  }
  default: // EnumDecl holds names only.
    return;
  }
}

void Collector::rest(const Node &node) {
  switch (node.kind) {
  case NodeKind::ImportDecl:
    return add(llvm::cast<ImportDecl>(node).path);
  case NodeKind::AgentNode: {
    const auto &state = llvm::cast<AgentNode>(node);
    addList(state.params);
    return add(state.body);
  }
  case NodeKind::AgentStart:
    return add(llvm::cast<AgentStart>(node).maxVisits);
  case NodeKind::Field: {
    const auto &field = llvm::cast<Field>(node);
    return addAll(field.type, field.bounds);
  }
  case NodeKind::Param:
    return add(llvm::cast<Param>(node).type);
  case NodeKind::Block:
    return addList(llvm::cast<Block>(node).stmts);
  case NodeKind::MatchArm: {
    const auto &arm = llvm::cast<MatchArm>(node);
    return addAll(arm.pattern, arm.body, arm.value);
  }
  case NodeKind::Pattern:
    return add(llvm::cast<Pattern>(node).literal);
  case NodeKind::Prop: {
    const auto &prop = llvm::cast<Prop>(node);
    add(prop.stringLabel);
    return addList(prop.values);
  }
  case NodeKind::Props:
    return addList(llvm::cast<Props>(node).props);
  case NodeKind::Value: {
    const auto &value = llvm::cast<Value>(node);
    addAll(value.expr, value.props);
    return addList(value.more);
  }
  case NodeKind::MoreItem: {
    const auto &item = llvm::cast<MoreItem>(node);
    add(item.literal);
    return addList(item.args);
  }
  case NodeKind::TypeRef:
    for (const TypeArg &arg : llvm::cast<TypeRef>(node).args) {
      add(arg.type);
      addList(arg.dims);
      add(arg.max);
    }
    return;
  case NodeKind::File:
    return addList(llvm::cast<File>(node).items);
  default:
    llvm_unreachable("a kind that no group covers");
  }
}

} // namespace

void agt::ast::collectChildren(const Node &node,
                               llvm::SmallVectorImpl<Node *> &children) {
  Collector collector(children);
  if (llvm::isa<Expr>(node))
    return collector.expr(node);
  if (llvm::isa<Stmt>(node))
    return collector.stmt(node);
  if (llvm::isa<Decl>(node))
    return collector.decl(node);
  collector.rest(node);
}

void agt::ast::walk(Node &root, llvm::function_ref<bool(Node &)> visit) {
  llvm::SmallVector<Node *, 32> pending{&root};
  llvm::SmallVector<Node *, 8> children;
  while (!pending.empty()) {
    Node *node = pending.pop_back_val();
    if (!visit(*node))
      continue;
    children.clear();
    collectChildren(*node, children);
    pending.append(children.rbegin(), children.rend());
  }
}
