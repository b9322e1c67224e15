//===- AgentPicture.h - A drawing of an agent -------------------*- C++ -*-===//
//
// What `agtc graph --agent` shows: the steps of an agent in the order in which
// control comes to them, its nodes, tools with their effect class, forks with
// the join behind them. Loops and `goto` lead back. Plain data once it is
// gathered; DOT and SVG are two ways to write it down.
//
//===----------------------------------------------------------------------===//

#ifndef AGT_PASSES_AGENTPICTURE_H
#define AGT_PASSES_AGENTPICTURE_H

#include "dialect/Agt/Agt.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace agt {

class AgentPicture {
public:
  explicit AgentPicture(AgentOp agent);

  std::string dot() const;
  std::string svg() const;

private:
  struct Box {
    enum Kind { Start, Node, Tool, Ask, Fork, Join, Wait, Child, Note, End };
    Kind kind;
    std::string title;
    /// A second line: an effect class, a policy.
    std::string detail;
    unsigned rank = 0;
    unsigned column = 0;
  };
  struct Edge {
    unsigned from, to;
    bool back;
  };
  using Ends = std::vector<unsigned>;

  unsigned add(Box::Kind kind, std::string title, std::string detail,
               const Ends &from);
  /// Draws a block behind `from`; where control goes on behind it.
  Ends walk(mlir::Block &block, Ends from);
  Ends walkOp(mlir::Operation &op, Ends from);
  /// A region that runs again: its ends lead back to its first box.
  Ends walkLoop(mlir::Region &region, Ends from);
  void connect(const Ends &from, unsigned to);
  void place();

  std::string name;
  std::vector<Box> boxes;
  std::vector<Edge> edges;
  llvm::StringMap<unsigned> nodes;
  std::vector<std::pair<unsigned, std::string>> jumps;
  /// Where branches of the fork that is walked end, and the agent.
  Ends given, finished;
};

} // namespace agt

#endif // AGT_PASSES_AGENTPICTURE_H
