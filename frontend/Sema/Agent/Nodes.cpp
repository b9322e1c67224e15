// The graph-state form: nodes, `goto`, `start`. Every node is reached from the
// start, and from every node a `return` can be reached; `max visits` bounds the
// walk.
#include "frontend/Sema/Agent/BodyChecker.h"
#include "frontend/Sema/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace agt;
using namespace agt::sema;
using namespace agt::sema::agents;

static const ast::AgentNode *findNode(const ast::AgentDecl &decl,
                                      llvm::StringRef name) {
  for (const ast::AgentNode *node : decl.nodes)
    if (node->name.text == name)
      return node;
  return nullptr;
}

static std::vector<llvm::StringRef> nodeNames(const ast::AgentDecl &decl) {
  std::vector<llvm::StringRef> names;
  for (const ast::AgentNode *node : decl.nodes)
    names.push_back(node->name.text);
  return names;
}

void BodyChecker::checkGoto(const ast::GotoStmt &stmt) {
  auto checkAll = [&] {
    for (const ast::Arg &arg : stmt.args)
      check(*arg.value);
  };
  if (!node) {
    checkAll();
    diags.error(stmt.range, "'goto' leads from node to node and stands in one");
    return;
  }
  if (!forks.empty()) {
    checkAll();
    diags
        .error(stmt.range, "a branch of a fork cannot leave its node; 'yield' "
                           "gives its value")
        .note(forks.back().fork->variable.range, "the fork is here");
    return;
  }
  const ast::AgentNode *target = findNode(*agent->decl, stmt.node.text);
  if (!target) {
    checkAll();
    diags.error(stmt.node.range,
                ownerText() + " has no node '" + stmt.node.text + "'" +
                    didYouMean(stmt.node.text, nodeNames(*agent->decl)));
    // Where it was meant to lead is not known; say no more about this node.
    returning.insert(node);
    return;
  }
  gotos.push_back({node, target});
  auto decl = llvm::find_if(
      agent->nodes, [&](const NodeDecl &n) { return n.node == target; });
  std::vector<Param> params;
  for (const Local *local : decl->params)
    params.push_back({local->name, local->type, local->range});
  checkArgList(stmt, stmt.args, stmt.node.range, stmt.node.text, params,
               target->name.range);
}

void BodyChecker::checkReachable(AgentInfo &info) {
  // Forward from the start, and backward from nodes that return.
  llvm::SmallPtrSet<const ast::AgentNode *, 8> reached, ending = returning;
  if (info.start)
    reached.insert(info.start);
  for (bool changed = true; changed;) {
    changed = false;
    for (const GotoSite &site : gotos) {
      if (reached.contains(site.from))
        changed |= reached.insert(site.to).second;
      if (ending.contains(site.to))
        changed |= ending.insert(site.from).second;
    }
  }
  for (const ast::AgentNode *node : info.decl->nodes) {
    llvm::StringRef name = node->name.text;
    if (info.start && !reached.contains(node))
      diags
          .error(node->name.range,
                 "no 'goto' leads from the start to node '" + name + "'")
          .note(info.start->name.range,
                "the start is node '" + info.start->name.text + "'");
    else if (!ending.contains(node))
      diags.error(node->name.range,
                  "from node '" + name + "' no 'return' can be reached");
  }
}

void BodyChecker::checkNodes(AgentInfo &info, bool reachesStart) {
  const ast::AgentDecl &decl = *info.decl;
  if (decl.nodes.empty()) {
    for (const ast::AgentStart *start : decl.starts)
      diags.error(start->range,
                  "'start' names a node, and " + ownerText() + " has none");
    return;
  }
  llvm::StringMap<llvm::SMRange> seen;
  for (const ast::AgentNode *declared : decl.nodes) {
    auto [entry, fresh] =
        seen.try_emplace(declared->name.text, declared->name.range);
    if (!fresh)
      diags
          .error(declared->name.range,
                 "node '" + declared->name.text + "' is declared twice")
          .note(entry->second, "first declared here");
    NodeDecl entryDecl;
    entryDecl.node = declared;
    pushFrame();
    for (const ast::Param *param : declared->params)
      entryDecl.params.push_back(declare(*param, param->name, Local::Param,
                                         context.resolve(*param->type)));
    popFrame();
    info.nodes.push_back(std::move(entryDecl));
  }
  if (decl.starts.empty())
    diags.error(decl.closeRange,
                ownerText() + " has nodes and no 'start', as in start " +
                    decl.nodes.front()->name.text + " max 40 visits");
  for (size_t i = 1; i < decl.starts.size(); ++i)
    diags.error(decl.starts[i]->range, "'start' is given twice")
        .note(decl.starts[0]->range, "first given here");
  if (!decl.starts.empty()) {
    const ast::AgentStart &start = *decl.starts.front();
    info.start = findNode(decl, start.node.text);
    if (!info.start)
      diags.error(start.node.range,
                  ownerText() + " has no node '" + start.node.text + "'" +
                      didYouMean(start.node.text, nodeNames(decl)));
    else if (!info.start->params.empty())
      diags
          .error(start.node.range,
                 "the start '" + start.node.text + "' cannot have parameters")
          .note(info.start->name.range, "declared here");
    if (!start.maxVisits)
      diags.error(start.range, "'start' needs a bound, as in start " +
                                   start.node.text + " max 40 visits");
    else if (std::optional<int64_t> visits =
                 checkCount(*start.maxVisits, 1, "'max'"))
      info.maxVisits = *visits;
    else if (!constantInt(*start.maxVisits) &&
             program.typeOf(*start.maxVisits)->is(Type::Int))
      diags.error(start.maxVisits->range,
                  "'max' of 'start' is an int known when the program is "
                  "compiled");
    if (!reachesStart)
      diags.error(start.range, "control never comes to the start: the "
                               "statements before it end the agent");
  }
  for (const NodeDecl &entry : info.nodes) {
    node = entry.node;
    pushFrame();
    for (const Local *local : entry.params)
      frames.back()[local->name] = const_cast<Local *>(local);
    paths.push();
    bool goesOn = checkBlock(*node->body);
    paths.pop();
    popFrame();
    if (goesOn) {
      diags.error(node->body->closeRange,
                  "node '" + node->name.text +
                      "' may end without 'goto' or 'return'");
      returning.insert(node);
    }
  }
  node = nullptr;
  checkReachable(info);
}
