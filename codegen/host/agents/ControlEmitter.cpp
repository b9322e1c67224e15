//===- ControlEmitter.cpp - Loops, try, nodes -----------------------------===//
//
// A loop's body and a node's visit have a scope of their own, entered at their
// start; behind them the scope is what it was.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/agents/AgentEmitter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace agt;
using namespace agt::host;

void AgentEmitter::emitIf(IfOp op) {
  llvm::SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(hostType(type));
  Block *then = newBlock(), *otherwise = newBlock(), *next = newBlock(types);
  branch(values.lookup(op.getCondition()), then, otherwise);
  for (auto [block, region] :
       {std::pair(then, &op.getThen()), {otherwise, &op.getOtherwise()}}) {
    b.setInsertionPointToEnd(block);
    if (std::optional<Values> given = emit(region->front()))
      jump(next, *given);
  }
  b.setInsertionPointToEnd(next);
  for (auto [result, argument] :
       llvm::zip_equal(op.getResults(), next->getArguments()))
    values[result] = argument;
}

/// Runs `body` for 0 .. count - 1, each in its scope.
void AgentEmitter::loopOver(Value count, llvm::StringRef name,
                            llvm::function_ref<void(Value)> body) {
  Type i64 = b.getI64Type();
  Block *header = newBlock(i64), *inside = newBlock(), *next = newBlock();
  Value zero = host.i64(0);
  jump(header, zero);
  b.setInsertionPointToEnd(header);
  Value index = header->getArgument(0);
  Value more = arith::CmpIOp::create(b, host.location(),
                                     arith::CmpIPredicate::slt, index, count);
  branch(more, inside, next);
  b.setInsertionPointToEnd(inside);
  Value outer = scope;
  scope = call("agt_scope_enter", {outer, bytes(name), index});
  body(index);
  scope = outer;
  // The body may have left the block without a way on.
  Block *here = b.getInsertionBlock();
  if (here->empty() || !here->back().hasTrait<OpTrait::IsTerminator>())
    jump(header, host.add(index, host.i64(1)));
  b.setInsertionPointToEnd(next);
}

void AgentEmitter::emitWhile(WhileOp op) {
  Type i64 = b.getI64Type();
  Block *header = newBlock(i64), *inside = newBlock(), *next = newBlock();
  Value max = values.lookup(op.getMax());
  Value zero = host.i64(0);
  jump(header, zero);
  b.setInsertionPointToEnd(header);
  Value index = header->getArgument(0);
  Value outer = scope;
  scope = call("agt_scope_enter", {outer, bytes(op.getName()), index});
  std::optional<Values> holds = emit(op.getCondition().front());
  if (holds)
    branch(holds->front(), inside, next);
  b.setInsertionPointToEnd(inside);
  host.setLocation(op.getLoc());
  Value allowed = arith::CmpIOp::create(b, host.location(),
                                        arith::CmpIPredicate::slt, index, max);
  failUnless(allowed,
             "the condition of 'while' still holds after {0} iterations", max,
             max);
  bool goesOn = emit(op.getBody().front()).has_value();
  scope = outer;
  if (goesOn)
    jump(header, host.add(index, host.i64(1)));
  b.setInsertionPointToEnd(next);
}

void AgentEmitter::emitTry(TryOp op) {
  Block *outerErrors = errors;
  Type i32 = b.getI32Type();
  Block *caught = newBlock(i32), *handler = newBlock(), *next = newBlock();
  errors = caught;
  if (emit(op.getBody().front()))
    jump(next);
  errors = outerErrors;
  // What is more than a failure goes on outwards.
  host.setLocation(op.getLoc());
  b.setInsertionPointToEnd(caught);
  Value outcome = caught->getArgument(0);
  Value failed = arith::CmpIOp::create(
      b, host.location(), arith::CmpIPredicate::eq, outcome, host.i32(1));
  cf::CondBranchOp::create(b, host.location(), failed, handler, ValueRange(),
                           errors, ValueRange{outcome});
  b.setInsertionPointToEnd(handler);
  Block &body = op.getHandler().front();
  values[body.getArgument(0)] = call("agt_scope_caught", scope);
  if (emit(body))
    jump(next);
  b.setInsertionPointToEnd(next);
}

Value AgentEmitter::collect(CollectOp op) {
  Value list = values.lookup(op.getList());
  Value builder = call("agt_list_begin", scope);
  Value length = call("agt_value_length", list);
  Block &body = op.getBody().front();
  Type element = body.getArgument(0).getType();
  Type given = cast<ListType>(op.getType()).getElement();
  loopOver(length, op.getName(), [&](Value index) {
    values[body.getArgument(0)] =
        unbox(call("agt_value_at", {list, index}), element);
    std::optional<Values> result = emit(body);
    if (!result)
      return;
    Block *add = newBlock(), *next = newBlock();
    branch((*result)[0], add, next);
    b.setInsertionPointToEnd(add);
    call("agt_list_add", {builder, box((*result)[1], given)});
    jump(next);
    b.setInsertionPointToEnd(next);
  });
  return call("agt_list_end", builder);
}

bool AgentEmitter::emitControl(Operation &op) {
  if (auto choice = dyn_cast<IfOp>(op)) {
    emitIf(choice);
  } else if (auto loop = dyn_cast<LoopOp>(op)) {
    loopOver(values.lookup(loop.getMax()), loop.getName(), [&](Value index) {
      Block &body = loop.getBody().front();
      values[body.getArgument(0)] = index;
      emit(body);
    });
  } else if (auto each = dyn_cast<ForOp>(op)) {
    Value list = values.lookup(each.getList());
    Value length = call("agt_value_length", list);
    loopOver(length, each.getName(), [&](Value index) {
      Block &body = each.getBody().front();
      values[body.getArgument(0)] = unbox(call("agt_value_at", {list, index}),
                                          body.getArgument(0).getType());
      emit(body);
    });
  } else if (auto loop = dyn_cast<WhileOp>(op)) {
    emitWhile(loop);
  } else if (auto guarded = dyn_cast<TryOp>(op)) {
    emitTry(guarded);
  } else if (auto comprehension = dyn_cast<CollectOp>(op)) {
    values[comprehension.getResult()] = collect(comprehension);
  } else {
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void AgentEmitter::visit(llvm::StringRef name, ValueRange arguments) {
  Type i64 = b.getI64Type();
  Value total = host.load(totalVisits, 0, i64);
  Value max = host.i64(maxVisits);
  Value allowed = arith::CmpIOp::create(b, host.location(),
                                        arith::CmpIPredicate::slt, total, max);
  failUnless(allowed, "the agent has made {0} visits and may make no more",
             total, max);
  host.store(host.add(total, host.i64(1)), totalVisits, 0);
  jump(nodes.find(name)->second.entry, arguments);
}

void AgentEmitter::emitGoto(GotoOp op) {
  Values arguments;
  for (Value value : op.getValues())
    arguments.push_back(values.lookup(value));
  visit(op.getNode(), arguments);
}

void AgentEmitter::emitNodes(Block &block) {
  auto start = cast<StartOp>(block.back());
  Value zero = host.i64(0);
  totalVisits = host.frame(8);
  host.store(zero, totalVisits, 0);
  maxVisits = start.getMax();
  for (NodeOp node : block.getOps<NodeOp>()) {
    llvm::SmallVector<Type> types;
    for (Type type : node.getBody().getArgumentTypes())
      types.push_back(hostType(type));
    Value visits = host.frame(8);
    host.store(zero, visits, 0);
    nodes[node.getName()] = {node, newBlock(types), visits};
  }
  visit(start.getNode(), {});
  Value outer = scope;
  for (NodeOp op : block.getOps<NodeOp>()) {
    const Node node = nodes.find(op.getName())->second;
    host.setLocation(op.getLoc());
    b.setInsertionPointToEnd(node.entry);
    Value number = host.load(node.visits, 0, b.getI64Type());
    host.store(host.add(number, host.i64(1)), node.visits, 0);
    scope = call("agt_scope_enter", {outer, bytes(op.getName()), number});
    Block &body = op.getBody().front();
    for (auto [argument, value] :
         llvm::zip_equal(body.getArguments(), node.entry->getArguments()))
      values[argument] = value;
    // The checker has seen that every way ends in `goto` or `return`.
    if (emit(body))
      func::ReturnOp::create(b, host.location(), host.i32(4));
  }
  scope = outer;
}
