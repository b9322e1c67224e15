//===- AgtAgentControlOps.cpp - Control flow of agents --------------------===//

#include "dialect/Agt/Agt.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace agt;

/// The innermost op of these kinds around `op`; ops around a fork are not
/// looked at.
template <typename... Ops> static Operation *around(Operation *op) {
  Operation *parent = op->getParentOp();
  while (parent && !isa<Ops..., ForkOp>(parent))
    parent = parent->getParentOp();
  return parent;
}

/// A region that gives nothing.
void ResultOp::build(OpBuilder &, OperationState &) {}

LogicalResult FinishOp::verify() {
  Operation *function = around<AgentOp, FnOp>(*this);
  // finish_c2
  if (!function || isa<ForkOp>(function))
    return emitOpError("expected an agent or a fn around it, and no fork "
                       "between");
  // finish_c1
  Type type = cast<FunctionOpInterface>(function).getResultTypes().front();
  if (type != getValue().getType())
    return emitOpError("expected a result of type ")
           << type << ", got " << getValue().getType();
  return success();
}

/// Checks that a region that ends in `agt.result` gives these types.
static LogicalResult gives(Operation *op, Region &region, TypeRange types,
                           StringRef what) {
  auto result = dyn_cast<ResultOp>(region.front().getTerminator());
  if (!result || llvm::equal(result.getValues().getTypes(), types))
    return success();
  return op->emitOpError("expected ")
         << what << " to give (" << types << "), got ("
         << result.getValues().getTypes() << ")";
}

static LogicalResult takes(Operation *op, Region &region, TypeRange types,
                           StringRef what) {
  if (llvm::equal(region.getArgumentTypes(), types))
    return success();
  return op->emitOpError("expected ")
         << what << " to take (" << types << "), got ("
         << region.getArgumentTypes() << ")";
}

LogicalResult IfOp::verify() {
  // if_c1
  if (failed(gives(*this, getThen(), getResultTypes(), "the first region")))
    return failure();
  return gives(*this, getOtherwise(), getResultTypes(), "the second region");
}

LogicalResult ForOp::verify() {
  // for_c1
  Type element = cast<ListType>(getList().getType()).getElement();
  return takes(*this, getBody(), element, "the region");
}

LogicalResult LoopOp::verify() {
  // loop_c1
  return takes(*this, getBody(), IntegerType::get(getContext(), 64),
               "the region");
}

LogicalResult WhileOp::verify() {
  // while_c1
  return gives(*this, getCondition(), IntegerType::get(getContext(), 1),
               "the condition");
}

LogicalResult CollectOp::verify() {
  // collect_c1
  Type element = cast<ListType>(getList().getType()).getElement();
  if (failed(takes(*this, getBody(), element, "the region")))
    return failure();
  // collect_c2
  Type given = cast<ListType>(getType()).getElement();
  return gives(*this, getBody(), {IntegerType::get(getContext(), 1), given},
               "the region");
}

LogicalResult TryOp::verify() {
  // try_c1
  return takes(*this, getHandler(), RecordType::get(getContext(), "failure"),
               "the handler");
}

static NodeOp findNode(Operation *op, StringRef name) {
  auto agent = op->getParentOfType<AgentOp>();
  if (!agent)
    return {};
  for (NodeOp node : agent.getBody().getOps<NodeOp>())
    if (node.getName() == name)
      return node;
  return {};
}

LogicalResult GotoOp::verify() {
  // goto_c1
  NodeOp node = findNode(*this, getNode());
  if (!node)
    return emitOpError("expected the name of a node, got '")
           << getNode() << "'";
  // goto_c2
  return takes(*this, node.getBody(), getValues().getTypes(), "the node");
}

LogicalResult StartOp::verify() {
  // start_c1
  NodeOp node = findNode(*this, getNode());
  if (!node || node.getBody().getNumArguments() != 0)
    return emitOpError("expected the name of a node that takes nothing, got '")
           << getNode() << "'";
  return success();
}
