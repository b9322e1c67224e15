// Calls are replaced by what they call before kernels are formed. So there can
// be no cycles of them, and a few graphs that call each other twice can stand
// for more operations than any program can hold: both are found here, on a
// depth first walk over who calls whom, with a stack of its own.
#include "frontend/Sema/CallChecks.h"

using namespace agt;
using namespace agt::sema;
using llvm::dyn_cast;

namespace {
enum class State { Fresh, Running, Done };
struct Frame {
  const ast::GraphDecl *graph;
  size_t next;
};
} // namespace

/// Reports each cycle of calls once, at a call in it. Gives the graphs, each
/// after those that it calls.
static std::vector<const ast::GraphDecl *>
checkRecursion(const Checker &checker, Diagnostics &diags) {
  llvm::DenseMap<const ast::GraphDecl *, State> states;
  std::vector<const ast::GraphDecl *> order;
  for (const ast::Decl *decl : checker.allDecls()) {
    const auto *root = dyn_cast<ast::GraphDecl>(decl);
    if (!root || states[root] != State::Fresh)
      continue;
    std::vector<Frame> path = {{root, 0}};
    states[root] = State::Running;
    while (!path.empty()) {
      Frame &frame = path.back();
      auto calls = checker.callsOf(*frame.graph);
      if (frame.next == calls.size()) {
        states[frame.graph] = State::Done;
        order.push_back(frame.graph);
        path.pop_back();
        continue;
      }
      const Checker::CallSite &call = calls[frame.next++];
      State &state = states[call.callee];
      if (state == State::Running) {
        bool direct = call.callee == frame.graph;
        diags.error(
            call.range,
            "graph '" + call.callee->name.text + "' calls itself" +
                (direct ? ""
                        : " through '" + frame.graph->name.text.str() + "'") +
                "; a graph cannot be recursive");
      } else if (state == State::Fresh) {
        state = State::Running;
        path.push_back({call.callee, 0});
      }
    }
  }
  return order;
}

/// Reports the call with which a graph becomes too large; nothing about those
/// that call a graph of that kind.
static void checkSizes(const Checker &checker, const CheckedGraphs &graphs,
                       llvm::ArrayRef<const ast::GraphDecl *> calleesFirst,
                       Diagnostics &diags) {
  // Operations with those of the graphs that are called; 0 after an error.
  llvm::DenseMap<const ast::Decl *, size_t> sizes;
  for (const ast::GraphDecl *decl : calleesFirst) {
    const CheckedGraph &graph = graphs.find(decl)->second;
    size_t &size = sizes[decl] = graph.insts.size();
    for (const Inst &inst : graph.insts) {
      if (inst.op != Op::Call)
        continue;
      const auto *callee = checker.findAs<ast::GraphDecl>(inst.text);
      size_t more = sizes.lookup(callee);
      size += more;
      if (more && size <= maxOps)
        continue;
      if (more)
        diags
            .error(inst.range, "graph '" + decl->name.text +
                                   "' has more than " + llvm::Twine(maxOps) +
                                   " operations with those of the graphs that "
                                   "it calls")
            .note(callee->name.range, "'" + callee->name.text + "' has " +
                                          llvm::Twine(more) + " of them");
      size = 0;
      break;
    }
  }
}

void agt::sema::checkCalls(const Checker &checker, const CheckedGraphs &graphs,
                           Diagnostics &diags) {
  unsigned before = diags.errorCount();
  std::vector<const ast::GraphDecl *> order = checkRecursion(checker, diags);
  if (diags.errorCount() == before)
    checkSizes(checker, graphs, order, diags);
}
